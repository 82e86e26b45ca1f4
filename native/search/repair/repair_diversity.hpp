// l^m-diversity as a criterion for Repair (P3 s.5.2): a set c of labels is in breach if for some sensitive value s more than
// one in l of the rows that hold c have s.
//
// Depth-first, rows with sensitive values in front. Only labels that occur in such rows of the prefix can matter, so those rows
// come first and the others are read only until (l - 1) of them stand against each sensitive row of every such label.
#pragma once

#include <map>

#include "core/parallel.hpp"
#include "search/repair/repair.hpp"

namespace shoal {

class Diversity {
public:
    Diversity(const RowsView& view, const RowsView& sensitive, const Tree& tree, int64_t l, const Tick& tick)
        : tree_(tree), l_(l), records_(view, grouped(sensitive), tree, false, tick) {
        for (const auto& values : groups_)
            for (Code s : values) values_ = std::max(values_, s + 1);
        count_.assign(values_, 0);
        while (sensitive_ < records_.rows.size() && is_sensitive(*records_.rows.begin(sensitive_))) ++sensitive_;
    }

    // Whether no sensitive value is too frequent in the rows that hold all the nodes.
    bool fine(const std::vector<Code>& target, size_t) {
        auto nodes = tree_.maximal(target);
        Code rarest = records_.take_rarest(nodes);
        const int32_t* row = records_.begin(rarest);
        const int32_t* end = records_.end(rarest);
        int64_t support = 0, highest = 0;
        seen_.clear();
        for (; row != end && *row < sensitive_; ++row) {
            if (!records_.holds_all(*row, nodes)) continue;
            int64_t weight = records_.rows.weight[*row];
            support += weight;
            for (Code s : groups_[*records_.rows.begin(*row)]) {
                if (!count_[s]) seen_.push_back(s);
                highest = std::max(highest, count_[s] += weight);
            }
        }
        for (Code s : seen_) count_[s] = 0;
        for (; row != end && support < highest * l_; ++row)
            if (records_.holds_all(*row, nodes)) support += records_.rows.weight[*row];
        return support >= highest * l_;
    }

    // Whether some set that occurs is in breach in every cut that has these nodes or specialises them. A row of theirs holds
    // between one and as many specialisations as the product of its leaves below each. If for some value the (l - 1) rows that
    // each row with it calls for are more than all specialisations in rows without it, then on average, so for one at least,
    // too few rows stand against those with the value.
    bool closed(const Set& nodes) const {
        auto others = nodes;
        Code rarest = records_.take_rarest(others);
        std::vector<int64_t> with(values_, 0), ways_with(values_, 0);  // by value
        int64_t all_ways = 0;
        for (const int32_t* row = records_.begin(rarest); row != records_.end(rarest); ++row) {
            if (!records_.holds_all(*row, others)) continue;
            const Code* group = records_.rows.begin(*row);
            int64_t weight = records_.rows.weight[*row], ways = weight;
            for (Code u : nodes) {
                const Code* first = std::lower_bound(group + 1, records_.rows.end(*row), tree_.first(u));
                ways *= std::lower_bound(first, records_.rows.end(*row), tree_.stop(u)) - first;
                if (ways > MANY) return false;
            }
            all_ways += ways;
            if (all_ways > MANY) return false;
            if (!is_sensitive(*group)) continue;
            for (Code s : groups_[*group]) {
                with[s] += weight;
                ways_with[s] += ways;
            }
        }
        for (Code s = 0; s < values_; ++s)
            if ((l_ - 1) * with[s] > all_ways - ways_with[s]) return true;
        return false;
    }

