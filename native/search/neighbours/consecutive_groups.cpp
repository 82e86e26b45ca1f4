#include "search/neighbours/consecutive_groups.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(consecutive_groups) {
    // (the least cost, the ends of the groups)
    module.def(
        "consecutive_groups",
        [](In<int64_t> indptr, In<Code> items, Code labels, int64_t k, int threads, nb::callable tick) {
            ConsecutiveGroups groups(view_of(indptr, items), labels, k);
            int64_t cost = interruptible(tick, [&](const Tick& call) { return groups.run(threads, call); });
            return std::make_pair(cost, array_of(groups.ends()));
        },
        "indptr"_a, "items"_a, "labels"_a, "k"_a, "threads"_a, "tick"_a);
}
