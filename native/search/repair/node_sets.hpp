// Counts every set of at most three nodes of a hierarchy, part by part, and lists the sets that violate a model. For data that
// do not fit into memory: a search that has the list needs no rows.
//
// Counts are exact, in dense tables. A table holds the sets whose highest rank is in a range, so that it can be made as small
// as wanted, with a pass over the rows for each range. The root is in every row: it is counted by itself only.
//
// Time: the sets of the nodes above the items of each row. Memory: 4 bytes for each possible set of a range, 8 with persons.
// With sensitive values it is 12, or 20.
#pragma once

#include "search/repair/combination_key.hpp"

namespace shoal {

class NodeSets {
public:
    // rank[node]: its place in the tables, or -1 if it is in no row. The root has rank 0; the most frequent first is fastest.
    NodeSets(std::vector<Code> parent, std::vector<Code> span, std::vector<Code> rank, int m, Code first, Code stop, bool persons)
        : parent_(std::move(parent)), span_(std::move(span)), rank_(std::move(rank)), m_(m), first_(first), stop_(stop),
          persons_(persons), met_(parent_.size(), -1) {
        auto nodes = static_cast<Code>(parent_.size());
        if (m < 1 || m > 3) throw std::invalid_argument("sets of 1 to 3 nodes are wanted");
        if (nodes > MOST_NODES) throw std::invalid_argument("the hierarchy has too many nodes");
        if (rank_.size() != parent_.size() || !nodes || rank_.back() > 0)
            throw std::invalid_argument("the root must be ranked first");
        for (Code u = 0; u < nodes; ++u)
            if (rank_[u] >= 0) {
                if (rank_[u] >= static_cast<Code>(node_of_.size())) node_of_.resize(rank_[u] + 1, -1);
                node_of_[rank_[u]] = u;
            }
        auto labels = static_cast<Code>(node_of_.size());
        if (std::find(node_of_.begin(), node_of_.end(), -1) != node_of_.end()) throw std::invalid_argument("a rank is missing");
        if (first < 0 || first > stop || stop > labels) throw std::invalid_argument("the range must be within the ranks");
        for (Code high = 0; high < labels; ++high) {  // row `high` of a table starts at start_[..][high]
            int64_t h = high, widths[3] = {1, h, h * (h - 1) / 2};
            for (int s = 0; s < m; ++s) {
                start_[s].push_back(cells_[s]);
                if (high >= first && high < stop) cells_[s] += widths[s];
            }
        }
        start(all_);
    }

    // With persons, the rows of a person must be consecutive.
    void add(const RowsView& rows) { count(rows, all_); }

    // Adds rows with one sensitive value. They must have been added as well. Call close_value() after the last of them.
    void add_with_value(const RowsView& rows) {
        if (!has_values_) {
            start(value_);
            for (int s = 0; s < m_; ++s) highest_[s].assign(cells_[s], 0);
            has_values_ = true;
        }
        count(rows, value_);
    }
    void close_value() {
        for (int s = 0; s < m_ && has_values_; ++s) {
            auto &count = value_.count[s], &highest = highest_[s];
            for (size_t c = 0; c < count.size(); ++c) highest[c] = std::max(highest[c], count[c]);
            std::fill(count.begin(), count.end(), 0);
            std::fill(value_.last[s].begin(), value_.last[s].end(), NOBODY);
        }
    }

    // What add() has counted, one size after the other, for another process. The highest counts of values do not add up over rows.
    std::vector<uint32_t> cells() const {
        std::vector<uint32_t> counts;
        counts.reserve(cells_[0] + cells_[1] + cells_[2]);
        for (const auto& some : all_.count) counts.insert(counts.end(), some.begin(), some.end());
        return counts;
    }

    // Adds what another table has counted in rows of other persons.
    void merge_cells(const uint32_t* more, int64_t size) {
        if (size != cells_[0] + cells_[1] + cells_[2]) throw std::invalid_argument("the tables differ");
        for (auto& some : all_.count)
            for (uint32_t& count : some) count = static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX, uint64_t{count} + *more++));
    }

    // The sets that fewer than k units have, or in which a sensitive value has a larger share than part / whole. Not more than
    // `most`.
    std::vector<int64_t> violating(int64_t k, int64_t part, int64_t whole, size_t most) const {
        std::vector<int64_t> keys;
        Set nodes;
        for (Code high = first_; high < stop_ && keys.size() < most; ++high)
            each_possible(high, [&](int s, int64_t cell, const Code* low) {
                int64_t n = all_.count[s][cell], highest = has_values_ ? highest_[s][cell] : 0;
                if (!n || (n >= k && highest * whole <= n * part)) return;
                nodes.assign(1, node_of_[high]);
                for (int i = 0; i < s; ++i) nodes.push_back(node_of_[low[i]]);
                for (size_t i = 1; i < nodes.size(); ++i)
                    for (size_t j = 0; j < i; ++j)
                        if (related(nodes[i], nodes[j])) return;  // the same as a smaller set
                if (keys.size() < most) keys.push_back(key_of(nodes));
            });
        return keys;
    }

    // Facts about one node or two, present or absent, that fit 1..k-1 of `total` rows, and how many rows have all the nodes.
    // support: of each node. Not for persons: their counts do not add up.
    std::pair<std::vector<int64_t>, std::vector<int64_t>> violating_facts(int64_t k, int64_t total,
                                                                          const std::vector<int64_t>& support,
                                                                          size_t most) const {
        if (m_ > 2 || support.size() != parent_.size()) throw std::invalid_argument("facts about 1 or 2 nodes are wanted");
        std::vector<int64_t> keys, counts;
        auto list = [&](int64_t fitting, const Set& facts, int64_t both) {
            if (fitting <= 0 || fitting >= k || keys.size() >= most) return;
            keys.push_back(key_of(facts));
            counts.push_back(both);
        };
        for (Code high = first_; high < stop_ && keys.size() < most; ++high) {
            Code a = node_of_[high];
            list(support[a], {a}, support[a]);
            list(total - support[a], {~a}, support[a]);
            for (Code low = 1; low < high && m_ > 1; ++low) {
                Code b = node_of_[low];
                if (related(a, b)) continue;  // no cut has both
                int64_t both = all_.count[1][start_[1][high] + low];
                list(both, {a, b}, both);
                list(support[a] - both, {a, ~b}, both);
                list(support[b] - both, {b, ~a}, both);
                list(total - support[a] - support[b] + both, {~a, ~b}, both);
            }
        }
        return {keys, counts};
    }

