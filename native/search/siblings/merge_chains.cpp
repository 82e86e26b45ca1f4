#include "search/siblings/merge_chains.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(merge_chains) {
    nb::class_<MergeChains>(module, "MergeChains")
        .def(
            "__init__",
            [](MergeChains* self, In<int64_t> indptr, In<Code> items, In<Code> persons, In<Code> parent, In<Code> span,
               In<int64_t> start, In<Code> order, int64_t k) {
                new (self) MergeChains(view_of(indptr, items, persons), copy_of(parent), copy_of(span), copy_of(start),
                                       copy_of(order), k);
            },
            "indptr"_a, "items"_a, "persons"_a, "parent"_a, "span"_a, "start"_a, "order"_a, "k"_a)
        // (four numbers for each clause, how many bases were done, the work)
        .def(
            "around",
            [](MergeChains& self, In<Code> nodes, In<Code> reaches, int64_t each, int64_t work) {
                auto chains = without_gil([&] { return self.run(nodes.data(), reaches.data(), length(nodes), each, work); });
                return std::make_tuple(array_of(std::move(chains.clauses)), chains.done, chains.looked);
            },
            "nodes"_a, "reaches"_a, "each"_a, "work"_a);
}
