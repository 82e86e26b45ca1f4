#include "search/cuts/built_tree.hpp"

#include "search/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(built_tree) {
    module.def(
        "built_tree",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, In<Code> parent, In<Code> span, In<int64_t> cost, Code leaves,
           In<Code> raised, int size, bool by_leaves, double most, nb::callable tick) {
            return interruptible(tick, [&](const Tick& call) {
                BuiltTree built(view_of(indptr, items, persons), tree_of(parent, span, cost, leaves), raised.data(),
                                length(raised), size, by_leaves, call);
                if (built.work() > most) return std::make_tuple(int64_t{-1}, int64_t{-1});
                TreeSize found = built.count();
                return std::make_tuple(found.up_to_size, found.of_size);
            });
        },
        "indptr"_a, "items"_a, "persons"_a, "parent"_a, "span"_a, "cost"_a, "leaves"_a, "raised"_a, "size"_a, "by_leaves"_a,
        "most"_a, "tick"_a);
}
