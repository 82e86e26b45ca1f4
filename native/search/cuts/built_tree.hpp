// The size of the count-tree that the papers' algorithms build (Terrovitis et al. 2008, Alg. 1 and 4), counted without
// building it.
//
// The rows are those of the data, with all generalizations except the root and without the labels below a cut. The sets of up
// to `size` labels of a row, no label above another, are the paths of the tree of Alg. 1 for m = size. AA (Alg. 4) adds only
// the sets of exactly `size` labels: its nodes are the prefixes of their paths.
//
// The walk visits the prefixes of all but the last two labels, each with the rows that hold it. The last two labels are
// pairs: one bit for each, set by the rows.
//
// Time: at most proportional to the sets of `size` labels of all distinct rows. Memory: at most `size` times the expanded
// rows, and a bit for each pair of labels.
#pragma once

#include "core/parallel.hpp"
#include "search/cut.hpp"
#include "search/distinct.hpp"
#include "search/label_order.hpp"

namespace shoal {

struct TreeSize {
    int64_t up_to_size = 0;  // distinct sets of 1..size labels: the nodes of Alg. 1
    int64_t of_size = 0;  // prefixes of sets of exactly `size` labels: the nodes of Alg. 4
};

class BuiltTree {
public:
    BuiltTree(RowsView view, Tree tree, const Code* raised, int64_t n_raised, int size, bool by_leaves, const Tick& tick)
        : tree_(tree), size_(size), pulse_(tick, cancelled_, true) {
        Rows rows = distinct(view);
        node_of_ = label_order(rows, tree, by_leaves);
        std::vector<Code> rank_of(tree.nodes, -1);
        for (size_t r = 0; r < node_of_.size(); ++r) rank_of[node_of_[r]] = static_cast<Code>(r);
        Cut cut(tree);
        for (int64_t i = 0; i < n_raised; ++i) cut.raise(raised[i], [](Code) {});
        expand(rows, cut, rank_of);
        relate(rank_of);
    }

    // An upper bound on the work: the sets of `size` labels in all distinct rows, including related labels.
    double work() const {
        double all = 0;
        for (int64_t r = 0; r < rows_.size(); ++r) {
            double sets = 1;
            for (int i = 0; i < size_; ++i) sets *= static_cast<double>(rows_.length(r) - i) / (i + 1);
            all += std::max(0.0, sets);
        }
        return all;
    }

    TreeSize count() {
        below(rows_, size_);
        return found_;
    }

private:
    using Labels = std::vector<Code>;

    // Distinct rows of ranks, sorted by their last labels first, so that rows that are equal from some label on are
    // neighbours.
    void expand(const Rows& rows, const Cut& cut, const std::vector<Code>& rank_of) {
        Rows all;
        std::vector<int64_t> seen(tree_.nodes, -1);
        for (int64_t r = 0; r < rows.size(); ++r) {
            auto start = static_cast<int64_t>(all.items.size());
            for (const Code* item = rows.begin(r); item != rows.end(r); ++item)
                for (Code u = cut.node_of(*item); u != tree_.root() && seen[u] != r; u = tree_.parent[u]) {
                    seen[u] = r;
                    all.items.push_back(rank_of[u]);
                }
            std::sort(all.items.begin() + start, all.items.end());
            if (static_cast<int64_t>(all.items.size()) > start) all.close_row(1);
        }
        using Back = std::reverse_iterator<const Code*>;
        std::vector<int64_t> order(all.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            return std::lexicographical_compare(Back(all.end(a)), Back(all.begin(a)), Back(all.end(b)), Back(all.begin(b)));
        });
        for (int64_t r : order) add(rows_, all.begin(r), all.end(r));
    }

    // Finds for each label the labels above it, and those below.
    void relate(const std::vector<Code>& rank_of) {
        above_.resize(node_of_.size());
        below_.resize(node_of_.size());
        marked_.assign(node_of_.size(), 0);
        for (size_t rank = 0; rank < node_of_.size(); ++rank)
            for (Code u = tree_.parent[node_of_[rank]]; u != tree_.root(); u = tree_.parent[u]) {
                above_[rank].push_back(rank_of[u]);
                below_[rank_of[u]].push_back(static_cast<Code>(rank));
            }
    }

    // Marks the labels that are related to one.
    void mark(Code label, uint8_t as) {
        for (Code upper : above_[label]) marked_[upper] = as;
        for (Code lower : below_[label]) marked_[lower] = as;
    }

    // The labels that the rows hold, in order.
    Labels labels_of(const Rows& rows) {
        Labels labels;
        for (Code item : rows.items)
            if (!marked_[item]) {
                marked_[item] = 1;
                labels.push_back(item);
            }
        for (Code label : labels) marked_[label] = 0;
        std::sort(labels.begin(), labels.end());
        return labels;
    }

    // Appends a row, unless the one before it is equal.
    static void add(Rows& rows, const Code* from, const Code* to) {
        if (int64_t n = rows.size(); n && std::equal(rows.begin(n - 1), rows.end(n - 1), from, to)) return;
        rows.items.insert(rows.items.end(), from, to);
        rows.close_row(1);
    }

