// Conversion of scales from Python.
#pragma once

#include "core/bind.hpp"
#include "search/clusters/scale.hpp"

namespace shoal {

using Scales = std::vector<std::tuple<int, In<int64_t>, int64_t, Code>>;  // kind, costs, whole, missing

inline std::vector<Scale> scales_of(const Scales& scales) {
    std::vector<Scale> all;
    for (const auto& [kind, costs, whole, missing] : scales)
        all.emplace_back(static_cast<Scale::Kind>(kind), copy_of(costs), whole, missing);
    return all;
}

// The columns of codes, each with a code for every row.
inline std::vector<const Code*> pointers(const std::vector<In<Code>>& codes, int64_t rows) {
    std::vector<const Code*> columns;
    for (const In<Code>& column : codes) {
        if (length(column) != rows) throw std::invalid_argument("one code for each row is wanted");
        columns.push_back(column.data());
    }
    return columns;
}

}  // namespace shoal
