// Rows of units and their labels, which change as nodes move from label to label. It tells how a move would change the rows
// that hold the node: rows of persons with one row one by one, the others person by person.
#pragma once

#include "search/siblings/person_labels.hpp"
#include "search/siblings/unit_rows.hpp"

namespace shoal {

class LabelledRows : protected UnitRows {
protected:
    using Bits = PersonLabels::Bits;
    using Person = PersonLabels::Person;

    // label_of: the label of each unit.
    LabelledRows(const RowsView& rows, const std::vector<Code>& parent, const std::vector<Code>& label_of, Code slots)
        : UnitRows(rows, parent), label_(rows_.items.size()), count_(rows_.items.size()), length_(rows_.size(), 0),
          people_(rows_, slots), place_(rows_.persons.empty() ? 0 : rows_.items.size()) {
        for (int64_t row = 0; row < rows_.size(); ++row)
            for (const Code* item = rows_.begin(row); item != rows_.end(row); ++item) add(row, label_of[*item], 1);
        for (Step& one : steps_)
            for (Bits* bits : {&one.gone, &one.came, &one.left, &one.had, &one.joint, &one.then_joint})
                bits->resize(people_.most_words());
        fresh_.resize(std::max(people_.most_wide(), people_.most_words()));
    }

    int64_t labels_from(int64_t row) const { return rows_.indptr[row]; }
    int64_t labels_to(int64_t row) const { return rows_.indptr[row] + length_[row]; }
    bool holds(int64_t row, Code label) const {
        const Code *first = label_.data() + labels_from(row), *stop = label_.data() + labels_to(row);
        return std::find(first, stop, label) != stop;
    }

    // Moves a node in the rows that hold it.
    void relabel(Code node, Code from, Code to) {
        for (int64_t n = held_[node]; n < held_[node + 1]; ++n) {
            Code row = holder_[n];
            int64_t i = rows_.indptr[row];
            while (label_[i] != from) ++i;
            if (!(count_[i] -= times_[n])) {
                int64_t last = rows_.indptr[row] + --length_[row];
                label_[i] = label_[last], count_[i] = count_[last];
                if (row >= people_.begin()) {
                    people_.remove(rows_.persons[row], place_[i], row);
                    place_[i] = place_[last];
                }
            }
            add(row, to, times_[n]);
        }
    }

    // Visits how a row that holds the node changes: whether `from` disappears from it, and whether `to` is there already.
    // Rows of persons with several rows are not visited; the first holder of such a row is returned.
    template <class Visit>
    int64_t each_holder(Code node, Code from, Code to, Visit visit) const {
        int64_t n = held_[node];
        for (; n < held_[node + 1]; ++n) {
            Code row = holder_[n];
            if (row >= people_.begin()) break;
            const Code *first = label_.data() + rows_.indptr[row], *stop = first + length_[row];
            bool vanishes = false, there = false;
            for (const Code* label = first; label != stop; ++label) {
                if (*label == from) vanishes = count_[label - label_.data()] == times_[n];
                else if (*label == to) there = true;
            }
            visit(first, stop, static_cast<int32_t>(rows_.weight[row]), vanishes, there);
        }
        return n;
    }

    // ---- persons with several rows: rows are bits, and i is the place of a label in one of them

    // The effect of a move on the rows of one person.
    struct Step {
        const Person* person = nullptr;
        int64_t first = 0, stop = 0;  // the rows that hold the node: holder_[first] .. holder_[stop - 1]
        Bits gone, came;  // rows from which `from` disappears; rows in which `to` is new
        Bits left, had;  // rows that keep `from`; rows that had `to` before
        Bits joint, then_joint;  // rows that had both before; rows that have both after
        Code from = 0, to = 0;  // the places of both labels; `to` is NONE if the person has no row with it
        bool changed = false;  // whether some row changes
    };

    // Visits the persons who hold the node, starting at a holder, if some of their rows change. `known`: some person holds
    // `to`. Returns the work. Some persons are read before the first of them is visited, so that their masks are in the
    // cache.
    template <class Visit>
    int64_t each_person(int64_t n, Code node, Code from, Code to, bool known, Visit visit) {
        int64_t looked = 0;
        while (n < held_[node + 1]) {
            size_t read = 0;
            for (; read < AHEAD && n < held_[node + 1]; n = steps_[read].stop, read += steps_[read].changed)
                looked += read_person(steps_[read], n, held_[node + 1], from, to, known);
            for (size_t i = 0; i < read; ++i) {
                step_ = &steps_[i];
                fill(*step_);
                visit();
            }
        }
        return looked;
    }

