#include "verify/negative_itemsets.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(negative_itemsets) {
    module.def(
        "rare_negative_itemsets",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, Code labels, int64_t k, int m, int64_t keep, int threads,
           nb::callable tick) {
            auto result = interruptible(tick, [&](const Tick& call) {
                return NegativeItemsetCounter(view_of(indptr, items, persons), labels, k, keep).run(m, threads, call);
            });
            std::vector<std::tuple<std::vector<Code>, std::vector<Code>, int64_t>> itemsets;
            for (const auto& one : result.witnesses) itemsets.emplace_back(one.present, one.absent, one.count);
            return std::make_tuple(result.checked, result.violations, std::move(itemsets));
        },
        "indptr"_a, "items"_a, "persons"_a, "labels"_a, "k"_a, "m"_a, "keep"_a, "threads"_a, "tick"_a);
}
