// Finds redundant threats: T makes T' redundant if each node of T is at or above a node of T'.
#pragma once

#include "search/cut.hpp"

namespace shoal {

class Dominance {
public:
    explicit Dominance(const Tree& tree) : tree_(tree), depth_(tree.nodes, 0), by_node_(tree.nodes) {
        for (Code u = tree.root(); u-- > 0;) depth_[u] = depth_[tree.parent[u]] + 1;
    }

    bool superfluous(const Set& set) const {
        for (Code u : set)
            for (;; u = tree_.parent[u]) {
                for (int32_t other : by_node_[u])
                    if (above(kept_[other], set)) return true;
                if (u == tree_.root()) break;
            }
        return false;
    }

    // Keeps a set unless it is redundant. Sets that it makes redundant are not removed.
    void add(Set set) {
        if (superfluous(set)) return;
        Code deepest = *std::max_element(set.begin(), set.end(), [&](Code a, Code b) { return depth_[a] < depth_[b]; });
        by_node_[deepest].push_back(static_cast<int32_t>(kept_.size()));
        kept_.push_back(std::move(set));
    }

    // The sets that no other makes redundant, in order.
    std::vector<Set> minimal(std::vector<Set> sets) {
        sort(sets);
        for (auto& set : sets) add(std::move(set));
        return kept_;
    }

    // Small sets first, then those near the root, then ascending. In this order no set is made redundant by a later one.
    void sort(std::vector<Set>& sets) const {
        auto height = [&](const Set& set) {
            int64_t sum = 0;
            for (Code u : set) sum += depth_[u];
            return sum;
        };
        std::sort(sets.begin(), sets.end(), [&](const Set& a, const Set& b) {
            if (a.size() != b.size()) return a.size() < b.size();
            int64_t of_a = height(a), of_b = height(b);
            return of_a != of_b ? of_a < of_b : a < b;
        });
    }

    const std::vector<Set>& kept() const { return kept_; }

private:
    bool above(const Set& general, const Set& special) const {
        for (Code p : general) {
            bool covers = false;
            for (size_t i = 0; i < special.size() && !covers; ++i) covers = tree_.covers(p, special[i]);
            if (!covers) return false;
        }
        return true;
    }

    const Tree& tree_;
    std::vector<int> depth_;
    std::vector<Set> kept_;
    std::vector<std::vector<int32_t>> by_node_;  // kept sets, each listed under one node
};

}  // namespace shoal
