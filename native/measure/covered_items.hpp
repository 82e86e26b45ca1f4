// How often each item of the original rows is covered by the published row, if at most one label covers an item.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// label_of: the label that covers each item, or -1. Rows of both lists correspond.
inline std::vector<int64_t> covered_items(const RowsView& original, const RowsView& published, const Code* label_of, Code items,
                                          Code labels) {
    if (original.rows != published.rows) throw std::invalid_argument("both lists must have the same rows");
    std::vector<int64_t> covered(items, 0);
    std::vector<int64_t> row_of(labels, -1);  // the last published row with each label
    for (int64_t r = 0; r < original.rows; ++r) {
        for (const Code* label = published.begin(r); label != published.end(r); ++label) {
            if (*label < 0 || *label >= labels) throw std::invalid_argument("a label is unknown");
            row_of[*label] = r;
        }
        for (const Code* item = original.begin(r); item != original.end(r); ++item) {
            if (*item < 0 || *item >= items) throw std::invalid_argument("an item is unknown");
            Code label = label_of[*item];
            covered[*item] += label >= 0 && label < labels && row_of[label] == r;
        }
    }
    return covered;
}

}  // namespace shoal