    // Adds 1 for each label of the changed rows of a person, except `from` and `to`, that no row of `with` holds.
    void count_new(const Bits& changed, const Bits& with, int32_t* counts) {
        const Person& person = *step_->person;
        if (!any(changed)) return;
        Code wide = person.wide_used();
        std::fill_n(fresh_.begin(), wide, 0);
        each_row(changed, [&](const uint64_t* labels) {
            for (Code w = 0; w < wide; ++w) fresh_[w] |= labels[w];
            return true;
        });
        for (Code place : {step_->from, step_->to})
            if (place != PersonLabels::NONE) fresh_[place >> 6] &= ~PersonLabels::bit(place);
        each_row(with, [&](const uint64_t* labels) {
            uint64_t some = 0;
            for (Code w = 0; w < wide; ++w) some |= fresh_[w] &= ~labels[w];
            return some != 0;
        });
        for (Code w = 0; w < wide; ++w)
            for (uint64_t left = fresh_[w]; left; left &= left - 1)
                ++counts[people_.label(person, w * 64 + __builtin_ctzll(left))];
    }
    // Visits the labels of rows of the person, until the visitor stops.
    template <class Visit>
    void each_row(const Bits& rows, Visit visit) const {
        const Person& person = *step_->person;
        for (Code w = 0; w < person.words; ++w)
            for (uint64_t left = rows[w]; left; left &= left - 1)
                if (!visit(people_.labels(person, person.first + w * 64 + __builtin_ctzll(left)))) return;
    }

    // Visits the changed rows of the person in order, and then adds each to `with`: sets in these rows are counted already.
    // `visit` receives the words of `with` that are not 0.
    template <class Visit>
    void each_changed(const Bits& changed, Bits& with, Visit visit) const {
        Words some{0, step_->person->words};
        while (some.first < some.last && !with[some.first]) ++some.first;
        while (some.first < some.last && !with[some.last - 1]) --some.last;
        for (int64_t n = step_->first; n < step_->stop; ++n) {
            Code row = holder_[n], at = row - step_->person->first;
            if (!(changed[at >> 6] & PersonLabels::bit(at))) continue;
            visit(labels_from(row), labels_to(row), some);
            add_row(with, *step_->person, row);
            some = some.none() ? Words{at >> 6, (at >> 6) + 1}
                               : Words{std::min(some.first, at >> 6), std::max(some.last, (at >> 6) + 1)};
        }
    }

    // Visits the pairs of labels of the changed rows of a person, except `from` and `to`, that no row of `with` holds.
    // Returns the work.
    template <class Visit>
    int64_t each_new_pair(const Bits& changed, Bits& with, Code from, Code to, Visit visit) {
        int64_t looked = 0;
        each_changed(changed, with, [&](int64_t i, int64_t stop, Words some) {
            looked += (stop - i) * (stop - i) / 2;
            masks_.clear();
            for (; i < stop; ++i)
                if (label_[i] != from && label_[i] != to) masks_.push_back({label_[i], people_.rows(*step_->person, place_[i])});
            for (size_t a = 0; a < masks_.size(); ++a) {
                Words both = some;
                for (Code w = some.first; w < some.last; ++w) fresh_[w] = with[w] & masks_[a].rows[w];
                while (both.first < both.last && !fresh_[both.first]) ++both.first;
                while (both.first < both.last && !fresh_[both.last - 1]) --both.last;
                for (size_t b = a + 1; b < masks_.size(); ++b) {
                    uint64_t common = 0;
                    for (Code w = both.first; w < both.last; ++w) common |= fresh_[w] & masks_[b].rows[w];
                    if (!common) visit(masks_[a].label, masks_[b].label);
                }
            }
        });
        return looked;
    }

