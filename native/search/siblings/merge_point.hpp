// A fractional sibling grouping, for which violated clauses are searched.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// The variables of each node: those of its listed siblings, whether it is merged at all, and the number of unlisted siblings.
struct MergePoint {
    const int64_t* near;  // [nodes + 1] start of the listed siblings of each node
    const Code* sibling;
    const Code* variable;
    const double* value;  // value of each variable
    Code merged, far;  // the first variable of each kind, that of node 0
};

}  // namespace shoal
