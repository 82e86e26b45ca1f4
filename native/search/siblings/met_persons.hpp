// Those with several rows of whom a row has met something; the last ones to be noted can be forgotten again.
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

    // Whether that is new; it always is for persons with one row.
    bool add(Code person) {
        if (person == NOBODY) return true;
        if (met_[person]) return false;
        met_[person] = 1;
        order_.push_back(person);
        return true;
    }
    // All but the first so many.
    void forget(size_t but) {
        for (; order_.size() > but; order_.pop_back()) met_[order_.back()] = 0;
    }

private:
    std::vector<uint8_t> met_;  // by person
    std::vector<Code> order_;
};

}  // namespace shoal
