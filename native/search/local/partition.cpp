#include "search/local/partition.hpp"

#include "search/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(partition) {
    // (indptr and labels of the published rows; buckets, expansions, rows that stayed behind)
    module.def(
        "partition",
        [](In<int64_t> indptr, In<Code> items, In<Code> parent, In<Code> span, Code leaves, In<int64_t> penalty,
           In<int64_t> weights, int64_t k, nb::callable tick) {
            auto found = interruptible(tick, [&](const Tick& call) {
                Tree tree = tree_of(parent, span, penalty, leaves);
                return Partition(view_of(indptr, items), tree, weights.data(), k, call).run();
            });
            return std::make_tuple(array_of(std::move(found.indptr)), array_of(std::move(found.labels)), found.buckets,
                                   found.expansions, found.left);
        },
        "indptr"_a, "items"_a, "parent"_a, "span"_a, "leaves"_a, "penalty"_a, "weights"_a, "k"_a, "tick"_a);
}