    void search(Round& round) {
        bool all = std::find(round.fresh.begin(), round.fresh.end(), 0) == round.fresh.end();
        AtCut at(records_, round.cut, round.fresh, all, round.size, round.tick);
        auto labels = static_cast<Code>(at.order.size());
        Walk walk{*this, round, at, Occurrences(at), std::min<int>(round.size, labels), {}};
        for (int64_t r = 0; r < at.rows.size(); ++r) {
            int64_t e = at.rows.indptr[r + 1];
            while (e > at.rows.indptr[r] + 1 && !at.fresh[at.rows.items[e - 1]]) --e;
            walk.fresh_end.push_back(e);
        }
        round.found.resize(labels);
        std::vector<uint8_t> breached(labels, 0);
        for (Code first = 0; first < labels; ++first) {
            round.found[first].limit = 1 + round.most / labels;
            if (at.fresh[first]) breached[first] = !fine({at.order[first]}, 1);
        }
        int threads = worker_count(round.threads, labels);
        std::vector<Worker> workers(threads);
        parallel(labels, threads, round.tick, [&](int w, int64_t first, Pulse& pulse) {
            Combination alone{at.order[first]};
            if (round.hopeless.count(alone)) return;
            if (breached[first]) round.found[first].add(alone);
            else if (walk.size > 1) walk.from(workers[w], static_cast<Code>(first), pulse);
        });
        round.counted = labels;
        for (const Worker& worker : workers) round.counted += worker.counted;
        for (Code first = 0; first < labels; ++first)
            if (round.found[first].full) round.unfinished.push_back(at.order[first]);
    }

private:
    static constexpr int64_t MANY = int64_t{1} << 40;  // far from any overflow

    struct Level {
        std::vector<int64_t> with;  // by rank: rows with a sensitive value
        std::vector<int64_t> owed;  // by rank: rows without that are wanted against them; 0 for labels that need no look
        std::vector<Code> touched;  // ranks
        std::vector<int64_t> slot;  // by rank: 1 + place among the children that are walked
        std::vector<int64_t> start, split;
        std::vector<Place> places;
    };
    struct Worker {
        Combination prefix;  // nodes
        Rows rows;  // what follows the first label in its rows; each row starts with its group
        std::vector<int64_t> fresh_end;
        std::vector<uint8_t> wanted;
        std::vector<Place> places;
        std::vector<Level> levels;
        std::vector<int64_t> tally;  // of suspects and sensitive values
        int64_t counted = 0;
    };

    // One search for breaches, shared by the workers.
    struct Walk {
        const Diversity& self;
        Round& round;
        const AtCut& at;
        const Occurrences occurrences;
        const int size;
        std::vector<int64_t> fresh_end;  // of each row: past its last fresh label

        // Copies together what matters in the rows of the first label: labels that occur there with a sensitive value. As long as
        // no label of the prefix is fresh, a row matters up to its last fresh label.
        void from(Worker& worker, Code first, Pulse& pulse) const {
            const Place* place = occurrences.places.data() + occurrences.starts[first];
            const Place* end = occurrences.places.data() + occurrences.starts[first + 1];
            bool old = !at.fresh[first];
            worker.wanted.assign(at.order.size(), 0);
            clear(worker.rows);
            worker.fresh_end.clear();
            int64_t sensitive = 0;
            for (; place != end; ++place) {
                if (old && place->next >= fresh_end[place->row]) continue;
                Code group = *at.rows.begin(place->row);
                bool with = self.is_sensitive(group);
                if (!with && !sensitive) return;
                worker.rows.items.push_back(group);
                auto start = static_cast<int64_t>(worker.rows.items.size());
                int64_t last = start;
                for (int64_t e = place->next; e < at.rows.indptr[place->row + 1]; ++e) {
                    Code rank = at.rows.items[e];
                    if (with) worker.wanted[rank] = 1;
                    if (!worker.wanted[rank]) continue;
                    worker.rows.items.push_back(rank);
                    if (at.fresh[rank]) last = static_cast<int64_t>(worker.rows.items.size());
                }
                if (static_cast<int64_t>(worker.rows.items.size()) == start || (old && last == start)) {
                    worker.rows.items.resize(start - 1);
                    continue;
                }
                worker.rows.close_row(at.rows.weight[place->row]);
                worker.fresh_end.push_back(last);
                sensitive += with;
            }
            if (!sensitive) return;
            worker.places.clear();
            for (int64_t r = 0; r < worker.rows.size(); ++r) worker.places.push_back({r, worker.rows.indptr[r] + 1});
            if (worker.levels.empty()) worker.levels.resize(size);
            worker.prefix.assign(1, at.order[first]);
            const Place* from = worker.places.data();
            extend(worker, round.found[first], from, from + sensitive, from + worker.rows.size(), old, pulse,
                   static_cast<double>(first) / static_cast<double>(at.order.size()));
        }

