// Threats: sets of nodes that no k^m-anonymous cut expands together.
//
// A set of labels that 1..k-1 persons have in a row stays rare when its labels are specialised: some descendants occur
// together, in rows of no more persons. So no anonymous cut lies at or below all of them: their parents are not all expanded.
// A threat contains only parents. The most general labels that are still rare together give the strongest threat.
//
// All threats from one or two labels are found at once. Larger ones are found lazily, if a given cut violates them.
//
// Time: small() counts all pairs of labels in the expanded rows. at() counts the label sets at the cut, and lifts those that
// no known threat explains. Memory: proportional to the expanded rows, and the pair table.
#pragma once

#include <unordered_map>

#include "core/parallel.hpp"
#include "search/cuts/minimal_pairs.hpp"
#include "search/cuts/pairs.hpp"
#include "search/cuts/sets.hpp"
#include "search/cuts/triple_table.hpp"

namespace shoal {

struct SetHash {
    size_t operator()(const Set& set) const {
        uint64_t hash = set.size();
        for (Code u : set) {
            hash = (hash ^ static_cast<uint64_t>(u)) * 0x9e3779b97f4a7c15ULL;
            hash ^= hash >> 29;
        }
        return hash;
    }
};

class Threats {
public:
    struct Rare {
        int64_t support;
        Set labels;
        bool operator<(const Rare& other) const {
            return support != other.support ? support < other.support : labels < other.labels;
        }
    };

    Threats(const RowsView& view, std::vector<Code> parent, std::vector<Code> span, Code leaves, int64_t k, int threads,
            const Tick& tick)
        : parent_(std::move(parent)), span_(std::move(span)),
          tree_{parent_.data(), span_.data(), nullptr, static_cast<Code>(parent_.size()), leaves}, k_(k), threads_(threads),
          holders_(view, tree_, k, tick) {
        for (int64_t r = 0; r < holders_.rows.size(); ++r) longest_ = std::max(longest_, holders_.rows.length(r));
    }
    Threats(const Threats&) = delete;

