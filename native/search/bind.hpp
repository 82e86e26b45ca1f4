// Shared code of the files that bind searches over a hierarchy.
#pragma once

#include "core/bind.hpp"
#include "search/cut.hpp"

namespace shoal {

inline Tree tree_of(const In<Code>& parent, const In<Code>& span, const In<int64_t>& cost, Code leaves) {
    return {parent.data(), span.data(), cost.data(), static_cast<Code>(parent.shape(0)), leaves};
}

}  // namespace shoal
