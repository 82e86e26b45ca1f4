// The cheapest ways to raise a set of labels, and the one that gives it a support of k (Terrovitis et al. 2008, Alg. 3, line
// 8).
#pragma once

#include <queue>
#include <set>

#include "search/cut.hpp"

namespace shoal {

// The ways to raise a set of labels, cheapest first. Loss never falls on the way up, so the first way that suffices is the
// best, and minimal: in a tie, fewer leaves and lower ids (below in a chain) come first.
class Ways {
public:
    struct Way {
        int64_t cost;
        int64_t leaves;
        std::vector<Code> commits;  // the raised nodes, ascending, none above another
        std::vector<Code> target;  // target of each label
        bool operator>(const Way& other) const {
            if (cost != other.cost) return cost > other.cost;
            if (leaves != other.leaves) return leaves > other.leaves;
            if (commits != other.commits) return commits > other.commits;
            return target > other.target;
        }
    };

    Ways(const Cut& cut, std::vector<Code> labels) : cut_(cut), tree_(cut.tree), labels_(std::move(labels)) {}

    void consider(std::vector<Code> target) {
        for (Code& u : target)  // labels that another target covers go to that target: the same is published
            for (Code v : target)
                if (tree_.covers(v, u)) u = v;
        if (!seen_.insert(target).second) return;
        Way way{0, 0, {}, std::move(target)};
        for (size_t i = 0; i < labels_.size(); ++i)
            if (way.target[i] != labels_[i]) way.commits.push_back(way.target[i]);
        way.commits = tree_.maximal(way.commits);
        for (Code u : way.commits) {
            way.cost += cut_.price(u);
            way.leaves += tree_.size(u);
        }
        open_.push(std::move(way));
    }

    // Adds the ways that raise one label by one more step, to nodes up to `top`.
    void consider_above(const Way& way, Code top) {
        for (size_t i = 0; i < way.target.size(); ++i) {
            if (way.target[i] == tree_.root() || tree_.parent[way.target[i]] > top) continue;
            auto target = way.target;
            target[i] = tree_.parent[target[i]];
            consider(std::move(target));
        }
    }

    bool empty() const { return open_.empty(); }
    Way next() {
        Way best = open_.top();
        open_.pop();
        return best;
    }
    const std::vector<Code>& labels() const { return labels_; }

private:
    const Cut& cut_;
    const Tree& tree_;
    std::vector<Code> labels_;
    std::priority_queue<Way, std::vector<Way>, std::greater<Way>> open_;
    std::set<std::vector<Code>> seen_;
};

// Finds the cheapest way by best-first search. Support(nodes) is the number of rows that hold all of them, exact below k. If
// bounded, the root is no target.
template <class Support>
class CheapestRaise {
public:
    CheapestRaise(const Cut& cut, std::vector<Code> labels, int64_t k, bool bounded, Support support)
        : tree_(cut.tree), ways_(cut, std::move(labels)), k_(k), bounded_(bounded), support_(support) {}

    // Returns the nodes to raise the cut to; none if only the root would suffice and is not allowed. beat() is called for
    // every way examined.
    template <class Beat>
    std::vector<Code> find(Beat beat) {
        auto lowest = lowest_targets();
        if (bounded_ && lowest.front() == tree_.root()) return {};
        for (ways_.consider(std::move(lowest)); !ways_.empty();) {
            beat();
            Ways::Way best = ways_.next();
            if (suffices(best.target)) return best.commits;
            ways_.consider_above(best, bounded_ ? tree_.root() - 1 : tree_.root());
        }
        throw std::logic_error("no way to lift a set to k: fewer than k rows");
    }

private:
    bool suffices(const std::vector<Code>& target) const { return support_(tree_.maximal(target)) >= k_; }

    // The lowest targets that any sufficient way must reach. Support only grows on the way up, so each label alone has to
    // rise until there are k rows with all other labels at their highest. Root: nothing below it suffices.
    std::vector<Code> lowest_targets() const {
        const std::vector<Code>& labels = ways_.labels();
        std::vector<Code> top(labels);
        for (Code& u : top)
            while (tree_.parent[u] != tree_.root()) u = tree_.parent[u];
        if (!suffices(top)) return std::vector<Code>(labels.size(), tree_.root());
        std::vector<Code> lowest(labels);
        for (size_t i = 0; i < labels.size(); ++i) {
            auto target = top;
            for (target[i] = labels[i]; !suffices(target);) target[i] = tree_.parent[target[i]];
            lowest[i] = target[i];
        }
        return lowest;
    }

    const Tree& tree_;
    Ways ways_;
    int64_t k_;
    bool bounded_;
    Support support_;
};

}  // namespace shoal
