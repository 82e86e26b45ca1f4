// A hierarchy with costs, and a cut of it that is raised.
#pragma once

#include "core/rows.hpp"

namespace shoal {

using Set = std::vector<Code>;  // of nodes, ascending

struct Tree {
    const Code* parent;  // of each node; -1 for the root, which is the last; always above the node's own id
    const Code* span;  // 2 * node: first leaf, one past the last
    const int64_t* cost;
    Code nodes;
    Code leaves;

    Code root() const { return nodes - 1; }
    Code first(Code u) const { return span[2 * int64_t{u}]; }
    Code stop(Code u) const { return span[2 * int64_t{u} + 1]; }
    int64_t size(Code u) const { return stop(u) - first(u); }
    bool covers(Code upper, Code lower) const {
        return upper >= lower && first(upper) <= first(lower) && stop(lower) <= stop(upper);
    }
    bool related(Code a, Code b) const { return covers(a, b) || covers(b, a); }

    // For each node, whether it is marked or below a marked one.
    std::vector<uint8_t> at_or_below(std::vector<uint8_t> marked) const {
        for (Code u = root(); u-- > 0;) marked[u] |= marked[parent[u]];
        return marked;
    }

    // The nodes without those below others, ascending.
    std::vector<Code> maximal(std::vector<Code> nodes) const {
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        std::vector<Code> top;
        for (size_t i = 0; i < nodes.size(); ++i) {
            bool covered = false;
            for (size_t j = i + 1; j < nodes.size() && !covered; ++j) covered = covers(nodes[j], nodes[i]);
            if (!covered) top.push_back(nodes[i]);
        }
        return top;
    }
};

// The cut starts at the leaves; raise() moves it up.
class Cut {
public:
    explicit Cut(Tree tree) : tree(tree), below_(tree.nodes, 0), in_(tree.nodes, 0), under_(tree.nodes, 0) {
        for (Code leaf = 0; leaf < tree.leaves; ++leaf) {
            under_[leaf] = tree.cost[leaf];
            in_[leaf] = 1;
        }
        for (Code u = 0; u < tree.root(); ++u) under_[tree.parent[u]] += under_[u];
    }

    const Tree tree;

    bool below(Code u) const { return below_[u]; }  // strictly below the cut
    bool in(Code u) const { return in_[u]; }
    Code node_of(Code u) const {  // the node of the cut at or above u
        while (below_[u]) u = tree.parent[u];
        return u;
    }
    int64_t price(Code u) const { return tree.cost[u] - under_[u]; }  // what raising the cut to u would add to the loss

    // Raises the cut to u; lowered(v) is called for every node that is now below the cut.
    template <class Lowered>
    void raise(Code u, Lowered lowered) {
        if (below_[u]) return;
        int64_t change = price(u);
        for (Code v = u;; v = tree.parent[v]) {
            under_[v] += change;
            if (v == tree.root()) break;
        }
        auto lower = [&](Code v) {
            in_[v] = 0;
            if (!below_[v]) lowered(v);
            below_[v] = 1;
        };
        in_[u] = 1;
        if (u < tree.leaves) return;
        for (Code leaf = tree.first(u); leaf < tree.stop(u); ++leaf) lower(leaf);
        // Post-order ids put the internal nodes of a subtree right before its top.
        for (Code v = u - 1; v >= tree.leaves && tree.covers(u, v); --v) lower(v);
    }

    // The nodes of the cut that are not leaves, ascending.
    std::vector<Code> raised() const {
        std::vector<Code> nodes;
        for (Code u = tree.leaves; u < tree.nodes; ++u)
            if (in_[u]) nodes.push_back(u);
        return nodes;
    }

private:
    std::vector<uint8_t> below_;
    std::vector<uint8_t> in_;  // in the cut
    std::vector<int64_t> under_;  // cost of the cut's nodes below each node; of the node itself, if it is in or below the cut
};

}  // namespace shoal
