// Shares of sensitive values among units (rows or persons): a set c of labels violates the model if, for some sensitive value
// s, more than one in l of the units that hold c also have s. The search is depth-first, with units that have sensitive
// values in front. Only labels that occur in rows with such values matter. So those units come first, and the others are read
// only until there are (l - 1) of them for each unit with a sensitive value of every such label.
#pragma once

#include <map>

#include "core/parallel.hpp"
#include "search/repair/repair.hpp"

namespace shoal {

// Counts shares of rows if the view has no persons, else shares of persons.
class UnitDiversity {
public:
    UnitDiversity(const RowsView& view, const RowsView& sensitive, const Tree& tree, int64_t l, const Tick& tick)
        : tree_(tree), l_(l), group_(grouped(sensitive)),
          records_(view, group_, static_cast<Code>(groups_.size() - 1), tree, false, tick) {
        for (const auto& values : groups_)
            for (Code s : values) values_ = std::max(values_, s + 1);
        count_.assign(values_, 0);
        persons_.prepare(values_, records_.rows);
        while (leading_ < records_.rows.size() && records_.leads(records_.rows, leading_)) ++leading_;
        group_ = {};
    }

    // Whether no sensitive value is too frequent in the rows that hold all nodes.
    bool fine(const std::vector<Code>& target) {
        auto nodes = tree_.maximal(target);
        Code rarest = records_.take_rarest(nodes);
        const int32_t* row = records_.begin(rarest);
        const int32_t* end = records_.end(rarest);
        Persons support;
        int64_t highest = 0;
        seen_.clear();
        for (; row != end && *row < leading_; ++row) {
            if (!records_.holds_all(*row, nodes)) continue;
            support.add(records_.rows, *row);
            for (Code s : values_of(*records_.rows.begin(*row))) {
                if (!count_[s]) seen_.push_back(s);
                persons_.add(count_[s], s, records_.rows.weight[*row], records_.rows.person(*row));
                highest = std::max(highest, count_[s]);
            }
        }
        for (Code s : seen_) count_[s] = 0;
        for (; row != end && support.count() < highest * l_; ++row)
            if (records_.holds_all(*row, nodes)) support.add(records_.rows, *row);
        return support.count() >= highest * l_;
    }

    // Whether every cut that has these nodes, or specialises them, contains a violating set that occurs. A row with the nodes
    // holds between one and as many specialisations as the product of its leaves below each node. Each unit with a value
    // needs (l - 1) units without it. If these are more than all specialisations in rows without the value, then on average,
    // and so for at least one specialisation, there are too few units without the value.
    bool closed(const Set& nodes) const {
        auto others = nodes;
        Code rarest = records_.take_rarest(others);
        std::vector<int64_t> with(values_, 0), ways_with(values_, 0);  // by value
        PersonsByLabel persons;
        persons.prepare(values_, records_.rows);
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
            for (Code s : values_of(*group)) {
                persons.add(with[s], s, weight, records_.rows.person(*row));
                ways_with[s] += ways;
            }
        }
        for (Code s = 0; s < values_; ++s)
            if ((l_ - 1) * with[s] > all_ways - ways_with[s]) return true;
        return false;
    }

    void search(Round& round) {
        bool all = std::find(round.fresh.begin(), round.fresh.end(), 0) == round.fresh.end();
        AtCut at(records_, round.cut, round.fresh, all, round.size > 1, round.tick);
        auto labels = static_cast<Code>(at.order.size());
        auto before = round.found.size();
        Walk walk{*this, round, at, Occurrences(at), std::min<int>(round.size, labels), before, {}};
        for (int64_t r = 0; r < at.rows.size(); ++r) {
            int64_t e = at.rows.indptr[r + 1];
            while (e > at.rows.indptr[r] + 1 && !at.fresh[at.rows.items[e - 1]]) --e;
            walk.fresh_end.push_back(e);
        }
        round.found.resize(before + labels);
        std::vector<uint8_t> breached(labels, 0);
        for (Code first = 0; first < labels; ++first) {
            round.found[before + first].limit = 1 + round.most / labels;
            if (at.fresh[first]) breached[first] = !fine({at.order[first]});
        }
        int threads = worker_count(round.threads, labels);
        std::vector<Worker> workers(threads);
        parallel(labels, threads, round.tick, [&](int w, int64_t first, Pulse& pulse) {
            Combination alone{at.order[first]};
            if (round.hopeless.count(alone)) return;
            if (breached[first]) round.found[before + first].add(alone);
            else if (walk.size > 1) walk.from(workers[w], static_cast<Code>(first), pulse);
        });
        round.counted += labels;
        for (const Worker& worker : workers) round.counted += worker.counted;
        for (Code first = 0; first < labels; ++first)
            if (round.found[before + first].full) round.unfinished.push_back(at.order[first]);
    }

private:
    static constexpr int64_t MANY = int64_t{1} << 40;  // far from any overflow

