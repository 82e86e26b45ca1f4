// Counts persons for the verifiers: a person with several rows counts once. Searches and measures have their own code.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// The rows, sorted by person. Rows of persons who have no other row come first.
inline std::vector<int64_t> by_person(const RowsView& view) {
    std::vector<int64_t> order(view.rows);
    std::iota(order.begin(), order.end(), 0);
    if (view.persons)
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return view.persons[a] < view.persons[b]; });
    return order;
}

// The number of different persons.
inline int64_t all_persons(const RowsView& view) {
    if (!view.persons) return view.rows;
    std::vector<Code> several;
    for (int64_t r = 0; r < view.rows; ++r)
        if (view.persons[r] != NOBODY) several.push_back(view.persons[r]);
    auto alone = view.rows - static_cast<int64_t>(several.size());
    std::sort(several.begin(), several.end());
    return alone + (std::unique(several.begin(), several.end()) - several.begin());
}

// What a row adds to the number of persons: 0 if the same person was counted just before. For rows sorted by person.
class Latest {
public:
    int64_t adds(int64_t weight, Code person) {
        bool again = person != NOBODY && person == person_;
        person_ = person;
        return again ? 0 : weight;
    }

private:
    Code person_ = NOBODY;
};

// The same for each of many labels; `counted` is the count so far for the label, 0 if it is new.
class LatestByLabel {
public:
    void prepare(size_t labels, bool several) {
        if (several && person_.size() < labels) person_.resize(labels, NOBODY);
    }
    int64_t adds(Code label, int64_t counted, int64_t weight, Code person) {
        if (person_.empty()) return weight;
        bool again = counted && person != NOBODY && person == person_[label];
        person_[label] = person;
        return again ? 0 : weight;
    }

private:
    std::vector<Code> person_;  // empty: nobody has several rows
};

}  // namespace shoal
