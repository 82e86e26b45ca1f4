// A fractional sibling grouping: what clauses are looked for against.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// The variables, by node: those of its listed siblings, whether it is merged at all, and with how many unlisted ones.
struct MergePoint {
    const int64_t* near;  // [nodes + 1] where the listed siblings of each node begin
    const Code* sibling;
    const Code* variable;
    const double* value;  // of each variable
    Code merged, far;  // the first variable of these kinds, that of node 0
};

}  // namespace shoal
