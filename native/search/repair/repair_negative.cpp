#include "search/repair/repair_negative.hpp"

#include "search/bind.hpp"
#include "search/repair/repaired.hpp"

using namespace shoal;

SHOAL_KERNEL(repair_negative) {
    module.def(
        "repair_negative",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, In<Code> parent, In<Code> span, In<int64_t> cost, Code leaves,
           int64_t k, int first, int last, In<Code> raised, int64_t most, int threads, nb::callable tick) {
            return interruptible(tick, [&](const Tick& call) {
                Tree tree = tree_of(parent, span, cost, leaves);
                Negative criterion(view_of(indptr, items, persons), tree, k, call);
                return repaired(Repair<Negative>(criterion, tree, raised.data(), length(raised), false, most, threads, call),
                                first, last);
            });
        },
        "indptr"_a, "items"_a, "persons"_a, "parent"_a, "span"_a, "cost"_a, "leaves"_a, "k"_a, "first"_a, "last"_a, "raised"_a,
        "most"_a, "threads"_a, "tick"_a);
}
