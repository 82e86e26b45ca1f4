// Conflicts: constraints of k^m-anonymity if labels may be generalized and suppressed.
//
// A set of labels that 1..k-1 rows hold must not be published. Let {u1..uj} be its most general form that is still rare. If
// the parents of all of them are expanded, each row that holds them must lose, for some i, all its items below ui. Otherwise
// it would show j labels at or below u1..uj, which occur together and are rare. So a conflict is a set of parents and, for
// one such row, its items below u1, below u2, and so on: not all parents are expanded, or all items of one of these groups
// are suppressed.
//
// Cost: that of counting the label sets at a cut (sets.hpp), plus lifting, plus reading the few rows of each rare set.
#pragma once

#include <unordered_set>

#include "core/parallel.hpp"
#include "search/cuts/threats.hpp"

namespace shoal {

struct Conflict {
    Set parents;  // ascending, none above another
    std::vector<Set> groups;  // of leaves, ascending
    bool operator<(const Conflict& other) const {
        return parents != other.parents ? parents < other.parents : groups < other.groups;
    }
    bool operator==(const Conflict& other) const { return parents == other.parents && groups == other.groups; }
};

class Conflicts : Threats {
public:
    using Threats::Threats;

    // Returns the conflicts that a cut with some suppressed leaves violates; none if all sets of up to `last` labels are
    // safe. Nothing below the nodes of the cut that are not leaves may be suppressed. Larger sets are searched only while few
    // were found.
    std::vector<Conflict> at(const Set& raised, const Set& suppressed, int64_t last, const Tick& tick) const {
        std::vector<Code> label_of = labels(raised);
        for (Code leaf : suppressed) label_of[leaf] = tree_.root();  // rows at a cut do not contain the root
        Rows published;
        for (int64_t r = 0; r < holders_.rows.size(); ++r) generalize(r, label_of, published);
        Rows rows = distinct(published);
        last = std::min<int64_t>(last, longest_);
        std::vector<Set> sets;
        for (int size = 1; size <= outright(last); ++size) {
            if (size == FEW + 1 && (!sets.empty() || !any_rare(rows, tick))) return conflicts(sets, tick);
            for (Set& set : all_rare(rows, size, tick)) sets.push_back(std::move(set));
            if (sets.size() >= ENOUGH) break;
        }
        if (sets.empty() && last > outright(last)) {
            sets = thinned(rows, last, tick);
            for (int size = SOME + 1; size <= last && sets.empty() && last < longest_; ++size) sets = all_rare(rows, size, tick);
        }
        return conflicts(sets, tick);
    }

private:
    static constexpr size_t ENOUGH = 256, BATCH = 256, LARGEST_BATCH = 4096;

    // All minimal rare sets of this size.
    std::vector<Set> all_rare(const Rows& rows, int size, const Tick& tick) const {
        std::vector<std::vector<Set>> found(worker_count(threads_, tree_.nodes));
        count_rare(rows, size, static_cast<int>(found.size()), tick, [&](int w, Set set, int64_t) {
            for (size_t at = 0; at < set.size() && set.size() > 1; ++at) {
                Set part(set);
                part.erase(part.begin() + static_cast<std::ptrdiff_t>(at));
                if (holders_.rare(part)) return;
            }
            found[w].push_back(std::move(set));
        });
        for (size_t w = 1; w < found.size(); ++w) std::move(found[w].begin(), found[w].end(), std::back_inserter(found[0]));
        return std::move(found[0]);
    }

    // The conflicts of rare sets, those near the root first, in growing batches. A set whose nodes are below those of an
    // earlier conflict is skipped. If that conflict is resolved by suppression, the set will be found again.
    std::vector<Conflict> conflicts(const std::vector<Set>& sets, const Tick& tick) const {
        std::vector<std::pair<int64_t, Set>> queue;
        for (const Set& set : sets) queue.emplace_back(depth(set), set);
        std::sort(queue.begin(), queue.end());
        Dominance known(tree_);
        std::unordered_set<Set, SetHash> all;
        size_t batch = BATCH;
        for (size_t from = 0; from < queue.size(); from += batch, batch = std::min<size_t>(2 * batch, LARGEST_BATCH)) {
            std::vector<const Set*> open;
            for (size_t i = from; i < std::min(queue.size(), from + batch); ++i)
                if (!known.superfluous(parents(queue[i].second))) open.push_back(&queue[i].second);
            auto tasks = static_cast<int64_t>(open.size());
            int threads = worker_count(threads_, tasks);
            std::vector<std::unordered_map<Set, bool, SetHash>> memo(threads);
            std::vector<std::vector<Set>> lifted(open.size());
            parallel(tasks, threads, tick, [&](int w, int64_t i, Pulse& pulse) {
                pulse.beat(static_cast<double>(from) / static_cast<double>(queue.size()));
                for (size_t turn = 0; turn < open[i]->size(); ++turn) {
                    lifted[i].push_back(lift(*open[i], turn, memo[w]));
                    std::sort(lifted[i].back().begin(), lifted[i].back().end());
                }
            });
            for (auto& some : lifted)
                for (Set& labels : some) {
                    known.add(parents(labels));
                    all.insert(std::move(labels));
                }
        }
        std::vector<Conflict> found;
        for (const Set& labels : all)
            for (int32_t row : holders_.holding(labels)) found.push_back({parents(labels), groups(labels, row)});
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    // The items of a row below each label.
    std::vector<Set> groups(const Set& labels, int32_t row) const {
        std::vector<Set> found;
        const Code* begin = holders_.rows.begin(row);
        const Code* end = holders_.rows.end(row);
        for (Code u : labels)
            found.emplace_back(std::lower_bound(begin, end, tree_.first(u)), std::lower_bound(begin, end, tree_.stop(u)));
        std::sort(found.begin(), found.end());
        return found;
    }
};

}  // namespace shoal