    struct Words {
        Code first, last;
        bool none() const { return first == last; }
    };
    bool any(const Bits& rows) const {
        uint64_t some = 0;
        for (Code w = 0; w < step_->person->words; ++w) some |= rows[w];
        return some != 0;
    }
    // Whether some of the rows also hold the label; returns these rows.
    bool meet(const Bits& rows, const Person& person, int64_t i, Words some) const {
        if (some.none()) return false;
        const uint64_t* with = people_.rows(person, place_[i]);
        uint64_t common = 0;
        for (Code w = some.first; w < some.last; ++w) common |= rows[w] & with[w];
        return common != 0;
    }
    bool narrow(const Bits& rows, const Person& person, int64_t i, Words some, Bits& to) const {
        to.resize(person.words);
        if (some.none()) return false;
        const uint64_t* with = people_.rows(person, place_[i]);
        uint64_t common = 0;
        for (Code w = some.first; w < some.last; ++w) common |= to[w] = rows[w] & with[w];
        return common != 0;
    }
    static void add_row(Bits& rows, const Person& person, int64_t row) {
        rows[(row - person.first) >> 6] |= PersonLabels::bit(row - person.first);
    }

    std::vector<Code> label_, count_, length_;  // of each row: its labels, the start of its units in rows_, its units
    PersonLabels people_;
    Step* step_ = nullptr;  // of the visited person
    Bits fresh_;
    struct Mask {
        Code label;
        const uint64_t* rows;
    };
    std::vector<Mask> masks_;  // masks of the labels of a row

private:
    static constexpr size_t AHEAD = 16;  // number of persons to prefetch
    static constexpr int64_t ROWS_AHEAD = 8;

    // Reads the rows of one person that hold the node. Returns the work.
    int64_t read_person(Step& step, int64_t n, int64_t end, Code from, Code to, bool known) const {
        int64_t looked = 0, with_from = 0, with_to = -1;  // places of both labels
        Code who = rows_.persons[holder_[n]];
        const Person& person = people_[who];
        step.person = &person, step.first = n, step.changed = false, step.to = PersonLabels::NONE;
        std::fill_n(step.gone.begin(), person.words, 0), std::fill_n(step.came.begin(), person.words, 0);
        for (; n < end && rows_.persons[holder_[n]] == who; ++n) {
            Code row = holder_[n];
            bool vanishes = false, there = false;
            if (n + ROWS_AHEAD < end)
                for (const auto* values : {&label_, &count_, &place_})
                    __builtin_prefetch(values->data() + labels_from(holder_[n + ROWS_AHEAD]));
            __builtin_prefetch(people_.labels(person, row));
            for (int64_t i = labels_from(row), last = labels_to(row); i < last; ++i) {
                if (label_[i] == from) vanishes = count_[i] == times_[n], with_from = i;
                else if (label_[i] == to) there = true, with_to = i;
            }
            if (vanishes) add_row(step.gone, person, row);
            if (!there) add_row(step.came, person, row);
            step.changed |= vanishes || !there;
            looked += length_[row] + 2;
        }
        step.stop = n;
        if (!step.changed) return looked;
        step.from = place_[with_from];
        if (with_to >= 0) step.to = place_[with_to];
        else if (known) step.to = people_.find(person, to);
        __builtin_prefetch(people_.rows(person, step.from));
        if (step.to != PersonLabels::NONE) __builtin_prefetch(people_.rows(person, step.to));
        return looked;
    }
    void fill(Step& step) const {
        const Person& person = *step.person;
        const uint64_t *rows = people_.rows(person, step.from), *others = nullptr;
        if (step.to != PersonLabels::NONE) others = people_.rows(person, step.to);
        for (Code w = 0; w < person.words; ++w) {
            step.left[w] = rows[w] & ~step.gone[w];
            step.had[w] = others ? others[w] : 0;
            step.joint[w] = rows[w] & step.had[w];
            step.then_joint[w] = step.left[w] & (step.had[w] | step.came[w]);
        }
    }

    // Changes the count of a label in a row.
    void add(int64_t row, Code label, Code times) {
        int64_t i = labels_from(row), stop = labels_to(row);
        while (i < stop && label_[i] != label) ++i;
        if (i < stop) {
            count_[i] += times;
            return;
        }
        label_[i] = label, count_[i] = times, ++length_[row];
        if (row >= people_.begin()) place_[i] = people_.put(rows_.persons[row], label, row);
    }

    Step steps_[AHEAD];
    std::vector<Code> place_;  // place of each label among those of the person; empty: nobody has several rows
};

}  // namespace shoal
