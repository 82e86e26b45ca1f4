// Two orders of rows by Gray codes. A row is a bit string with a bit for each item; the strings are never built.
//
// Terrovitis et al. 2011 (s.4.5.1) *decode*: bit i is item i; the string is read as a Gray code and sorted by the number that
// it represents. Two rows are compared at the highest item that only one of them has. The number of items above it, which
// both have, tells which of the two comes first.
//
// Wang et al. 2014 (s.4.2) *encode*: the first item is the highest bit; the string is read as a number b and sorted by its
// Gray code, b XOR (b >> 1). Two rows are compared at the first item that only one of them has: their codes differ there
// first, and the bit of the row that has it is set unless both have the item just before it.
//
// Time: that of sorting, where each comparison takes as long as the common part of the two rows. Memory: one number for each
// row.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// The indices of the rows, sorted by the numbers that they represent as Gray codes (decode). Equal rows keep the input order.
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

// The indices of the rows, sorted by their Gray codes (encode). Equal rows keep the input order.
inline std::vector<int64_t> gray_coded_order(const RowsView& view) {
    std::vector<int64_t> order(view.rows);
    std::iota(order.begin(), order.end(), 0);
    auto before = [&](int64_t a, int64_t b) {
        const Code *x = view.begin(a), *y = view.begin(b);
        Code both = -2;  // the last item that both have
        for (; x != view.end(a) && y != view.end(b) && *x == *y; ++x, ++y) both = *x;
        if (x == view.end(a) && y == view.end(b)) return a < b;
        bool in_a = y == view.end(b) || (x != view.end(a) && *x < *y);
        Code item = in_a ? *x : *y;
        return in_a == (both == item - 1);  // the row with a zero there comes first
    };
    std::sort(order.begin(), order.end(), before);
    return order;
}

}  // namespace shoal
