#include "search/siblings/regroup.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(regroup) {
    nb::class_<Regroup>(module, "Regroup")
        .def(
            "__init__",
            [](Regroup* self, In<int64_t> indptr, In<Code> items, In<Code> persons, In<Code> parent, In<int64_t> occurrences,
               In<Code> sizes, In<int64_t> penalty, In<Code> block_of, int64_t k, int64_t m, int64_t spare, uint64_t seed) {
                without_gil([&] {
                    new (self) Regroup(Grouping(view_of(indptr, items, persons), copy_of(parent), copy_of(occurrences),
                                                copy_of(sizes), copy_of(penalty), copy_of(block_of), k, m, spare),
                                       seed);
                });
            },
            "indptr"_a, "items"_a, "persons"_a, "parent"_a, "occurrences"_a, "sizes"_a, "penalty"_a, "block_of"_a, "k"_a, "m"_a,
            "spare"_a, "seed"_a)
        .def(
            "run",
            [](Regroup& self, double temperature, int64_t work, int64_t moves, nb::callable tick) {
                interruptible(tick, [&](const Tick& call) { self.run(temperature, work, moves, call); });
            },
            "temperature"_a, "work"_a, "moves"_a, "tick"_a)
        .def("cost", &Regroup::cost)
        .def("block_of", [](const Regroup& self) { return array_of(self.block_of()); });
}
