// The persons with several rows who have a row that meets something. The last ones added can be removed again.
#pragma once

#include "core/rows.hpp"

namespace shoal {

class MetPersons {
public:
    explicit MetPersons(const RowsView& view) {
        if (view.persons) met_.assign(*std::max_element(view.persons, view.persons + view.rows) + 1, 0);
    }
    bool any_with_several_rows() const { return !met_.empty(); }
    bool has(Code person) const { return met_[person]; }
    size_t size() const { return order_.size(); }

    // Adds a person. Returns whether that is new, which is always true for persons with one row.
    bool add(Code person) {
        if (person == NOBODY) return true;
        if (met_[person]) return false;
        met_[person] = 1;
        order_.push_back(person);
        return true;
    }
    // Removes all but the first ones.
    void forget(size_t but) {
        for (; order_.size() > but; order_.pop_back()) met_[order_.back()] = 0;
    }

private:
    std::vector<uint8_t> met_;  // by person
    std::vector<Code> order_;
};

}  // namespace shoal
