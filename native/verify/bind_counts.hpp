// Shared code of the files that bind tables of counts.
#pragma once

#include "core/bind.hpp"

namespace shoal {

// A method that gets more rows.
template <class Counts, void (Counts::*add)(const RowsView&)>
void more_rows(Counts& own, In<int64_t> indptr, In<Code> items, In<Code> persons) {
    without_gil([&] { (own.*add)(view_of(indptr, items, persons)); });
}

// All counts as an array, for another process.
template <class Counts>
auto cells_of(const Counts& own) {
    return array_of(without_gil([&] { return own.counts().all(); }));
}

// Adds the counts of another process.
template <class Counts, class Number>
void merge_cells(Counts& own, In<Number> cells) {
    without_gil([&] { own.counts().merge(cells.data(), length(cells)); });
}

}  // namespace shoal
