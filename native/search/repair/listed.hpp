// A criterion for Repair and BreachLister whose violations were all listed beforehand, at every level of the hierarchy
// (node_sets.hpp). It needs no rows: a combination is fine if it is not in the list.
//
// Time: a round looks at every listed combination. Memory: 8 bytes for each, 16 if some have absent labels, and some 150 for each
// whose labels are all in the cut of a round.
#pragma once

#include <array>

#include "search/repair/combination_key.hpp"
#include "search/repair/repair.hpp"

namespace shoal {

class Listed {
public:
    // The violations among rows, or among persons.
    struct Unit {
        std::vector<int64_t> support;  // of each node
        std::vector<int64_t> keys;  // ascending
        std::vector<int64_t> counts;  // of each combination: units that have all its nodes; only needed for absent labels
    };

    Listed(const Tree& tree, std::vector<Unit> units) : tree_(tree), units_(std::move(units)) {
        for (const Unit& unit : units_) {
            if (static_cast<Code>(unit.support.size()) != tree.nodes)
                throw std::invalid_argument("a support for each node is wanted");
            if (!unit.counts.empty() && unit.counts.size() != unit.keys.size()) throw std::invalid_argument("the lists differ");
            if (!std::is_sorted(unit.keys.begin(), unit.keys.end())) throw std::invalid_argument("the list must be sorted");
        }
    }

    bool fine(const std::vector<Code>& target, size_t present) const {
        auto border = target.begin() + static_cast<int64_t>(present);
        Set labels = tree_.maximal({target.begin(), border});
        for (Code u : tree_.maximal({border, target.end()})) labels.push_back(~u);
        int64_t key = key_of(labels);
        return std::none_of(units_.begin(), units_.end(), [&](const Unit& unit) { return holds(unit, key); });
    }

    // Whether every cut that has these nodes, or specialises them, contains a violation: the set is one, and whichever node is
    // specialised, the same is true for the set with some child instead. (A cut below the node is at or below each child.)
    bool closed(const Set& nodes) const {
        int64_t key = key_of(nodes);
        return std::any_of(closed_.begin(), closed_.end(),
                           [&](const auto& keys) { return std::binary_search(keys.begin(), keys.end(), key); });
    }

    // Finds the closed sets of every unit. Children have lower numbers than their parents, so the sums of the numbers order the
    // sets.
    void find_closed(const Tick& tick) {
        Interrupts interrupts(tick);
        std::vector<std::vector<Code>> children(tree_.nodes);
        for (Code u = 0; u < tree_.root(); ++u) children[tree_.parent[u]].push_back(u);
        for (const Unit& unit : units_) {
            std::vector<std::pair<int64_t, int64_t>> by_sum;
            Set labels;
            for (int64_t key : unit.keys) {
                labels_of(key, labels);
                if (std::all_of(labels.begin(), labels.end(), [](Code u) { return u >= 0; }))
                    by_sum.emplace_back(std::accumulate(labels.begin(), labels.end(), int64_t{0}), key);
            }
            std::sort(by_sum.begin(), by_sum.end());
            std::vector<uint8_t> is_closed(unit.keys.size(), 0);
            for (auto [sum, key] : by_sum) {
                interrupts.pulse.beat(0.0);
                labels_of(key, labels);
                auto some_child = [&](Code& label) {
                    Code whole = label;
                    bool found = children[whole].empty();
                    for (Code child : children[whole]) {
                        label = child;
                        auto at = place(unit, key_of(labels));
                        found |= at >= 0 && is_closed[at];
                    }
                    label = whole;
                    return found;
                };
                is_closed[place(unit, key)] = std::all_of(labels.begin(), labels.end(), some_child);
            }
            closed_.emplace_back();
            for (size_t i = 0; i < unit.keys.size(); ++i)
                if (is_closed[i]) closed_.back().push_back(unit.keys[i]);
        }
    }

