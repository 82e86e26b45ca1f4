#include "search/repair/repair_diversity.hpp"

#include "search/bind.hpp"
#include "search/repair/repaired.hpp"

using namespace shoal;

SHOAL_KERNEL(repair_diversity) {
    module.def(
        "repair_diversity",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, In<int64_t> sensitive_indptr, In<Code> sensitive_items,
           In<Code> parent, In<Code> span, In<int64_t> cost, Code leaves, int64_t l, int first, int last, In<Code> raised,
           bool bounded, int64_t most, int threads, nb::callable tick) {
            return interruptible(tick, [&](const Tick& call) {
                Tree tree = tree_of(parent, span, cost, leaves);
                Diversity criterion(view_of(indptr, items, persons), view_of(sensitive_indptr, sensitive_items), tree, l, call);
                return repaired(Repair<Diversity>(criterion, tree, raised.data(), length(raised), bounded, most, threads, call),
                                first, last);
            });
        },
        "indptr"_a, "items"_a, "persons"_a, "sensitive_indptr"_a, "sensitive_items"_a, "parent"_a, "span"_a, "cost"_a, "leaves"_a,
        "l"_a, "first"_a, "last"_a, "raised"_a, "bounded"_a, "most"_a, "threads"_a, "tick"_a);
}