        // The prefix is fine; its rows with sensitive values are those up to `split`.
        void extend(Worker& worker, Breaches& breaches, const Place* from, const Place* split, const Place* to, bool old,
                    Pulse& pulse, double share) const {
            pulse.beat(share);
            const Rows& rows = worker.rows;
            auto depth = static_cast<int>(worker.prefix.size());
            bool last = depth + 1 == size;
            Level& level = worker.levels[depth];
            if (level.with.empty()) {
                level.with.assign(at.order.size(), 0);
                level.owed.assign(at.order.size(), 0);
                level.slot.assign(at.order.size(), 0);
            }
            auto stop = [&](const Place* p) { return old ? worker.fresh_end[p->row] : rows.indptr[p->row + 1]; };
            int64_t unsettled = count(rows, level, from, split, to, old, last, stop);
            worker.counted += static_cast<int64_t>(level.touched.size());
            if (unsettled) acquit(worker, level, from, split, stop);
            std::sort(level.touched.begin(), level.touched.end());
            std::vector<std::pair<Code, bool>> children;  // those in breach, and those to walk
            for (Code rank : level.touched) {
                level.with[rank] = 0;
                bool breach = level.owed[rank] > 0;
                level.owed[rank] = 0;
                if (last && !breach) continue;
                if (!round.hopeless.empty()) {
                    worker.prefix.push_back(at.order[rank]);
                    bool known = round.hopeless.count(worker.prefix);
                    worker.prefix.pop_back();
                    if (known) continue;
                }
                children.emplace_back(rank, breach);
            }
            hand_out(rows, level, children, from, split, to, stop);
            int64_t s = 0;
            for (auto [rank, breach] : children) {
                worker.prefix.push_back(at.order[rank]);
                if (breach) {
                    breaches.add(worker.prefix);
                } else {
                    const Place* base = level.places.data();
                    if (level.start[s] < level.split[s])
                        extend(worker, breaches, base + level.start[s], base + level.split[s], base + level.start[s + 1],
                               old && !at.fresh[rank], pulse, share);
                    ++s;
                }
                worker.prefix.pop_back();
                if (breaches.full) return;
            }
        }

        // Counts the labels that follow, in rows with a sensitive value and then against them in the others; how many of
        // them too few others hold.
        template <class Stop>
        int64_t count(const Rows& rows, Level& level, const Place* from, const Place* split, const Place* to, bool old, bool last,
                      Stop stop) const {
            auto &with = level.with, &owed = level.owed;
            level.touched.clear();
            for (const Place* p = from; p != split; ++p) {
                int64_t weight = rows.weight[p->row];
                for (int64_t e = p->next, end = stop(p); e < end; ++e) {
                    Code rank = rows.items[e];
                    if (!with[rank]) {
                        if (last && old && !at.fresh[rank]) continue;
                        level.touched.push_back(rank);
                    }
                    with[rank] += weight;
                }
            }
            int64_t unsettled = 0;
            for (Code rank : level.touched)
                if (!old || at.fresh[rank]) {
                    owed[rank] = (self.l_ - 1) * with[rank];
                    unsettled += owed[rank] > 0;
                }
            for (const Place* p = split; p != to && unsettled; ++p) {
                int64_t weight = rows.weight[p->row];
                for (int64_t e = p->next, end = stop(p); e < end; ++e) {
                    int64_t& rest = owed[rows.items[e]];
                    if (rest > 0 && (rest -= weight) <= 0) --unsettled;
                }
            }
            return unsettled;
        }

