// The Gray order of rows (P3 s.4.5.1): a row is a bit string, bit i for item i, read as a Gray code and sorted by the number
// that it stands for. The strings are never made: two rows are compared at the highest item that only one of them has, and
// the number of items above it, which both have, tells which of the two comes first.
//
// Time: that of sorting, each comparison as long as what the two rows have in common. Memory: one number a row.
#pragma once

#include "support.hpp"

namespace shoal {

// The rows' indices in Gray order; equal rows stay in input order.
inline std::vector<int64_t> gray_order(const RowsView& view) {
    std::vector<int64_t> order(view.rows);
    std::iota(order.begin(), order.end(), 0);
    auto before = [&](int64_t a, int64_t b) {
        const Code *x = view.end(a), *y = view.end(b);  // items ascend: read from the highest
        bool odd = false;
        for (; x != view.begin(a) && y != view.begin(b) && x[-1] == y[-1]; --x, --y) odd = !odd;
        Code in_a = x == view.begin(a) ? -1 : x[-1];
        Code in_b = y == view.begin(b) ? -1 : y[-1];
        if (in_a == in_b) return a < b;
        return odd ? in_a > in_b : in_a < in_b;
    };
    std::sort(order.begin(), order.end(), before);
    return order;
}

}  // namespace shoal