    void search(Round& round) const {
        for (const Unit& unit : units_) search(unit, round);
    }

private:
    // One step of the walk: sets of absent labels come before extensions by a present label, then by falling count (absent
    // ones), then by rank.
    using Step = std::array<int64_t, 3>;
    struct Standing {
        std::vector<Step> steps;
        Combination labels;
    };

    static int64_t place(const Unit& unit, int64_t key) {
        auto at = std::lower_bound(unit.keys.begin(), unit.keys.end(), key);
        return at != unit.keys.end() && *at == key ? at - unit.keys.begin() : -1;
    }
    static bool holds(const Unit& unit, int64_t key) { return place(unit, key) >= 0; }

    // Lists the violations whose labels are all in the cut, in preorder of the count-tree. A violation is not extended.
    void search(const Unit& unit, Round& round) const {
        Interrupts interrupts(round.tick);
        std::vector<Code> order, rank(tree_.nodes, -1);
        for (Code u = 0; u < tree_.nodes; ++u)
            if (round.cut.in(u) && unit.support[u]) order.push_back(u);
        std::stable_sort(order.begin(), order.end(), [&](Code a, Code b) { return unit.support[a] > unit.support[b]; });
        for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<Code>(i);

        std::vector<Standing> standing;
        Set labels;
        for (size_t i = 0; i < unit.keys.size(); ++i) {
            interrupts.pulse.beat(0.0);
            labels_of(unit.keys[i], labels);
            bool stands = static_cast<int>(labels.size()) <= round.size;
            for (Code u : labels) stands = stands && rank[u < 0 ? ~u : u] >= 0;
            if (stands) standing.push_back(steps_of(unit, labels, rank, unit.counts.empty() ? 0 : unit.counts[i]));
        }
        std::sort(standing.begin(), standing.end(), [](const Standing& a, const Standing& b) { return a.steps < b.steps; });

        auto before = round.found.size();
        round.found.resize(before + order.size() + 1);  // first those without any present label
        auto limit = 1 + round.most / std::max<int64_t>(static_cast<int64_t>(order.size()), 1);
        for (size_t i = before; i < round.found.size(); ++i) round.found[i].limit = limit;
        const Standing* last = nullptr;  // not extended
        for (const Standing& one : standing) {
            if (last && last->steps.size() < one.steps.size() &&
                std::equal(last->steps.begin(), last->steps.end(), one.steps.begin()))
                continue;
            last = &one;
            auto [present, count, first] = one.steps[0];
            Breaches& breaches = round.found[before + (present ? first + 1 : 0)];
            if (breaches.full) continue;
            ++round.counted;
            if (!round.hopeless.count(one.labels)) breaches.add(one.labels);
        }
        for (size_t i = 0; i < order.size(); ++i)
            if (round.found[before + i + 1].full) round.unfinished.push_back(order[i]);
        if (round.found[before].full) round.unfinished = std::move(order);
    }

    // Present labels first, by rank; then absent ones, by falling count in the rows that are left. With absent labels, there
    // are at most two in all, and `both` is the count of their nodes together.
    static Standing steps_of(const Unit& unit, Set labels, const std::vector<Code>& rank, int64_t both) {
        auto node = [](Code label) { return label < 0 ? ~label : label; };
        std::sort(labels.begin(), labels.end(),
                  [&](Code a, Code b) { return (a < 0) != (b < 0) ? b < 0 : rank[node(a)] < rank[node(b)]; });
        Standing out{{}, labels};
        for (Code u : labels) {
            bool absent = u < 0, first = out.steps.empty(), after_absent = !first && !out.steps.back()[0];
            int64_t count = !absent ? 0 : first ? unit.support[~u] : after_absent ? unit.support[~u] - both : both;
            out.steps.push_back({!absent, -count, rank[node(u)]});
        }
        return out;
    }

    Tree tree_;
    std::vector<Unit> units_;
    std::vector<std::vector<int64_t>> closed_;  // by unit: keys of closed sets, ascending
};

}  // namespace shoal
