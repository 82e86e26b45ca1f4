// Two orders of rows by Gray codes. A row is a bit string with a bit for each item; the strings are never made.
//
// P3 s.4.5.1 *decodes*: bit i for item i; the string is read as a Gray code and sorted by the number that it stands for.
// Two rows are compared at the highest item that only one of them has, and the number of items above it, which both have,
// tells which of the two comes first.
// P1 s.4.2 *encodes*: the first item is the highest bit; the string is read as a number b and sorted by its Gray code,
// b XOR (b >> 1). Two rows are compared at the first item that only one of them has: their codes differ there first, and
// the bit of the row that has it is set unless both have the item just before it.
//
// Time: that of sorting, each comparison as long as what the two rows have in common. Memory: one number a row.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// The rows' indices by what they stand for as Gray codes (P3); equal rows stay in input order.
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

// The rows' indices by their Gray codes (P1); equal rows stay in input order.
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
        return in_a == (both == item - 1);  // the one with a zero there comes first
    };
    std::sort(order.begin(), order.end(), before);
    return order;
}

}  // namespace shoal
