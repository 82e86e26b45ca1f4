// Array views and weighted rows, shared by all kernels. There is no counting here: searches, verifiers and measures each have
// their own code, including the merging of equal rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace shoal {

using Code = int32_t;

constexpr Code NOBODY = -1;  // a person with one row only

// A list of rows in compressed form; does not own its arrays.
struct RowsView {
    const int64_t* indptr;
    const Code* items;
    int64_t rows;
    const Code* persons = nullptr;  // by row: the person, if that person has several rows, else NOBODY; null: nobody has several
    Code person(int64_t row) const { return persons ? persons[row] : NOBODY; }
    const Code* begin(int64_t row) const { return items + indptr[row]; }
    const Code* end(int64_t row) const { return items + indptr[row + 1]; }
    int64_t size(int64_t row) const { return indptr[row + 1] - indptr[row]; }
};

// A list of rows that owns its arrays. The weight of a row is the number of persons with an equal row and no other row. The
// row of a person who has several rows has the weight 1.
struct Rows {
    std::vector<int64_t> indptr{0};
    std::vector<Code> items;
    std::vector<int64_t> weight;
    std::vector<Code> persons;  // by row, NOBODY for persons with one row only; empty: nobody has several

    int64_t size() const { return static_cast<int64_t>(weight.size()); }
    const Code* begin(int64_t row) const { return items.data() + indptr[row]; }
    const Code* end(int64_t row) const { return items.data() + indptr[row + 1]; }
    int64_t length(int64_t row) const { return indptr[row + 1] - indptr[row]; }

    Code person(int64_t row) const { return persons.empty() ? NOBODY : persons[row]; }

    void close_row(int64_t row_weight, Code person = NOBODY) {
        indptr.push_back(static_cast<int64_t>(items.size()));
        weight.push_back(row_weight);
        if (person == NOBODY && persons.empty()) return;
        persons.resize(weight.size(), NOBODY);
        persons.back() = person;
    }
};

}  // namespace shoal