    struct Level {
        std::vector<int64_t> with;  // by rank: units with a sensitive value
        std::vector<int64_t> owed;  // by rank: units without a value that are still needed; 0 for labels that need no check
        std::vector<Code> last;  // by rank: the person counted last
        std::vector<Code> touched;  // ranks
        std::vector<int64_t> slot;  // by rank: 1 + place among the children to visit
        std::vector<int64_t> start, split;
        std::vector<Place> places;
    };
    struct Worker {
        Combination prefix;  // nodes
        Rows rows;  // the labels after the first one in its rows; each row starts with its group
        std::vector<int64_t> fresh_end;
        std::vector<uint8_t> wanted;
        std::vector<Place> places;
        std::vector<Level> levels;
        std::vector<int64_t> tally;  // of suspicious labels and sensitive values
        PersonsByLabel tallied;
        int64_t counted = 0;
    };

    // One search for violations, shared by the workers.
    struct Walk {
        const UnitDiversity& self;
        Round& round;
        const AtCut& at;
        const Occurrences occurrences;
        const int size;
        const size_t before;  // lists of violations that others found
        std::vector<int64_t> fresh_end;  // of each row: end of its last fresh label

        // Copies the relevant part of the rows of the first label: labels that occur there with a sensitive value. As long as
        // no label of the prefix is fresh, a row is relevant up to its last fresh label.
        void from(Worker& worker, Code first, Pulse& pulse) const {
            const Place* place = occurrences.places.data() + occurrences.starts[first];
            const Place* end = occurrences.places.data() + occurrences.starts[first + 1];
            bool old = !at.fresh[first];
            worker.wanted.assign(at.order.size(), 0);
            clear(worker.rows);
            worker.fresh_end.clear();
            int64_t leading = 0;
            // A person's rows without a sensitive value can come before another person's rows with one.
            for (const Place* p = place; self.records_.has_persons() && p != end && self.records_.leads(at.rows, p->row); ++p)
                if (self.is_sensitive(*at.rows.begin(p->row)))
                    for (int64_t e = p->next; e < at.rows.indptr[p->row + 1]; ++e) worker.wanted[at.rows.items[e]] = 1;
            for (; place != end; ++place) {
                if (old && place->next >= fresh_end[place->row]) continue;
                Code group = *at.rows.begin(place->row);
                bool with = self.is_sensitive(group);
                bool leads = self.records_.leads(at.rows, place->row);
                if (!leads && !leading) return;
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
                worker.rows.close_row(at.rows.weight[place->row], at.rows.person(place->row));
                worker.fresh_end.push_back(last);
                leading += leads;
            }
            if (!leading) return;
            worker.places.clear();
            for (int64_t r = 0; r < worker.rows.size(); ++r) worker.places.push_back({r, worker.rows.indptr[r] + 1});
            if (worker.levels.empty()) worker.levels.resize(size);
            worker.prefix.assign(1, at.order[first]);
            const Place* from = worker.places.data();
            extend(worker, round.found[before + first], from, from + leading, from + worker.rows.size(), old, pulse,
                   static_cast<double>(first) / static_cast<double>(at.order.size()));
        }

        // The prefix is fine. The rows of units with sensitive values are those up to `split`.
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
                level.last.assign(at.order.size(), NOBODY);
            }
            auto stop = [&](const Place* p) { return old ? worker.fresh_end[p->row] : rows.indptr[p->row + 1]; };
            int64_t unsettled = count(rows, level, from, split, to, old, last, stop);
            worker.counted += static_cast<int64_t>(level.touched.size());
            if (unsettled) acquit(worker, level, from, split, stop);
            std::sort(level.touched.begin(), level.touched.end());
            std::vector<std::pair<Code, bool>> children;  // violations, and labels to extend
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

