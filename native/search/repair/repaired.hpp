// The result of Repair, for the files that bind it.
#pragma once

#include <optional>
#include <tuple>

#include "search/repair/repair.hpp"

namespace shoal {

// (raised, counted, repairs, unrepairable), the last of them none or (present, absent).
using Repaired = std::tuple<Set, int64_t, int64_t, std::optional<std::pair<Set, Set>>>;

template <class Criterion>
Repaired repaired(Repair<Criterion> repair, int first, int last) {
    for (int size = first; size <= last && repair.run(size);) ++size;
    std::pair<Set, Set> left;
    for (Code u : repair.unrepairable()) (u < 0 ? left.second : left.first).push_back(u < 0 ? ~u : u);
    bool all = left.first.empty() && left.second.empty();
    return {repair.raised(), repair.counted(), repair.repairs(), all ? std::nullopt : std::optional(left)};
}

}  // namespace shoal
