#include "search/neighbours/windowed_groups.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(windowed_groups) {
    module.def(
        "windowed_groups",
        [](In<int64_t> indptr, In<Code> items, Code labels, In<int64_t> number, In<uint8_t> deferred, int64_t take, int64_t reach,
           nb::callable tick) {
            return array_of(interruptible(tick, [&](const Tick& call) {
                return WindowedGroups(view_of(indptr, items), labels, number.data(), deferred.data()).run(take, reach, call);
            }));
        },
        "indptr"_a, "items"_a, "labels"_a, "number"_a, "deferred"_a, "take"_a, "reach"_a, "tick"_a);
}
