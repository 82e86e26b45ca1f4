#include "verify/rare_itemsets.hpp"

#include "core/bind.hpp"

using namespace shoal;

// (checked, violations, [(codes, support)])
static auto told(const RareResult& result) {
    std::vector<std::pair<std::vector<Code>, int64_t>> sets;
    for (const auto& set : result.witnesses) sets.emplace_back(set.codes, set.support);
    return std::make_tuple(result.checked, result.violations, std::move(sets));
}

SHOAL_KERNEL(rare_itemsets) {
    module.def(
        "rare_itemsets",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, Code labels, int64_t k, int m, int64_t keep,
           bool first_size_only, int threads, nb::callable tick) {
            return told(interruptible(tick, [&](const Tick& call) {
                return RareCounter(view_of(indptr, items, persons), labels, k, m, keep, false)
                    .run(threads, call, first_size_only);
            }));
        },
        "indptr"_a, "items"_a, "persons"_a, "labels"_a, "k"_a, "m"_a, "keep"_a, "first_size_only"_a, "threads"_a, "tick"_a);

    module.def(
        "smallest_rare",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, Code labels, int64_t k, int m, int threads, nb::callable tick) {
            return array_of(interruptible(tick, [&](const Tick& call) {
                RareCounter counter(view_of(indptr, items, persons), labels, k, m, 0, true);
                counter.run(threads, call);
                return counter.smallest();
            }));
        },
        "indptr"_a, "items"_a, "persons"_a, "labels"_a, "k"_a, "m"_a, "threads"_a, "tick"_a);

    module.def(
        "rare_rows",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, Code labels, int64_t k, int64_t keep, nb::callable tick) {
            return told(interruptible(
                tick, [&](const Tick& call) { return rare_rows(view_of(indptr, items, persons), labels, k, keep, call); }));
        },
        "indptr"_a, "items"_a, "persons"_a, "labels"_a, "k"_a, "keep"_a, "tick"_a);
}