    // Counts the subtree of a prefix. Its labels and all related ones are no longer in the rows. `left` labels are still to
    // be added. Returns whether that is possible.
    bool below(const Rows& rows, int left) {
        Labels labels = labels_of(rows);
        found_.up_to_size += static_cast<int64_t>(labels.size());
        if (left == 1) {
            found_.of_size += static_cast<int64_t>(labels.size());
            return !labels.empty();
        }
        if (left == 2) return pairs(rows, labels);

        std::vector<int64_t> starts(labels.size() + 1, 0);
        std::vector<Code> local(labels.empty() ? 0 : labels.back() + 1, -1);
        for (size_t at = 0; at < labels.size(); ++at) local[labels[at]] = static_cast<Code>(at);
        for (Code item : rows.items) ++starts[local[item] + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        struct Place {
            int64_t row, next;
        };
        std::vector<Place> places(rows.items.size());
        std::vector<int64_t> fill(starts.begin(), starts.end() - 1);
        for (int64_t r = 0; r < rows.size(); ++r)
            for (int64_t e = rows.indptr[r]; e < rows.indptr[r + 1]; ++e) places[fill[local[rows.items[e]]]++] = {r, e + 1};

        bool any = false;
        Labels kept;
        for (size_t first = 0; first < labels.size(); ++first) {
            if (left == size_) share_ = static_cast<double>(first) / static_cast<double>(labels.size());
            Rows part;
            mark(labels[first], 1);
            for (int64_t p = starts[first]; p < starts[first + 1]; ++p) {
                pulse_.beat(share_);
                kept.clear();
                const Code* end = rows.end(places[p].row);
                for (const Code* item = rows.items.data() + places[p].next; item != end; ++item)
                    if (!marked_[*item]) kept.push_back(*item);
                if (!kept.empty()) add(part, kept.data(), kept.data() + kept.size());
            }
            mark(labels[first], 0);
            if (below(part, left - 1)) {
                ++found_.of_size;
                any = true;
            }
        }
        return any;
    }

    // The last two labels: the pairs of labels that some row holds.
    bool pairs(const Rows& rows, const Labels& labels) {
        size_t n = labels.size();
        if (n < 2) return false;
        size_t words = (n + 63) / 64;
        place_.resize(node_of_.size(), -1);
        for (size_t at = 0; at < n; ++at) place_[labels[at]] = static_cast<Code>(at);
        held_.assign(n * words, 0);
        Labels row;
        std::vector<uint64_t> bits(words, 0);
        for (int64_t r = 0; r < rows.size(); ++r) {
            pulse_.beat(share_);
            row.clear();
            for (const Code* item = rows.begin(r); item != rows.end(r); ++item) row.push_back(place_[*item]);
            if (row.size() < 2 * words) {
                for (size_t i = 0; i + 1 < row.size(); ++i) {
                    uint64_t* of = held_.data() + row[i] * words;
                    for (size_t j = i + 1; j < row.size(); ++j) of[row[j] >> 6] |= 1ULL << (row[j] & 63);
                }
                continue;
            }
            std::fill(bits.begin(), bits.end(), 0);
            for (Code label : row) bits[label >> 6] |= 1ULL << (label & 63);
            for (Code label : row) {
                uint64_t* of = held_.data() + label * words;
                for (size_t w = label >> 6; w < words; ++w) of[w] |= bits[w];
            }
        }
        for (size_t at = 0; at < n; ++at)
            for (Code upper : above_[labels[at]])
                if (Code other = place_[upper]; other >= 0) {
                    size_t low = std::min(at, static_cast<size_t>(other)), high = std::max(at, static_cast<size_t>(other));
                    held_[low * words + (high >> 6)] &= ~(1ULL << (high & 63));
                }
        int64_t all = 0;
        for (size_t at = 0; at < n; ++at) {
            const uint64_t* of = held_.data() + at * words;
            int64_t follow = 0;
            for (size_t w = at >> 6; w < words; ++w) {
                uint64_t later = of[w];
                if (w == at >> 6) later &= (~1ULL) << (at & 63);  // only labels after this one
                follow += ones(later);
            }
            all += follow;
            found_.of_size += follow + (follow > 0);
        }
        found_.up_to_size += all;
        for (Code label : labels) place_[label] = -1;
        return all > 0;
    }

    static int64_t ones(uint64_t x) {
        x -= x >> 1 & 0x5555555555555555ULL;
        x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL);
        return static_cast<int64_t>(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56);
    }

    Tree tree_;
    int size_;
    std::atomic<bool> cancelled_{false};
    Pulse pulse_;
    double share_ = 0;
    std::vector<Code> node_of_;  // by rank
    std::vector<Labels> above_, below_;  // by rank
    std::vector<uint8_t> marked_;  // by rank, 0 between two uses
    Rows rows_;
    std::vector<Code> place_;  // by rank, -1 between two uses
    std::vector<uint64_t> held_;
    TreeSize found_;
};

}  // namespace shoal
