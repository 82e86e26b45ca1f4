#include "search/clusters/merge_until_safe.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(merge_until_safe) {
    // The smallest item of the label of each item, -1 for items that do not occur; or none if there is no solution.
    module.def(
        "merge_until_safe",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, Code labels, In<int64_t> hidden_indptr, In<Code> hidden_items,
           Code hidden_labels, int64_t k, int64_t l, int64_t m, In<int64_t> occurrences, In<int64_t> penalties,
           nb::callable tick) -> std::optional<Out<Code>> {
            RowsView rows = view_of(indptr, items, persons), hidden = view_of(hidden_indptr, hidden_items);
            LabelCosts costs(copy_of(occurrences), copy_of(penalties));
            auto label = interruptible(tick, [&](const Tick& call) {
                return MergeUntilSafe(rows, labels, hidden, hidden_labels, k, l, std::move(costs), call).run(m);
            });
            if (label.empty() && labels) return {};
            return array_of(std::move(label));
        },
        "indptr"_a, "items"_a, "persons"_a, "labels"_a, "hidden_indptr"_a, "hidden_items"_a, "hidden_labels"_a, "k"_a, "l"_a,
        "m"_a, "occurrences"_a, "penalties"_a, "tick"_a);
}
