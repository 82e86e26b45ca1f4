// Array views and weighted rows, shared by all kernels. No counting here: searches, verifiers and measures each have their own,
// down to the merging of equal rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace shoal {

using Code = int32_t;

// A list of rows in compressed form; does not own its arrays.
struct RowsView {
    const int64_t* indptr;
    const Code* items;
    int64_t rows;
    const Code* begin(int64_t row) const { return items + indptr[row]; }
    const Code* end(int64_t row) const { return items + indptr[row + 1]; }
    int64_t size(int64_t row) const { return indptr[row + 1] - indptr[row]; }
};

// A list of rows that owns its arrays, each row with a weight (how many equal rows it stands for).
struct Rows {
    std::vector<int64_t> indptr{0};
    std::vector<Code> items;
    std::vector<int64_t> weight;

    int64_t size() const { return static_cast<int64_t>(weight.size()); }
    const Code* begin(int64_t row) const { return items.data() + indptr[row]; }
    const Code* end(int64_t row) const { return items.data() + indptr[row + 1]; }
    int64_t length(int64_t row) const { return indptr[row + 1] - indptr[row]; }

    void close_row(int64_t row_weight) {
        indptr.push_back(static_cast<int64_t>(items.size()));
        weight.push_back(row_weight);
    }
};

}  // namespace shoal