        // Counts the labels that follow, first by units with a sensitive value and then by the others. Returns how many
        // labels have too few others.
        template <class Stop>
        int64_t count(const Rows& rows, Level& level, const Place* from, const Place* split, const Place* to, bool old, bool last,
                      Stop stop) const {
            auto &with = level.with, &owed = level.owed;
            bool persons = !rows.persons.empty();
            // Rows are sorted by person, so a person who was counted for a label was the last one counted for it.
            auto counts = [&](Code rank, Code person) {
                if (person == NOBODY) return true;
                if (level.last[rank] == person) return false;
                level.last[rank] = person;
                return true;
            };
            level.touched.clear();
            for (const Place* p = from; p != split; ++p) {
                if (persons && !self.is_sensitive(*rows.begin(p->row))) continue;
                int64_t weight = rows.weight[p->row];
                Code person = rows.person(p->row);
                for (int64_t e = p->next, end = stop(p); e < end; ++e) {
                    Code rank = rows.items[e];
                    if (!with[rank]) {
                        if (last && old && !at.fresh[rank]) continue;
                        level.touched.push_back(rank);
                        level.last[rank] = NOBODY;
                    }
                    if (counts(rank, person)) with[rank] += weight;
                }
            }
            int64_t unsettled = 0;
            // Rows with a sensitive value hold the label themselves, so l - 1 others are needed. Persons are all counted
            // again, because some hold the label only in other rows.
            for (Code rank : level.touched)
                if (!old || at.fresh[rank]) {
                    owed[rank] = (self.l_ - !persons) * with[rank];
                    level.last[rank] = NOBODY;
                    unsettled += owed[rank] > 0;
                }
            for (const Place* p = persons ? from : split; p != to && unsettled; ++p) {
                int64_t weight = rows.weight[p->row];
                Code person = rows.person(p->row);
                for (int64_t e = p->next, end = stop(p); e < end; ++e) {
                    int64_t& rest = owed[rows.items[e]];
                    if (rest > 0 && counts(rows.items[e], person) && (rest -= weight) <= 0) --unsettled;
                }
            }
            return unsettled;
        }

        // One pass copies every row to all children that it belongs to, except violations.
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

        // A label is suspicious if more than one in l of its units have a sensitive value. If no single value has so many
        // units, no further units are needed.
        template <class Stop>
        void acquit(Worker& worker, Level& level, const Place* from, const Place* split, Stop stop) const {
            if (self.values_ == 1) return;
            std::vector<Code> suspects;
            for (Code rank : level.touched)
                if (level.owed[rank] > 0) suspects.push_back(rank);
            size_t batch = std::max<size_t>(1, (size_t{1} << 18) / self.values_);
            worker.tallied.prepare(std::min(batch, suspects.size()) * self.values_, worker.rows);
            for (size_t begin = 0; begin < suspects.size(); begin += batch) {
                size_t end = std::min(suspects.size(), begin + batch);
                for (size_t i = begin; i < end; ++i) level.slot[suspects[i]] = static_cast<int64_t>(i - begin) + 1;
                worker.tally.assign((end - begin) * self.values_, 0);
                for (const Place* p = from; p != split; ++p)
                    for (int64_t e = p->next, rest = stop(p); e < rest; ++e)
                        if (int64_t s = level.slot[worker.rows.items[e]])
                            for (Code value : self.values_of(*worker.rows.begin(p->row))) {
                                auto at = static_cast<Code>((s - 1) * self.values_ + value);
                                worker.tallied.add(worker.tally[at], at, worker.rows.weight[p->row], worker.rows.person(p->row));
                            }
                for (size_t i = begin; i < end; ++i) {
                    Code rank = suspects[i];
                    auto values = worker.tally.begin() + static_cast<int64_t>((i - begin) * self.values_);
                    int64_t highest = *std::max_element(values, values + self.values_);
                    int64_t units = self.l_ * level.with[rank] - level.owed[rank];
                    if (highest * self.l_ <= units) level.owed[rank] = 0;
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
        groups_.emplace_back();
        for (int64_t r = 0; r < sensitive.rows; ++r)
            group.push_back(sensitive.size(r) ? number[Set(sensitive.begin(r), sensitive.end(r))] : none);
        return group;
    }
    bool is_sensitive(Code group) const { return group + 1 < static_cast<Code>(groups_.size()); }
    const Set& values_of(Code group) const { return groups_[group]; }

    Tree tree_;
    int64_t l_;
    std::vector<Set> groups_;  // sets of sensitive values, the last one empty
    std::vector<Code> group_;  // by row of the view, while it is needed
    Records records_;
    int64_t leading_ = 0;  // so many of the first records are of units with a sensitive value
    Code values_ = 0;
    std::vector<int64_t> count_;
    PersonsByLabel persons_;
    std::vector<Code> seen_;
};

}  // namespace shoal
