// Counts persons instead of rows, for searches. Rows must be sorted by person, as distinct() sorts them: then a person who
// was counted for a set was the last one counted for it.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// Counts the persons of some rows.
class Persons {
public:
    void add(const Rows& rows, int64_t row) {
        Code person = rows.person(row);
        if (person == NOBODY || person != last_) count_ += rows.weight[row];
        last_ = person;
    }
    int64_t count() const { return count_; }

private:
    int64_t count_ = 0;
    Code last_ = NOBODY;
};

// Sorts the rows by person for counting. If nobody has several rows, the order stays the same.
inline Rows person_by_person(const RowsView& view) {
    std::vector<int64_t> order(view.rows);
    std::iota(order.begin(), order.end(), 0);
    if (view.persons)
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return view.person(a) < view.person(b); });
    Rows rows;
    rows.items.reserve(view.indptr[view.rows]);
    for (int64_t row : order) {
        rows.items.insert(rows.items.end(), view.begin(row), view.end(row));
        rows.close_row(1, view.person(row));
    }
    return rows;
}

inline int64_t persons_of(const Rows& rows) {
    Persons all;
    for (int64_t r = 0; r < rows.size(); ++r) all.add(rows, r);
    return all.count();
}

// Counts the persons of the rows of each label. It works on an external array of counts: a count of 0 starts a new count.
class PersonsByLabel {
public:
    void prepare(size_t labels, const Rows& rows) {
        if (!rows.persons.empty() && last_.size() < labels) last_.resize(labels, NOBODY);
        counts_rows_ = rows.persons.empty();
    }
    void add(int64_t& count, Code label, int64_t weight, Code person) {
        if (counts_rows_) {
            count += weight;
            return;
        }
        if (!count || person == NOBODY || person != last_[label]) count += weight;
        last_[label] = person;
    }

private:
    std::vector<Code> last_;  // by label: the person counted last
    bool counts_rows_ = true;
};

}  // namespace shoal
