// k^m with negative knowledge as a criterion for Repair (Terrovitis et al. 2011, s.5.1): labels known to be present and
// labels known to be absent violate it if 1..k-1 persons have a row that holds all of the first and none of the second. Rows
// without items count.
//
// The sets P of present labels are visited depth-first, the empty one first. Each is followed by the sets N of absent labels
// that violate the model with it, then by its extensions. N is found by partition. Let T be the rows of P without those of
// the labels chosen so far. Only labels that occur in T matter, by falling count in T (ties: falling support, then lower id).
// r of them leave fewer than k rows only if the r highest counts add up to more than |T| - k. For most P they do not.
//
// If nobody has several rows, a label leaves |T| minus its count. Otherwise it may leave more, because a person can have a
// row with it and one without, so the remaining persons are counted.
#pragma once

#include "core/parallel.hpp"
#include "search/repair/repair.hpp"

namespace shoal {

class Negative {
public:
    Negative(const RowsView& view, const Tree& tree, int64_t k, const Tick& tick)
        : tree_(tree), k_(k), records_(view, std::vector<Code>(view.rows, 0), 0, tree, true, tick) {}

    // Whether no person or at least k persons have a row with the present nodes (the first ones) and none of the others.
    bool fine(const std::vector<Code>& target, size_t present) const {
        auto border = target.begin() + static_cast<int64_t>(present);
        auto held = tree_.maximal({target.begin(), border});
        auto absent = tree_.maximal({border, target.end()});
        Persons found;
        auto look = [&](int32_t row) {
            if (records_.holds_all(row, held) && !records_.holds_any(row, absent)) found.add(records_.rows, row);
        };
        if (held.empty()) {
            for (int32_t row = 0; row < static_cast<int32_t>(records_.rows.size()) && found.count() < k_; ++row) look(row);
        } else {
            Code rarest = records_.take_rarest(held);
            for (const int32_t* row = records_.begin(rarest); row != records_.end(rarest) && found.count() < k_; ++row)
                look(*row);
        }
        return !found.count() || found.count() >= k_;
    }

    // Whether every cut that has these nodes, all present, or specialises them, contains a violating set that occurs: too few
    // persons have them, and no more have their specialisations.
    bool closed(const Set& nodes) const {
        auto others = nodes;
        Code rarest = records_.take_rarest(others);
        Persons found;
        for (const int32_t* row = records_.begin(rarest); row != records_.end(rarest) && found.count() < k_; ++row)
            if (records_.holds_all(*row, others)) found.add(records_.rows, *row);
        return found.count() && found.count() < k_;
    }

    void search(Round& round) const {
        AtCut at(records_, round.cut, round.fresh, true, round.size > 1 || records_.has_persons(), round.tick);
        auto labels = static_cast<Code>(at.order.size());
        Walk walk{*this, round, at, Occurrences(at), std::min<int>(round.size, labels)};
        round.found.resize(labels + 1);  // first those without any present label
        for (Breaches& breaches : round.found) breaches.limit = 1 + round.most / std::max(labels, 1);
        int threads = worker_count(round.threads, labels + 1);
        std::vector<Worker> workers(threads);
        parallel(labels + 1, threads, round.tick, [&](int w, int64_t task, Pulse& pulse) {
            Worker& worker = workers[w];
            worker.levels.resize(walk.size + 1);
            if (task) walk.from(worker, static_cast<Code>(task - 1), pulse);
            else walk.without(worker, pulse);
        });
        for (const Worker& worker : workers) round.counted += worker.counted;
        for (Code first = 0; first < labels; ++first)
            if (round.found[first + 1].full) round.unfinished.push_back(at.order[first]);
        if (round.found[0].full) round.unfinished = at.order;
    }

private:
    struct Candidate {
        int64_t count;
        Code rank;
        bool operator<(const Candidate& other) const { return count != other.count ? count > other.count : rank < other.rank; }
    };
    struct Level {
        std::vector<int64_t> count;  // by rank
        PersonsByLabel persons;
        std::vector<Code> touched;
        std::vector<int64_t> slot;  // by rank
        std::vector<int64_t> start;
        std::vector<Place> places;
    };
    struct Worker {
        std::vector<Code> prefix;  // ranks
        std::vector<Code> absent;  // ranks
        Rows rows;  // of the first label, without it; or all
        std::vector<Place> places;
        std::vector<Level> levels;  // by the number of labels, present or absent
        int64_t counted = 0;
    };

