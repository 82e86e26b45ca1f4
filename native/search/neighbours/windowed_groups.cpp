#include "search/neighbours/windowed_groups.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(windowed_groups) {
    module.def(
        "windowed_groups",
        [](In<int64_t> indptr, In<Code> items, Code labels, In<int64_t> number, In<uint8_t> seeds, In<uint8_t> deferred,
           int64_t take, int64_t reach, bool widen, nb::callable tick) {
            return array_of(interruptible(tick, [&](const Tick& call) {
                return WindowedGroups(view_of(indptr, items), labels, number.data(), seeds.data(), deferred.data())
                    .run(take, reach, widen, call);
            }));
        },
        "indptr"_a, "items"_a, "labels"_a, "number"_a, "seeds"_a, "deferred"_a, "take"_a, "reach"_a, "widen"_a, "tick"_a);
}