    // All minimal threats from rare sets of at most `size` labels, 1 or 2.
    std::vector<Set> small(int size, const Tick& tick) const {
        std::vector<uint8_t> closed(tree_.nodes, 0);  // cannot be expanded
        for (Code u = 0; u < tree_.root(); ++u)
            if (holders_.support(u) > 0 && holders_.support(u) < k_) closed[tree_.parent[u]] = 1;
        if (size > 1) close_rare_siblings(closed, tick);
        std::vector<Set> sets;
        for (Code u = tree_.leaves; u < tree_.nodes; ++u)
            if (closed[u]) sets.push_back({u});
        if (size < 2) return minimal(std::move(sets));
        auto dead = tree_.at_or_below(closed);
        std::vector<Code> open;  // the labels of cuts that expand no closed node
        for (Code u = 0; u < tree_.root(); ++u)
            if (holders_.support(u) > 0 && !dead[tree_.parent[u]]) open.push_back(u);
        PairTable table(holders_, tree_, open, k_, threads_, tick);
        auto liftable = [&](Code u, Code v) {  // whether u can be raised and stay rare with v
            Code up = tree_.parent[u];
            return up != tree_.root() && !tree_.related(up, v) && table.rare(up, v);
        };
        int threads = worker_count(threads_, static_cast<int64_t>(open.size()));
        std::vector<std::vector<std::pair<Code, Code>>> parents(threads);
        table.each(threads, tick, [&](int w, Code u, Code v) {
            if (!liftable(u, v) && !liftable(v, u)) parents[w].push_back(std::minmax(tree_.parent[u], tree_.parent[v]));
        });
        std::vector<std::pair<Code, Code>> all;
        for (auto& part : parents) all.insert(all.end(), part.begin(), part.end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        for (auto [p, q] : all) sets.push_back(tree_.covers(q, p) ? Set{p} : Set{p, q});
        return minimal(std::move(sets));
    }

    // Minimal threats that the cut violates: from its rare sets of the smallest size that has any; beyond outright(last),
    // from rare rows. The cut must have no rare sets below `first`. None: all sets of up to `last` labels are safe. Rare sets
    // that a known threat explains are not lifted. If there are any, the known threats that the cut violates are among those
    // returned.
    std::vector<Set> at(const Set& raised, int first, int64_t last, const std::vector<Set>& known, const Tick& tick) {
        Rows rows = distinct(generalized(raised));
        last = std::min<int64_t>(last, longest_);
        for (int size = first; size <= outright(last); ++size) {
            if (size == FEW + 1 && !any_rare(rows, tick)) return {};
            auto sets = rare_sets(rows, size, tick);
            if (!sets.empty()) return lifted(std::move(sets), known, tick);
        }
        if (last <= outright(last)) return {};
        auto sets = thinned(rows, last, tick);
        for (int size = SOME + 1; size <= last && sets.empty() && last < longest_; ++size) sets = rare_sets(rows, size, tick);
        return lifted(std::move(sets), known, tick);
    }

    // A minimal rare set of at most m labels, if the cut were expanded at a node of it; support 0 if there is none. The cut
    // itself must be safe. Up to outright(m) labels, it is the smallest set, then the rarest, then the one with the lowest
    // ids.
    Rare witness(const Set& raised, Code node, int64_t m, const Tick& tick) const {
        std::vector<Code> label_of = labels(raised);
        for (Code leaf = tree_.first(node); leaf < tree_.stop(node); ++leaf) {
            Code child = leaf;
            while (tree_.parent[child] != node) child = tree_.parent[child];
            label_of[leaf] = child;
        }
        Rows below;
        auto add = [&](int64_t r) { generalize(r, label_of, below); };
        if (node == tree_.root())
            for (int64_t r = 0; r < holders_.rows.size(); ++r) add(r);
        else
            for (const int32_t* r = holders_.begin(node); r != holders_.end(node); ++r) add(*r);
        Rows rows = distinct(below);
        std::vector<uint8_t> present(tree_.nodes, 0);
        for (Code u : rows.items) present[u] = 1;
        std::vector<Code> order, others;
        for (Code u = 0; u < tree_.nodes; ++u)
            if (present[u]) (tree_.parent[u] == node ? order : others).push_back(u);
        auto children = static_cast<int64_t>(order.size());
        order.insert(order.end(), others.begin(), others.end());
        SetCounter counter(rows, order, children, tree_.nodes, k_);
        m = std::min<int64_t>(m, longest_);
        for (int size = 1; size <= m; ++size) {
            if (size == FEW + 1 && !any_rare(rows, tick)) break;
            if (size == outright(m) + 1) {
                auto sets = thinned(rows, m, tick);
                std::sort(sets.begin(), sets.end(),
                          [](const Set& a, const Set& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
                if (!sets.empty()) return {holders_.support(sets[0]), sets[0]};
            }
            Rare best{0, {}};
            counter.run(size, 1, tick, [&](int, Set set, int64_t support) {
                Rare found{support, std::move(set)};
                if (!best.support || found < best) best = std::move(found);
            });
            if (best.support) return best;
        }
        return {0, {}};
    }

    double lifting_seconds() const { return lifting_seconds_; }

    std::vector<Set> minimal(std::vector<Set> sets) const { return minimal_threats(tree_, std::move(sets)); }

protected:
    // Sets of up to FEW labels are counted directly. So are sets of up to SOME labels, if a whole row is rare, which shows
    // that there is something to find; unless sets of all sizes must be safe. Larger sets come from thinned rows.
    static constexpr int FEW = 3, SOME = 6, SAMPLE = 1024;
    int64_t outright(int64_t largest) const { return std::min<int64_t>(largest, largest == longest_ ? FEW : SOME); }

    // The threat of a rare set: its parents, without those above others, which are expanded anyway.
    Set parents(const Set& labels) const {
        Set all, lowest;
        for (Code u : labels) all.push_back(tree_.parent[u]);
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        for (size_t i = 0; i < all.size(); ++i) {
            bool above = false;
            for (size_t j = 0; j < i && !above; ++j) above = tree_.covers(all[i], all[j]);
            if (!above) lowest.push_back(all[i]);
        }
        return lowest;
    }

    // Nodes with two children that are rare together cannot be expanded. Finding them is optional, but saves much of the pair
    // table.
    void close_rare_siblings(std::vector<uint8_t>& closed, const Tick& tick) const {
        constexpr int64_t MOST = 64;  // children of a node, as bits of a word
        std::vector<int32_t> place(tree_.nodes), children(tree_.nodes, 0);
        for (Code u = 0; u < tree_.root(); ++u) place[u] = children[tree_.parent[u]]++;
        std::vector<int64_t> start(tree_.nodes + 1, 0);  // of the pairs of children of each node
        for (Code p = 0; p < tree_.nodes; ++p) {
            bool small = p >= tree_.leaves && p != tree_.root() && children[p] <= MOST;
            start[p + 1] = start[p] + (small ? int64_t{children[p]} * children[p] : 0);
        }
        std::vector<int64_t> count(start.back(), 0);
        PersonsByLabel persons;
        persons.prepare(count.size(), holders_.rows);
        std::vector<int64_t> row(tree_.nodes, -1);
        std::vector<uint64_t> there(tree_.nodes, 0);  // the children of each node that the row holds
        Beat beat(tick);
        for (int64_t r = 0; r < holders_.expanded.size(); ++r)
            for (const Code* u = holders_.expanded.begin(r); u != holders_.expanded.end(r); ++u) {
                beat();
                Code p = tree_.parent[*u];
                if (start[p] == start[p + 1]) continue;
                if (row[p] != r) there[p] = 0;
                row[p] = r;
                int64_t line = start[p] + int64_t{place[*u]} * children[p];  // siblings come with rising places
                for (int64_t other = 0; there[p] >> other; ++other)
                    if (there[p] >> other & 1) {
                        auto pair = static_cast<Code>(line + other);
                        persons.add(count[pair], pair, holders_.rows.weight[r], holders_.rows.person(r));
                    }
                there[p] |= uint64_t{1} << place[*u];
            }
        for (Code p = tree_.leaves; p < tree_.root(); ++p)
            closed[p] |= std::any_of(count.begin() + start[p], count.begin() + start[p + 1],
                                     [&](int64_t found) { return found > 0 && found < k_; });
    }

    // ---- rows at a cut

    std::vector<Code> labels(const Set& raised) const {
        std::vector<Code> label_of(tree_.leaves);
        std::iota(label_of.begin(), label_of.end(), 0);
        for (Code u : raised) std::fill(label_of.begin() + tree_.first(u), label_of.begin() + tree_.stop(u), u);
        return label_of;
    }
    void generalize(int64_t r, const std::vector<Code>& label_of, Rows& rows) const {
        auto start = static_cast<int64_t>(rows.items.size());
        for (const Code* item = holders_.rows.begin(r); item != holders_.rows.end(r); ++item)
            if (label_of[*item] != tree_.root()) rows.items.push_back(label_of[*item]);
        std::sort(rows.items.begin() + start, rows.items.end());
        rows.items.erase(std::unique(rows.items.begin() + start, rows.items.end()), rows.items.end());
        rows.close_row(holders_.rows.weight[r], holders_.rows.person(r));
    }
    Rows generalized(const Set& raised) const {
        std::vector<Code> label_of = labels(raised);
        Rows rows;
        for (int64_t r = 0; r < holders_.rows.size(); ++r) generalize(r, label_of, rows);
        return rows;
    }

    // ---- rare sets: one of those with the same parents, the rarest

    using Groups = std::unordered_map<Set, Rare, SetHash>;

    void keep(Groups& groups, Rare rare) const {
        auto [at, fresh] = groups.try_emplace(parents(rare.labels), rare);
        if (!fresh && rare < at->second) at->second = std::move(rare);
    }
    std::vector<Set> merged(std::vector<Groups>& parts) const {
        Groups& all = parts[0];
        for (size_t w = 1; w < parts.size(); ++w)
            for (auto& [key, rare] : parts[w]) {
                auto [at, fresh] = all.try_emplace(key, rare);
                if (!fresh && rare < at->second) at->second = std::move(rare);
            }
        std::vector<Set> sets;
        for (auto& [key, rare] : all) sets.push_back(std::move(rare.labels));
        return sets;
    }

    // Calls report(worker, set, support) for the rare sets of this size whose prefixes, by rising support, are frequent.
    template <class Report>
    void count_rare(const Rows& rows, int size, int threads, const Tick& tick, Report report) const {
        std::vector<int64_t> support(tree_.nodes, 0);
        PersonsByLabel persons;
        persons.prepare(tree_.nodes, rows);
        for (int64_t r = 0; r < rows.size(); ++r)
            for (const Code* u = rows.begin(r); u != rows.end(r); ++u)
                persons.add(support[*u], *u, rows.weight[r], rows.person(r));
        std::vector<Code> order;  // by rising support: short projections
        for (Code u = 0; u < tree_.nodes; ++u)
            if (support[u]) order.push_back(u);
        std::stable_sort(order.begin(), order.end(), [&](Code a, Code b) { return support[a] < support[b]; });
        auto n = static_cast<int64_t>(order.size());
        SetCounter(rows, std::move(order), n, tree_.nodes, k_).run(size, threads, tick, report);
    }

    // The rows must have no rare sets of fewer labels.
    std::vector<Set> rare_sets(const Rows& rows, int size, const Tick& tick) const {
        std::vector<Groups> found(worker_count(threads_, tree_.nodes));
        auto threads = static_cast<int>(found.size());
        auto report = [&](int w, Set set, int64_t count) { keep(found[w], {count, std::move(set)}); };
        TripleTable table(rows, tree_.nodes, k_, threads);
        if (size == 3 && table.pays()) table.each_rare(threads, tick, report);
        else count_rare(rows, size, threads, tick, report);
        return merged(found);
    }

    bool any_rare(const Rows& rows, const Tick& tick) const {
        std::atomic<bool> found{false};
        parallel(rows.size(), worker_count(threads_, rows.size()), tick, [&](int, int64_t r, Pulse& pulse) {
            pulse.beat(static_cast<double>(r) / static_cast<double>(rows.size()));
            if (rows.weight[r] < k_ && !found && holders_.rare({rows.begin(r), rows.end(r)})) found = true;
        });
        return found;
    }

    // Rare whole rows, thinned to minimal rare sets of at most `largest` labels. Every s-th row is examined, then every s-th
    // from the second on, and so on, until there are such sets.
    std::vector<Set> thinned(const Rows& rows, int64_t largest, const Tick& tick) const {
        int64_t stride = (rows.size() + SAMPLE - 1) / SAMPLE;
        int threads = worker_count(threads_, SAMPLE);
        for (int64_t offset = 0; offset < stride; ++offset) {
            std::vector<Groups> found(threads);
            int64_t sample = (rows.size() - offset + stride - 1) / stride;
            parallel(sample, threads, tick, [&](int w, int64_t i, Pulse& pulse) {
                pulse.beat(static_cast<double>(offset) / static_cast<double>(stride));
                int64_t r = offset + i * stride;
                if (rows.weight[r] >= k_) return;
                Set set(rows.begin(r), rows.end(r));
                if (!holders_.rare(set)) return;
                for (size_t at = set.size(); at-- > 0 && set.size() > 1;) {
                    Set thinner(set);
                    thinner.erase(thinner.begin() + static_cast<std::ptrdiff_t>(at));
                    if (holders_.rare(thinner)) set = std::move(thinner);
                }
                int64_t support = holders_.support(set);
                if (static_cast<int64_t>(set.size()) <= largest) keep(found[w], {support, std::move(set)});
            });
            auto sets = merged(found);
            if (!sets.empty()) return sets;
        }
        return {};
    }

    // ---- lifting

    // Sum of the distances to the root.
    int64_t depth(const Set& set) const {
        int64_t sum = 0;
        for (Code u : set)
            for (; u != tree_.root(); u = tree_.parent[u]) ++sum;
        return sum;
    }

    // The threats of the most general forms of rare sets. Sets near the root come first, in batches. Sets that an earlier
    // threat explains are skipped. The result does not depend on the number of threads.
    std::vector<Set> lifted(std::vector<Set> sets, const std::vector<Set>& known, const Tick& tick) {
        if (sets.empty()) return {};
        auto began = std::chrono::steady_clock::now();
        std::vector<std::pair<int64_t, Set>> queue;
        for (auto& set : sets) queue.emplace_back(depth(set), std::move(set));
        std::sort(queue.begin(), queue.end());
        Dominance found(tree_);
        for (const Set& threat : known) found.add(threat);
        size_t batch = 64;
        for (size_t from = 0; from < queue.size(); from += batch, batch = std::min<size_t>(2 * batch, 1024)) {
            std::vector<const Set*> open;
            for (size_t i = from; i < std::min(queue.size(), from + batch); ++i)
                if (!found.superfluous(parents(queue[i].second))) open.push_back(&queue[i].second);
            int threads = worker_count(threads_, static_cast<int64_t>(open.size()));
            std::vector<std::unordered_map<Set, bool, SetHash>> memo(threads);
            std::vector<std::vector<Set>> threats(open.size());
            parallel(static_cast<int64_t>(open.size()), threads, tick, [&](int w, int64_t i, Pulse& pulse) {
                pulse.beat(static_cast<double>(from) / static_cast<double>(queue.size()));
                for (size_t turn = 0; turn < open[i]->size(); ++turn)
                    threats[i].push_back(parents(lift(*open[i], turn, memo[w])));
            });
            for (auto& some : threats)
                for (auto& threat : some) found.add(std::move(threat));
        }
        auto threats = Dominance(tree_).minimal(found.kept());
        lifting_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        return threats;
    }

    // Raises the labels one after the other, as long as the set stays rare; `turn` is the first one.
    Set lift(Set set, size_t turn, std::unordered_map<Set, bool, SetHash>& memo) const {
        auto free = [&](size_t at, Code up) {
            if (up == tree_.root()) return false;
            for (size_t other = 0; other < set.size(); ++other)
                if (other != at && tree_.related(up, set[other])) return false;
            return true;
        };
        for (size_t i = 0; i < set.size(); ++i) {
            size_t at = (turn + i) % set.size();
            for (Code up = tree_.parent[set[at]]; free(at, up); up = tree_.parent[up]) {
                Set raised(set);
                raised[at] = up;
                Set key(raised);
                std::sort(key.begin(), key.end());
                auto [known, fresh] = memo.try_emplace(std::move(key), false);
                if (fresh) known->second = holders_.rare(raised);
                if (!known->second) break;
                set = std::move(raised);
            }
        }
        return set;
    }

    std::vector<Code> parent_, span_;
    Tree tree_;
    int64_t k_;
    int threads_;
    NodeRows holders_;
    int64_t longest_ = 0;
    double lifting_seconds_ = 0;
};

}  // namespace shoal