        // One pass hands every row to all the children that it belongs to, but not to those in breach.
        template <class Stop>
        void hand_out(const Rows& rows, Level& level, const std::vector<std::pair<Code, bool>>& children, const Place* from,
                      const Place* split, const Place* to, Stop stop) const {
            int64_t slots = 0;
            for (auto [rank, breach] : children)
                if (!breach) level.slot[rank] = ++slots;
            if (!slots) return;
            auto& start = level.start;
            start.assign(slots + 1, 0);
            auto hand = [&](const Place* first, const Place* end, auto give) {
                for (const Place* p = first; p != end; ++p)
                    for (int64_t e = p->next, rest = stop(p), all = rows.indptr[p->row + 1]; e < rest; ++e)
                        if (int64_t s = level.slot[rows.items[e]])
                            if (e + 1 < (at.fresh[rows.items[e]] ? all : rest)) give(s, p->row, e + 1);
            };
            hand(from, to, [&](int64_t s, int64_t, int64_t) { ++start[s]; });
            std::partial_sum(start.begin(), start.end(), start.begin());
            level.places.resize(start.back());
            level.split.assign(start.begin(), start.end() - 1);
            auto give = [&](std::vector<int64_t>& fill) {
                return [&](int64_t s, int64_t row, int64_t next) { level.places[fill[s - 1]++] = {row, next}; };
            };
            hand(from, split, give(level.split));
            std::vector<int64_t> fill(level.split);
            hand(split, to, give(fill));
            for (const auto& child : children) level.slot[child.first] = 0;
        }

        // Labels are suspected if more than one in l of their rows have a sensitive value; of those that have no single
        // value in so many rows, nothing is owed.
        template <class Stop>
        void acquit(Worker& worker, Level& level, const Place* from, const Place* split, Stop stop) const {
            if (self.values_ == 1) return;
            std::vector<Code> suspects;
            for (Code rank : level.touched)
                if (level.owed[rank] > 0) suspects.push_back(rank);
            size_t batch = std::max<size_t>(1, (size_t{1} << 18) / self.values_);
            for (size_t begin = 0; begin < suspects.size(); begin += batch) {
                size_t end = std::min(suspects.size(), begin + batch);
                for (size_t i = begin; i < end; ++i) level.slot[suspects[i]] = static_cast<int64_t>(i - begin) + 1;
                worker.tally.assign((end - begin) * self.values_, 0);
                for (const Place* p = from; p != split; ++p)
                    for (int64_t e = p->next, rest = stop(p); e < rest; ++e)
                        if (int64_t s = level.slot[worker.rows.items[e]])
                            for (Code value : self.groups_[*worker.rows.begin(p->row)])
                                worker.tally[(s - 1) * self.values_ + value] += worker.rows.weight[p->row];
                for (size_t i = begin; i < end; ++i) {
                    Code rank = suspects[i];
                    auto values = worker.tally.begin() + static_cast<int64_t>((i - begin) * self.values_);
                    int64_t highest = *std::max_element(values, values + self.values_);
                    int64_t rows = self.l_ * level.with[rank] - level.owed[rank];
                    if (highest * self.l_ <= rows) level.owed[rank] = 0;
                    level.slot[rank] = 0;
                }
            }
        }
    };

    // Equal sets of sensitive values get one number; the empty set comes last.
    std::vector<Code> grouped(const RowsView& sensitive) {
        std::map<Set, Code> number;
        for (int64_t r = 0; r < sensitive.rows; ++r)
            if (sensitive.size(r)) number.emplace(Set(sensitive.begin(r), sensitive.end(r)), 0);
        for (auto& [values, id] : number) {
            id = static_cast<Code>(groups_.size());
            groups_.push_back(values);
        }
        std::vector<Code> group;
        auto none = static_cast<Code>(groups_.size());
        for (int64_t r = 0; r < sensitive.rows; ++r)
            group.push_back(sensitive.size(r) ? number[Set(sensitive.begin(r), sensitive.end(r))] : none);
        return group;
    }
    bool is_sensitive(Code group) const { return group < static_cast<Code>(groups_.size()); }

    Tree tree_;
    int64_t l_;
    std::vector<Set> groups_;  // sets of sensitive values
    Records records_;
    int64_t sensitive_ = 0;  // so many of the records have a sensitive value: the first
    Code values_ = 0;
    std::vector<int64_t> count_;
    std::vector<Code> seen_;
};

}  // namespace shoal
