// Rows of units and the labels that stand for them, which change as nodes move from label to label. It tells what a move would
// do to the rows that hold the node: those of persons with one row each by one, those of the others person by person.
#pragma once

#include "search/siblings/person_labels.hpp"
#include "search/siblings/unit_rows.hpp"

namespace shoal {

class LabelledRows : protected UnitRows {
protected:
    using Bits = PersonLabels::Bits;
    using Person = PersonLabels::Person;

    // label_of: of each unit.
    LabelledRows(const RowsView& rows, const std::vector<Code>& parent, const std::vector<Code>& label_of)
        : UnitRows(rows, parent), label_(rows_.items.size()), count_(rows_.items.size()), length_(rows_.size(), 0),
          people_(rows_), place_(rows_.persons.empty() ? 0 : rows_.items.size()) {
        for (int64_t row = 0; row < rows_.size(); ++row)
            for (const Code* item = rows_.begin(row); item != rows_.end(row); ++item) add(row, label_of[*item], 1);
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

    // How a row that holds the node changes: whether `from` vanishes from it, and whether `to` is there already. Not the rows of
    // persons with several, whose first holder is returned.
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

    // ---- persons with several rows: rows are bits, and i is where a label stands in one of them

    // What a move does to the rows of one person.
    struct Step {
        const Person* person = nullptr;
        int64_t first = 0, stop = 0;  // those that hold the node: holder_[first] .. holder_[stop - 1]
        Bits gone, came;  // `from` vanishes from them; `to` is new in them
        Bits left, had;  // they keep `from`; they had `to` before
        Bits joint, then_joint;  // they had both; they have both then
    };

    // Visits the persons who hold the node, from a holder on, if some of their rows change. `known`: somebody holds `to`. Returns
    // how much was looked at.
    template <class Visit>
    int64_t each_person(int64_t n, Code node, Code from, Code to, bool known, Visit visit) {
        int64_t looked = 0;
        for (int64_t stop; n < held_[node + 1]; n = stop) {
            Code who = rows_.persons[holder_[n]], of_to = PersonLabels::NONE;
            int64_t with_from = 0, with_to = -1;  // where they stand
            const Person& person = people_[who];
            step_.gone.assign(person.words, 0), step_.came.assign(person.words, 0);
            bool changed = false;
            for (stop = n; stop < held_[node + 1] && rows_.persons[holder_[stop]] == who; ++stop) {
                Code row = holder_[stop];
                bool vanishes = false, there = false;
                if (stop + AHEAD < held_[node + 1]) prefetch(holder_[stop + AHEAD]);
                for (int64_t i = labels_from(row), last = labels_to(row); i < last; ++i) {
                    if (label_[i] == from) vanishes = count_[i] == times_[stop], with_from = i;
                    else if (label_[i] == to) there = true, with_to = i;
                }
                if (vanishes) add_row(step_.gone, person, row);
                if (!there) add_row(step_.came, person, row);
                if (vanishes || !there) changed = true, prefetch(person, row);
                looked += length_[row] + 2;
            }
            if (!changed) continue;
            if (with_to >= 0) of_to = place_[with_to];
            else if (known) of_to = people_.find(person, to);
            const uint64_t *rows = people_.rows(person, place_[with_from]), *others = nullptr;
            if (of_to != PersonLabels::NONE) others = people_.rows(person, of_to);
            step_.person = &person, step_.first = n, step_.stop = stop;
            for (Bits* bits : {&step_.left, &step_.had, &step_.joint, &step_.then_joint}) bits->resize(person.words);
            for (Code w = 0; w < person.words; ++w) {
                step_.left[w] = rows[w] & ~step_.gone[w];
                step_.had[w] = others ? others[w] : 0;
                step_.joint[w] = rows[w] & step_.had[w];
                step_.then_joint[w] = step_.left[w] & (step_.had[w] | step_.came[w]);
            }
            visit();
        }
        return looked;
    }

    // Visits the person's rows that have changed, in order, and then adds each to `with`: what a set has there is counted already.
    // `visit` is told which words of `with` are not 0.
    template <class Visit>
    void each_changed(const Bits& changed, Bits& with, Visit visit) const {
        Words some{0, step_.person->words};
        while (some.first < some.last && !with[some.first]) ++some.first;
        while (some.first < some.last && !with[some.last - 1]) --some.last;
        for (int64_t n = step_.first; n < step_.stop; ++n) {
            Code row = holder_[n], at = row - step_.person->first;
            if (!(changed[at >> 6] & PersonLabels::bit(at))) continue;
            visit(labels_from(row), labels_to(row), some);
            add_row(with, *step_.person, row);
            some = some.none() ? Words{at >> 6, (at >> 6) + 1}
                               : Words{std::min(some.first, at >> 6), std::max(some.last, (at >> 6) + 1)};
        }
    }

    struct Words {
        Code first, last;
        bool none() const { return first == last; }
    };
    static bool any(const Bits& rows) {
        uint64_t some = 0;
        for (uint64_t word : rows) some |= word;
        return some != 0;
    }
    // Whether some of the rows hold the label as well; which of them do.
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
    // What will be looked at soon is fetched meanwhile: rows and masks are far apart.
    static constexpr int64_t AHEAD = 8;  // rows
    void prefetch(int64_t row) const {
        for (const auto* values : {&label_, &count_, &place_}) __builtin_prefetch(values->data() + labels_from(row));
    }
    void prefetch(const Person& person, int64_t row) const {
        for (int64_t i = labels_from(row); i < labels_to(row); ++i) __builtin_prefetch(people_.rows(person, place_[i]));
    }
    static void add_row(Bits& rows, const Person& person, int64_t row) {
        rows[(row - person.first) >> 6] |= PersonLabels::bit(row - person.first);
    }

    std::vector<Code> label_, count_, length_;  // the labels of each row, where its units are in rows_, and how many units
    PersonLabels people_;
    Step step_;

private:
    // Adds to the count of a label in a row.
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

    std::vector<Code> place_;  // of the label among those of the person; empty: nobody has several rows
};

}  // namespace shoal
