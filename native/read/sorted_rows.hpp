// Rows of codes as sets: each code is replaced by its rank and sorted within its row, and duplicates are removed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/rows.hpp"

namespace shoal {

struct SortedRows {
    std::vector<int64_t> indptr;
    std::vector<Code> items;
};

// sizes[r] codes belong to row r; a code below 0 or without a rank is an error.
inline SortedRows sorted_rows(const int32_t* sizes, int64_t rows, const Code* codes, int64_t n_codes, const Code* rank,
                              int64_t n_ranks) {
    SortedRows sorted;
    sorted.indptr.reserve(static_cast<size_t>(rows) + 1);
    sorted.indptr.push_back(0);
    sorted.items.resize(static_cast<size_t>(n_codes));
    Code* const all = sorted.items.data();
    Code* end = all;
    int64_t read = 0;
    for (int64_t row = 0; row < rows; ++row) {
        if (sizes[row] < 0 || sizes[row] > n_codes - read) throw std::invalid_argument("the sizes of rows do not fit the codes");
        Code* const start = end;
        bool ascending = true;
        for (const int64_t stop = read + sizes[row]; read < stop; ++read) {
            if (codes[read] < 0 || codes[read] >= n_ranks) throw std::invalid_argument("a code has no rank");
            const Code item = rank[codes[read]];
            ascending = ascending && (end == start || end[-1] < item);
            *end++ = item;
        }
        if (!ascending) {
            std::sort(start, end);
            end = std::unique(start, end);
        }
        sorted.indptr.push_back(end - all);
    }
    if (read != n_codes) throw std::invalid_argument("the sizes of rows do not fit the codes");
    sorted.items.resize(static_cast<size_t>(end - all));
    return sorted;
}

}  // namespace shoal