private:
    struct Counter {
        std::vector<uint32_t> count[3];  // by size - 1 and cell
        std::vector<Code> last[3];  // the person counted last
    };

    void start(Counter& counter) const {
        for (int s = 0; s < m_; ++s) {
            counter.count[s].assign(cells_[s], 0);
            if (persons_) counter.last[s].assign(cells_[s], NOBODY);
        }
    }

    void count(const RowsView& rows, Counter& counter) {
        for (int64_t r = 0; r < rows.rows; ++r, ++rows_) {
            ranks_.clear();
            for (const Code* leaf = rows.begin(r); leaf != rows.end(r); ++leaf) {
                if (*leaf < 0 || *leaf >= static_cast<Code>(parent_.size())) throw std::invalid_argument("an item is no leaf");
                for (Code u = *leaf; u >= 0 && met_[u] != rows_; u = parent_[u]) {
                    met_[u] = rows_;
                    if (rank_[u] < 0) throw std::invalid_argument("a node of a row has no rank");
                    if (rank_[u] < stop_) ranks_.push_back(rank_[u]);
                }
            }
            std::sort(ranks_.begin(), ranks_.end());
            if (!persons_ && rows.persons && stop_ > first_) throw std::invalid_argument("persons were not announced");
            Code person = rows.person(r);
            auto top = static_cast<size_t>(std::lower_bound(ranks_.begin(), ranks_.end(), first_) - ranks_.begin());
            for (; top < ranks_.size(); ++top) {
                each_in_row(top, [&](int s, int64_t cell) {
                    if (person != NOBODY) {
                        if (counter.last[s][cell] == person) return;
                        counter.last[s][cell] = person;
                    }
                    ++counter.count[s][cell];
                });
            }
        }
    }

    // The sets of the last row with a highest rank, without the root unless it is alone.
    template <class Visit>
    void each_in_row(size_t top, Visit visit) const {
        Code high = ranks_[top];
        visit(0, start_[0][high]);
        if (m_ > 1)
            for (size_t i = 1; i < top; ++i) visit(1, start_[1][high] + ranks_[i]);
        if (m_ > 2)
            for (size_t j = 2; j < top; ++j) {
                int64_t triples = start_[2][high] + triples_of(ranks_[j]);
                for (size_t i = 1; i < j; ++i) visit(2, triples + ranks_[i]);
            }
    }

    // All possible sets with a highest rank; the visitor also gets the lower ranks.
    template <class Visit>
    void each_possible(Code high, Visit visit) const {
        visit(0, start_[0][high], nullptr);
        if (m_ > 1)
            for (Code low = 1; low < high; ++low) visit(1, start_[1][high] + low, &low);
        if (m_ > 2)
            for (Code middle = 2; middle < high; ++middle)
                for (Code low = 1; low < middle; ++low) {
                    Code lower[2] = {middle, low};
                    visit(2, start_[2][high] + triples_of(middle) + low, lower);
                }
    }

    static int64_t triples_of(int64_t middle) { return middle * (middle - 1) / 2; }
    bool related(Code a, Code b) const {
        Tree tree{parent_.data(), span_.data(), nullptr, static_cast<Code>(parent_.size()), 0};
        return tree.related(a, b);
    }

    std::vector<Code> parent_, span_, rank_, node_of_;
    int m_;
    Code first_, stop_;
    bool persons_, has_values_ = false;  // has_values_: whether there are tables for values
    std::vector<int64_t> start_[3];  // by size - 1 and highest rank
    int64_t cells_[3] = {0, 0, 0};  // by size - 1
    Counter all_, value_;
    std::vector<uint32_t> highest_[3];  // by size - 1 and cell: units with the most frequent sensitive value
    std::vector<int64_t> met_;  // by node: the last row with it
    std::vector<Code> ranks_;
    int64_t rows_ = 0;
};

}  // namespace shoal
