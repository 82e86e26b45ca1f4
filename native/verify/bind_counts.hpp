// Shared code of the files that bind tables of counts.
#pragma once

#include "core/bind.hpp"

namespace shoal {

// A method that gets more rows.
template <class Counts, void (Counts::*add)(const RowsView&)>
void more_rows(Counts& own, In<int64_t> indptr, In<Code> items, In<Code> persons) {
    without_gil([&] { (own.*add)(view_of(indptr, items, persons)); });
}

}  // namespace shoal
