#include "measure/frequent_itemsets.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(frequent_itemsets) {
    using Arrays = std::tuple<Out<Code>, Out<Code>, Out<int64_t>, Out<int64_t>>;
    // (size of each set, their labels one set after the other, supports in the first and in the second rows), or none if
    // there are more than `most`.
    module.def(
        "frequent_itemsets",
        [](In<int64_t> indptr, In<Code> items, In<int64_t> other_indptr, In<Code> other_items, Code labels, int64_t least,
           int64_t most, int threads, nb::callable tick) -> std::optional<Arrays> {
            try {
                auto mined = interruptible(tick, [&](const Tick& call) {
                    ItemsetMiner miner(view_of(indptr, items), view_of(other_indptr, other_items), labels, least, most);
                    return miner.run(threads, call);
                });
                return Arrays(array_of(std::move(mined.sizes)), array_of(std::move(mined.items)),
                              array_of(std::move(mined.first)), array_of(std::move(mined.second)));
            } catch (const ItemsetMiner::TooMany&) {
                return {};
            }
        },
        "indptr"_a, "items"_a, "other_indptr"_a, "other_items"_a, "labels"_a, "least"_a, "most"_a, "threads"_a, "tick"_a);
}
