// Rows of labels as lines of text: the labels of a row, with a separator between them and a line end after them.
#pragma once

#include <string>

#include "core/rows.hpp"

namespace shoal {

// Label c is text[offsets[c], offsets[c + 1]).
inline std::vector<uint8_t> joined_lines(const RowsView& rows, const uint8_t* text, const int64_t* offsets, int64_t labels,
                                         const std::string& separator) {
    for (int64_t label = 0; label < labels; ++label)
        if (offsets[label] < 0 || offsets[label] > offsets[label + 1]) throw std::invalid_argument("offsets must ascend");
    int64_t size = rows.rows;
    for (int64_t e = rows.indptr[0]; e < rows.indptr[rows.rows]; ++e) {
        Code label = rows.items[e];
        if (label < 0 || label >= labels) throw std::invalid_argument("a label is unknown");
        size += offsets[label + 1] - offsets[label];
    }
    for (int64_t r = 0; r < rows.rows; ++r)
        if (rows.size(r) > 1) size += (rows.size(r) - 1) * static_cast<int64_t>(separator.size());
    std::vector<uint8_t> out(static_cast<size_t>(size));
    uint8_t* at = out.data();
    for (int64_t r = 0; r < rows.rows; ++r) {
        for (const Code* label = rows.begin(r); label != rows.end(r); ++label) {
            if (label != rows.begin(r)) at = std::copy(separator.begin(), separator.end(), at);
            at = std::copy(text + offsets[*label], text + offsets[*label + 1], at);
        }
        *at++ = '\n';
    }
    return out;
}

}  // namespace shoal
