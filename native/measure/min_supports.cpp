#include "measure/min_supports.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(min_supports) {
    module.def(
        "min_supports",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, Code labels, int m, int threads, nb::callable tick) {
            return array_of(interruptible(tick, [&](const Tick& call) {
                return MinSupports(view_of(indptr, items, persons), labels).run(m, threads, call);
            }));
        },
        "indptr"_a, "items"_a, "persons"_a, "labels"_a, "m"_a, "threads"_a, "tick"_a);
}