    // One search for violations, shared by the workers.
    struct Walk {
        const Negative& self;
        Round& round;
        const AtCut& at;
        const Occurrences occurrences;
        const int size;

        // Searches without any present label.
        void without(Worker& worker, Pulse& pulse) const {
            worker.prefix.clear();
            worker.rows = at.rows;
            worker.places.clear();
            for (int64_t r = 0; r < at.rows.size(); ++r) worker.places.push_back({r, 0});
            std::vector<Candidate> candidates;
            for (size_t rank = 0; rank < at.order.size(); ++rank)
                candidates.push_back({self.records_.support(at.order[rank]), static_cast<Code>(rank)});
            worker.counted += static_cast<int64_t>(candidates.size());
            partition(worker, round.found[0], worker.places, self.records_.total(), size, candidates, pulse, 0.0);
        }

        // Copies the rows of the first label, because the walk below it reads them repeatedly.
        void from(Worker& worker, Code first, Pulse& pulse) const {
            worker.prefix.assign(1, first);
            Breaches& found = round.found[first + 1];
            int64_t support = self.records_.support(at.order[first]);
            if (support < self.k_) return report(worker, found);
            if (size == 1) return;
            clear(worker.rows);
            worker.places.clear();
            for (int64_t p = occurrences.starts[first]; p < occurrences.starts[first + 1]; ++p) {
                auto [row, next] = occurrences.places[p];
                auto& items = worker.rows.items;
                items.insert(items.end(), at.rows.begin(row), at.rows.items.data() + next - 1);
                auto middle = static_cast<int64_t>(items.size());
                items.insert(items.end(), at.rows.items.data() + next, at.rows.end(row));
                worker.rows.close_row(at.rows.weight[row], at.rows.person(row));
                worker.places.push_back({worker.rows.size() - 1, middle});
            }
            const Place* places = worker.places.data();
            extend(worker, found, places, places + worker.places.size(), support, pulse,
                   static_cast<double>(first) / static_cast<double>(at.order.size()));
        }

