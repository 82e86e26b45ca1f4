// For every node of a hierarchy, the rows that hold an item below it; and the support of any set of nodes, in persons.
#pragma once

#include "core/parallel.hpp"
#include "search/cut.hpp"
#include "search/distinct.hpp"
#include "search/persons.hpp"

namespace shoal {

class NodeRows {
public:
    Rows rows;  // distinct and non-empty
    Rows expanded;  // the same rows with all generalizations except the root

    NodeRows(const RowsView& view, const Tree& tree, int64_t k, const Tick& tick)
        : NodeRows(distinct(view, Beat(tick)), tree, k, tick) {}

    // Distinct non-empty rows of nodes, none of which is above another.
    NodeRows(
        Rows of, const Tree& tree, int64_t k, const Tick& tick = [](double) {})
        : rows(std::move(of)), k_(k), support_(tree.nodes, 0) {
        Beat beat(tick);
        std::vector<int64_t> seen(tree.nodes, -1);
        PersonsByLabel persons;
        persons.prepare(tree.nodes, rows);
        for (int64_t r = 0; r < rows.size(); ++r) {
            beat();
            for (const Code* item = rows.begin(r); item != rows.end(r); ++item)
                for (Code u = *item; u != tree.root() && seen[u] != r; u = tree.parent[u]) {
                    seen[u] = r;
                    persons.add(support_[u], u, rows.weight[r], rows.person(r));
                    expanded.items.push_back(u);
                }
            std::sort(expanded.items.begin() + expanded.indptr.back(), expanded.items.end());
            expanded.close_row(rows.weight[r], rows.person(r));
        }
        starts_.assign(tree.nodes + 1, 0);
        for (Code u : expanded.items) ++starts_[u + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        holders_.resize(expanded.items.size());
        std::vector<int64_t> fill(starts_.begin(), starts_.end() - 1);
        for (int64_t r = 0; r < expanded.size(); ++r) {
            beat();
            for (const Code* u = expanded.begin(r); u != expanded.end(r); ++u) holders_[fill[*u]++] = static_cast<int32_t>(r);
        }
        // Bitmaps are intersected 64 rows at a time. They are at most four times as large as the lists of these nodes.
        bits_.resize(tree.nodes);
        for (Code u = 0; u < tree.root(); ++u) {
            if ((end(u) - begin(u)) * SPARSE <= rows.size()) continue;
            bits_[u].assign((rows.size() + 63) / 64, 0);
            for (const int32_t* r = begin(u); r != end(u); ++r) bits_[u][*r >> 6] |= 1ULL << (*r & 63);
        }
    }

    const int32_t* begin(Code u) const { return holders_.data() + starts_[u]; }
    const int32_t* end(Code u) const { return holders_.data() + starts_[u + 1]; }
    int64_t support(Code u) const { return support_[u]; }

    // Counts the persons with a row that holds all nodes (none of them the root); exact below k, else k.
    int64_t support(const Set& nodes) const {
        Code rarest = rarest_of(nodes);
        Persons found;
        if (!bits_[rarest].empty()) return in_bits(nodes);  // then all have bits
        for (const int32_t* r = begin(rarest); r != end(rarest); ++r) {
            bool all = true;
            for (size_t i = 0; i < nodes.size() && all; ++i) all = nodes[i] == rarest || holds(*r, nodes[i]);
            if (!all) continue;
            found.add(rows, *r);
            if (found.count() >= k_) return k_;
        }
        return found.count();
    }
    bool rare(const Set& nodes) const { return support(nodes) < k_; }

    // The rows that hold all nodes, of which there should be few.
    std::vector<int32_t> holding(const Set& nodes) const {
        Code rarest = rarest_of(nodes);
        std::vector<int32_t> found;
        for (const int32_t* r = begin(rarest); r != end(rarest); ++r)
            if (std::all_of(nodes.begin(), nodes.end(), [&](Code u) { return u == rarest || holds(*r, u); })) found.push_back(*r);
        return found;
    }

private:
    static constexpr int64_t SPARSE = 128;  // nodes in at most one row of so many have no bitmap

    // Counts persons as support() does, for nodes that have bits: 64 rows at a time.
    int64_t in_bits(const Set& nodes) const {
        Persons found;
        for (size_t word = 0; word < bits_[nodes[0]].size(); ++word) {
            uint64_t all = bits_[nodes[0]][word];
            for (size_t i = 1; i < nodes.size(); ++i) all &= bits_[nodes[i]][word];
            for (int64_t row = static_cast<int64_t>(word) * 64; all; all >>= 1, ++row) {
                if (!(all & 1)) continue;
                found.add(rows, row);
                if (found.count() >= k_) return k_;
            }
        }
        return found.count();
    }
    Code rarest_of(const Set& nodes) const {
        return *std::min_element(nodes.begin(), nodes.end(),
                                 [&](Code a, Code b) { return end(a) - begin(a) < end(b) - begin(b); });
    }
    bool holds(int32_t row, Code u) const {
        if (!bits_[u].empty()) return bits_[u][row >> 6] >> (row & 63) & 1;
        return std::binary_search(expanded.begin(row), expanded.end(row), u);
    }

    int64_t k_;
    std::vector<int64_t> support_;
    std::vector<int64_t> starts_;
    std::vector<int32_t> holders_;
    std::vector<std::vector<uint64_t>> bits_;
};

}  // namespace shoal
