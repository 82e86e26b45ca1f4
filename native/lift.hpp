// The cheapest way to lift a set of labels to a support of k by raising them (P0 Alg. 3, line 8).
#pragma once

#include <queue>
#include <set>

#include "cut.hpp"

namespace shoal {

// Finds it by best-first search. Loss never falls on the way up, so the first way that suffices is the best, and minimal: in
// a tie fewer leaves and lower ids (below in a chain) come first. Support(nodes) is the number of rows that hold all of them,
// exact below k.
template <class Support>
class Lift {
public:
    Lift(const Cut& cut, std::vector<Code> labels, int64_t k, Support support)
        : cut_(cut), tree_(cut.tree), labels_(std::move(labels)), k_(k), support_(support) {}

    // The nodes to raise the cut to. beat() is called for every way that is looked at.
    template <class Beat>
    std::vector<Code> find(Beat beat) {
        consider(lowest_targets());
        while (!open_.empty()) {
            beat();
            Way best = open_.top();
            open_.pop();
            if (suffices(best.target)) return best.commits;
            for (size_t i = 0; i < best.target.size(); ++i) {
                if (best.target[i] == tree_.root()) continue;
                auto target = best.target;
                target[i] = tree_.parent[target[i]];
                consider(std::move(target));
            }
        }
        throw std::logic_error("no way to lift a set to k: fewer than k rows");
    }

private:
    struct Way {
        int64_t cost;
        int64_t leaves;
        std::vector<Code> commits;  // the raised nodes, ascending, none above another
        std::vector<Code> target;   // where each label ends up
        bool operator>(const Way& other) const {
            if (cost != other.cost) return cost > other.cost;
            if (leaves != other.leaves) return leaves > other.leaves;
            if (commits != other.commits) return commits > other.commits;
            return target > other.target;
        }
    };

    bool suffices(const std::vector<Code>& target) const { return support_(tree_.maximal(target)) >= k_; }

    // The lowest targets that any sufficient way must reach: support only grows on the way up, so each label alone has to
    // rise until there are k rows with all other labels at their highest. Root: nothing below it suffices.
    std::vector<Code> lowest_targets() const {
        std::vector<Code> top(labels_);
        for (Code& u : top)
            while (tree_.parent[u] != tree_.root()) u = tree_.parent[u];
        if (!suffices(top)) return std::vector<Code>(labels_.size(), tree_.root());
        std::vector<Code> lowest(labels_);
        for (size_t i = 0; i < labels_.size(); ++i) {
            auto target = top;
            for (target[i] = labels_[i]; !suffices(target);) target[i] = tree_.parent[target[i]];
            lowest[i] = target[i];
        }
        return lowest;
    }

    void consider(std::vector<Code> target) {
        for (Code& u : target)  // labels that another target covers stand where it stands: the same is published
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

    const Cut& cut_;
    const Tree& tree_;
    std::vector<Code> labels_;
    int64_t k_;
    Support support_;
    std::priority_queue<Way, std::vector<Way>, std::greater<Way>> open_;
    std::set<std::vector<Code>> seen_;
};

}  // namespace shoal