        // The prefix is fine and may be extended.
        void extend(Worker& worker, Breaches& found, const Place* from, const Place* to, int64_t support, Pulse& pulse,
                    double share) const {
            pulse.beat(share);
            const Rows& rows = worker.rows;
            auto depth = static_cast<int>(worker.prefix.size());
            Level& level = worker.levels[depth];
            count(level, rows, from, to, nullptr);
            worker.counted += static_cast<int64_t>(level.touched.size());
            // Labels that follow the prefix, and labels that may be absent with it: not in all rows, as far as counts tell.
            std::vector<Candidate> children, candidates;
            Code after = worker.prefix.back();
            int64_t highest = 0;
            bool persons = self.records_.has_persons();
            for (Code rank : level.touched) {
                int64_t count = level.count[rank];
                if (rank > after && (depth + 1 < size || count < self.k_)) children.push_back({count, rank});
                if (persons || count < support) highest = std::max(highest, count);
            }
            if (highest * (size - depth) > support - self.k_)
                for (Code rank : level.touched)
                    if (persons || level.count[rank] < support) candidates.push_back({level.count[rank], rank});
            for (Code rank : level.touched) level.count[rank] = 0;
            if (!candidates.empty()) {
                std::vector<Place> places(size - depth > 1 || persons ? from : to, to);
                partition(worker, found, places, support, size - depth, candidates, pulse, share);
                if (found.full) return;
            }
            std::sort(children.begin(), children.end(), [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
            int64_t slots = 0;
            for (const Candidate& child : children)
                if (child.count >= self.k_) level.slot[child.rank] = ++slots;
            if (slots) {  // one pass copies every row to all children that it belongs to
                level.start.assign(slots + 1, 0);
                for (const Place* p = from; p != to; ++p)
                    for (int64_t e = p->next; e < rows.indptr[p->row + 1]; ++e)
                        if (int64_t s = level.slot[rows.items[e]]) ++level.start[s];
                std::partial_sum(level.start.begin(), level.start.end(), level.start.begin());
                level.places.resize(level.start.back());
                std::vector<int64_t> fill(level.start.begin(), level.start.end() - 1);
                for (const Place* p = from; p != to; ++p)
                    for (int64_t e = p->next; e < rows.indptr[p->row + 1]; ++e)
                        if (int64_t s = level.slot[rows.items[e]]) level.places[fill[s - 1]++] = {p->row, e + 1};
                for (const Candidate& child : children) level.slot[child.rank] = 0;
            }
            int64_t s = 0;
            for (const Candidate& child : children) {
                worker.prefix.push_back(child.rank);
                if (child.count < self.k_) {
                    report(worker, found);
                } else {
                    const Place* base = level.places.data();
                    extend(worker, found, base + level.start[s], base + level.start[s + 1], child.count, pulse, share);
                    ++s;
                }
                worker.prefix.pop_back();
                if (found.full) return;
            }
        }

        // Finds up to `more` candidates, absent from the rows, that leave 1..k-1 persons. Weight: the persons of the rows, at
        // least k unless no label is present.
        void partition(Worker& worker, Breaches& found, const std::vector<Place>& places, int64_t weight, int more,
                       std::vector<Candidate> candidates, Pulse& pulse, double share) const {
            pulse.beat(share);
            bool persons = self.records_.has_persons();
            auto in_all = [&](const Candidate& c) { return !persons && c.count >= weight; };
            candidates.erase(std::remove_if(candidates.begin(), candidates.end(), in_all), candidates.end());
            std::sort(candidates.begin(), candidates.end());
            Level& level = worker.levels[worker.prefix.size() + worker.absent.size()];
            for (size_t i = 0; i < candidates.size(); ++i) {
                int64_t most = 0;
                for (size_t j = i; j < candidates.size() && j < i + more; ++j) most += candidates[j].count;
                if (weight - most >= self.k_) break;  // later ones cover even less
                int64_t left = weight - candidates[i].count;
                std::vector<Place> rest;
                if (persons || (left >= self.k_ && more > 1)) {
                    const Rows& rows = worker.rows;
                    Persons counted;
                    for (const Place& p : places) {
                        if (std::binary_search(rows.begin(p.row) + 1, rows.end(p.row), candidates[i].rank)) continue;
                        rest.push_back(p);
                        counted.add(rows, p.row);
                    }
                    left = counted.count();
                }
                if (!left) continue;  // it is in all rows
                worker.absent.push_back(candidates[i].rank);
                if (left < self.k_) {
                    report(worker, found);
                } else if (more > 1) {
                    // Absent labels come in the order of the candidates, so each set is visited once.
                    level.slot.resize(at.order.size(), 0);
                    for (size_t j = i + 1; j < candidates.size(); ++j) level.slot[candidates[j].rank] = 1;
                    count(level, worker.rows, rest.data(), rest.data() + rest.size(), &level.slot);
                    std::vector<Candidate> fewer;
                    for (Code rank : level.touched) {
                        fewer.push_back({level.count[rank], rank});
                        level.count[rank] = 0;
                    }
                    for (size_t j = i + 1; j < candidates.size(); ++j) level.slot[candidates[j].rank] = 0;
                    worker.counted += static_cast<int64_t>(fewer.size());
                    partition(worker, found, rest, left, more - 1, std::move(fewer), pulse, share);
                }
                worker.absent.pop_back();
                if (found.full) return;
            }
        }

        // Counts the persons with each label in some of the rows, for the wanted labels only.
        void count(Level& level, const Rows& rows, const Place* from, const Place* to, const std::vector<int64_t>* wanted) const {
            level.count.resize(at.order.size(), 0);
            level.slot.resize(at.order.size(), 0);
            level.persons.prepare(at.order.size(), rows);
            level.touched.clear();
            for (const Place* p = from; p != to; ++p) {
                int64_t weight = rows.weight[p->row];
                Code person = rows.person(p->row);
                for (const Code* rank = rows.begin(p->row) + 1; rank != rows.end(p->row); ++rank) {
                    if (wanted && !(*wanted)[*rank]) continue;
                    if (!level.count[*rank]) level.touched.push_back(*rank);
                    level.persons.add(level.count[*rank], *rank, weight, person);
                }
            }
        }

        void report(const Worker& worker, Breaches& found) const {
            Combination breach;
            for (Code rank : worker.prefix) breach.push_back(at.order[rank]);
            for (Code rank : worker.absent) breach.push_back(~at.order[rank]);
            found.add(breach);
        }
    };

    Tree tree_;
    int64_t k_;
    Records records_;
};

}  // namespace shoal
