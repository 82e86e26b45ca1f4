#include "search/siblings/merge_clauses.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(merge_clauses) {
    nb::class_<MergeClauses>(module, "MergeClauses")
        .def(
            "__init__",
            [](MergeClauses* self, In<int64_t> indptr, In<Code> items, In<Code> persons, In<Code> parent, In<Code> span,
               In<int64_t> start, In<Code> order, int64_t k) {
                new (self) MergeClauses(view_of(indptr, items, persons), copy_of(parent), copy_of(span), copy_of(start),
                                        copy_of(order), k);
            },
            "indptr"_a, "items"_a, "persons"_a, "parent"_a, "span"_a, "start"_a, "order"_a, "k"_a)
        // (sizes, variables and weights of the clauses, their lacks, the state of each seed, rows examined)
        .def(
            "broken",
            [](MergeClauses& self, In<Code> seeds, int width, In<int64_t> near, In<Code> sibling, In<Code> variable,
               In<double> value, Code merged, Code far, double slack, int64_t most, int64_t each, int64_t work,
               nb::callable tick) {
                auto clauses = interruptible(tick, [&](const Tick& call) {
                    MergeClauses::Point point{near.data(), sibling.data(), variable.data(), value.data(), merged, far};
                    return self.run(seeds.data(), length(seeds) / width, width, point, {slack, most, each, work}, call);
                });
                return std::make_tuple(array_of(std::move(clauses.sizes)), array_of(std::move(clauses.variables)),
                                       array_of(std::move(clauses.weights)), array_of(std::move(clauses.lacks)),
                                       array_of(std::move(clauses.states)), clauses.looked);
            },
            "seeds"_a, "width"_a, "near"_a, "sibling"_a, "variable"_a, "value"_a, "merged"_a, "far"_a, "slack"_a, "most"_a,
            "each"_a, "work"_a, "tick"_a);
}
