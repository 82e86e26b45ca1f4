// The support of each of some given sets, part by part. The sets are kept in a prefix tree, with the rarest label first, so that
// few rows go far down. The tree does not change while rows are counted, so threads may share it.
#pragma once

#include "core/rows.hpp"

namespace shoal {

class SetSupports {
public:
    // rank: the place of each label in the tree, a permutation; the rarest first is fastest.
    SetSupports(const RowsView& sets, std::vector<Code> rank) : rank_(std::move(rank)), used_(rank_.size(), 0) {
        auto labels = static_cast<Code>(rank_.size());
        for (Code r : rank_)
            if (r < 0 || r >= labels) throw std::invalid_argument("a rank is out of range");
        std::vector<int64_t> start{0};
        std::vector<Code> ranks;
        ranks.reserve(sets.indptr[sets.rows]);
        for (int64_t s = 0; s < sets.rows; ++s) {
            for (const Code* label = sets.begin(s); label != sets.end(s); ++label) {
                if (*label < 0 || *label >= labels) throw std::invalid_argument("a label is unknown");
                used_[*label] = 1;
                ranks.push_back(rank_[*label]);
            }
            std::sort(ranks.begin() + start.back(), ranks.end());
            start.push_back(static_cast<int64_t>(ranks.size()));
        }
        build(start, ranks);
    }

    // Returns for each set the number of persons who have a row with it. Rows of one person must be consecutive.
    std::vector<int64_t> count(const RowsView& rows) const {
        Walk walk{std::vector<int64_t>(label_.size(), 0), {}, {}, NOBODY};
        if (rows.persons) walk.last.assign(label_.size(), NOBODY);
        for (int64_t r = 0; r < rows.rows; ++r) {
            walk.row.clear();
            for (const Code* label = rows.begin(r); label != rows.end(r); ++label) {
                if (*label < 0 || *label >= static_cast<Code>(rank_.size())) throw std::invalid_argument("a label is unknown");
                if (used_[*label]) walk.row.push_back(rank_[*label]);
            }
            std::sort(walk.row.begin(), walk.row.end());
            walk.person = rows.person(r);
            meet(walk, 0, 0);
        }
        std::vector<int64_t> out(node_of_.size());
        for (size_t s = 0; s < out.size(); ++s) out[s] = walk.count[node_of_[s]];
        return out;
    }

private:
    struct Walk {
        std::vector<int64_t> count;
        std::vector<Code> last;  // by node: the person counted last
        std::vector<Code> row;
        Code person;
    };

    // Builds the tree level by level, so that the children of a node are consecutive and sorted by label.
    void build(const std::vector<int64_t>& start, const std::vector<Code>& ranks) {
        auto sets = static_cast<int64_t>(start.size()) - 1;
        std::vector<int64_t> order(sets);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            return std::lexicographical_compare(ranks.begin() + start[a], ranks.begin() + start[a + 1], ranks.begin() + start[b],
                                                ranks.begin() + start[b + 1]);
        });
        node_of_.assign(sets, 0);
        label_.push_back(-1);
        struct Range {
            int64_t from, to;
            size_t node;
        };
        std::vector<Range> level{{0, sets, 0}}, next;
        first_.push_back(1);
        for (int64_t depth = 0; !level.empty(); ++depth, level.swap(next), next.clear())
            for (const Range& range : level) {
                int64_t at = range.from;
                for (; at < range.to && start[order[at] + 1] - start[order[at]] == depth; ++at)
                    node_of_[order[at]] = static_cast<int64_t>(range.node);
                first_[range.node] = static_cast<int64_t>(label_.size());
                while (at < range.to) {
                    Code label = ranks[start[order[at]] + depth];
                    int64_t from = at;
                    while (at < range.to && ranks[start[order[at]] + depth] == label) ++at;
                    next.push_back({from, at, label_.size()});
                    label_.push_back(label);
                    first_.push_back(0);
                }
            }
        first_.push_back(static_cast<int64_t>(label_.size()));
        child_of_.assign(rank_.size(), 0);
        for (int64_t child = first_[0]; child < first_[1]; ++child) child_of_[label_[child]] = child;
    }

    // Counts the row at a node, and goes on with the labels of the row from `from` on.
    void meet(Walk& walk, int64_t node, size_t from) const {
        if (walk.last.empty() || walk.person == NOBODY) ++walk.count[node];
        else if (walk.last[node] != walk.person) {
            walk.last[node] = walk.person;
            ++walk.count[node];
        }
        int64_t child = first_[node], end = first_[node + 1];
        if (child == end) return;
        const std::vector<Code>& row = walk.row;
        if (!node) {
            for (size_t at = from; at < row.size(); ++at)
                if (child_of_[row[at]]) meet(walk, child_of_[row[at]], at + 1);
        } else if (static_cast<size_t>(end - child) < row.size() - from) {
            for (auto at = row.begin() + static_cast<int64_t>(from); child < end && at != row.end(); ++child) {
                at = std::lower_bound(at, row.end(), label_[child]);
                if (at != row.end() && *at == label_[child]) meet(walk, child, static_cast<size_t>(at - row.begin()) + 1);
            }
        } else {
            const Code* labels = label_.data();
            for (size_t at = from; at < row.size() && child < end; ++at) {
                child = std::lower_bound(labels + child, labels + end, row[at]) - labels;
                if (child < end && label_[child] == row[at]) meet(walk, child, at + 1);
            }
        }
    }

    std::vector<Code> rank_;
    std::vector<uint8_t> used_;  // by label: whether it is in some set
    std::vector<Code> label_;  // by node: the rank of its label; node 0 is the empty set
    std::vector<int64_t> first_;  // by node: its first child; the children end where those of the next node begin
    std::vector<int64_t> child_of_;  // by rank: the child of node 0, or 0
    std::vector<int64_t> node_of_;  // by set
};

}  // namespace shoal
