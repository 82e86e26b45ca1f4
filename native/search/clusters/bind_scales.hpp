// Scales as Python gives them.
#pragma once

#include "core/bind.hpp"
#include "search/clusters/scale.hpp"

namespace shoal {

using Scales = std::vector<std::tuple<bool, In<int64_t>, int64_t, Code>>;  // along, costs, whole, missing

inline std::vector<Scale> scales_of(const Scales& scales) {
    std::vector<Scale> all;
    for (const auto& [along, costs, whole, missing] : scales) all.emplace_back(along, copy_of(costs), whole, missing);
    return all;
}

}  // namespace shoal
