// Lists the violations at a cut as constraints on every cut, for the exact search under criteria that are not monotone.
//
// In general, a violating combination excludes only the cuts that have all its labels. A set of present labels may exclude
// more. It is closed if, whatever its labels are specialised to, some set that occurs is also a violation. Then no safe cut
// expands all parents of its labels: a threat, as for k^m. Closed sets are raised as long as they stay closed.
//
// Cost: that of listing the violations, and for each a few intersections of row lists. Memory: the expanded rows and the
// violations.
#pragma once

#include <map>

#include "core/parallel.hpp"
#include "search/repair/repair_diversity.hpp"
#include "search/repair/repair_negative.hpp"

namespace shoal {

template <class Criterion>
class BreachLister {
public:
    struct Found {
        std::set<Set> threats;  // internal nodes that must not all be expanded
        std::set<Set> together;  // labels that must not all be in a cut
    };

    // Owns copies of all data, because it outlives the call that created it.
    template <class Make>
    BreachLister(std::vector<Code> parent, std::vector<Code> span, Code leaves, Make make)
        : parent_(std::move(parent)), span_(std::move(span)), cost_(parent_.size(), 0),
          tree_{parent_.data(), span_.data(), cost_.data(), static_cast<Code>(parent_.size()), leaves}, criterion_(make(tree_)) {}
    BreachLister(const BreachLister&) = delete;
    BreachLister& operator=(const BreachLister&) = delete;

    // Considers combinations of at most `size` labels of the cut; about `most` of them, if there are more.
    Found at(const std::vector<Code>& raised, int size, int64_t most, int threads, const Tick& tick) {
        Cut cut(tree_);
        for (Code u : raised) cut.raise(u, [](Code) {});
        std::vector<uint8_t> fresh(tree_.nodes, 1);
        std::set<Combination> hopeless;
        Round round{cut, fresh, hopeless, size, most, threads, tick, {}, {}, 0};
        criterion_.search(round);
        std::vector<Combination> breaches;
        for (const Breaches& some : round.found) {
            int64_t start = 0;
            for (int64_t end : some.ends) {
                breaches.emplace_back(some.labels.begin() + start, some.labels.begin() + end);
                start = end;
            }
        }
        auto tasks = static_cast<int64_t>(breaches.size());
        threads = worker_count(threads, tasks);
        std::vector<Found> found(threads);
        std::vector<Known> known(threads);
        parallel(tasks, threads, tick, [&](int worker, int64_t task, Pulse& pulse) {
            pulse.beat(static_cast<double>(task) / static_cast<double>(tasks));
            note(breaches[task], found[worker], known[worker]);
        });
        for (int worker = 1; worker < threads; ++worker) {
            found[0].threats.merge(found[worker].threats);
            found[0].together.merge(found[worker].together);
        }
        return std::move(found[0]);
    }

private:
    using Known = std::map<Set, bool>;  // which sets are closed: many violations are raised to the same ones

    bool closed(const Set& labels, Known& known) const {
        auto [at, fresh] = known.emplace(labels, false);
        if (fresh) at->second = criterion_.closed(labels);
        return at->second;
    }

    void note(const Combination& breach, Found& found, Known& known) const {
        Set labels;
        bool present = true;
        for (Code u : breach) {
            present &= u >= 0;
            labels.push_back(u < 0 ? ~u : u);
        }
        std::sort(labels.begin(), labels.end());
        if (!present || labels.back() == tree_.root() || !closed(labels, known)) {
            found.together.insert(labels);
            return;
        }
        for (size_t i = 0; i < labels.size();) {
            auto above = labels;
            above[i] = tree_.parent[labels[i]];
            bool allowed = above[i] != tree_.root();
            above = tree_.maximal(above);
            if (allowed && closed(above, known)) {
                labels = above;
                i = 0;
            } else {
                ++i;
            }
        }
        Set parents;
        for (Code u : labels) parents.push_back(tree_.parent[u]);
        std::sort(parents.begin(), parents.end());
        parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
        found.threats.insert(parents);
    }

    std::vector<Code> parent_, span_;
    std::vector<int64_t> cost_;
    Tree tree_;
    Criterion criterion_;
};

}  // namespace shoal
