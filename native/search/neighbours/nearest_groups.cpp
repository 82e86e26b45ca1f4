#include "search/neighbours/nearest_groups.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(nearest_groups) {
    // way: 0 choose, 1 bits, 2 lists; the result is the same.
    module.def(
        "nearest_groups",
        [](In<int64_t> indptr, In<Code> items, Code labels, In<int64_t> seeds, In<uint8_t> deferred, int64_t take, int way,
           int threads, nb::callable tick) {
            return array_of(interruptible(tick, [&](const Tick& call) {
                return nearest_groups(view_of(indptr, items), labels, seeds.data(), length(seeds), deferred.data(), take,
                                      static_cast<Way>(way), threads, call);
            }));
        },
        "indptr"_a, "items"_a, "labels"_a, "seeds"_a, "deferred"_a, "take"_a, "way"_a, "threads"_a, "tick"_a);
}
