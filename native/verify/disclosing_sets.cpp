#include "verify/disclosing_sets.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(disclosing_sets) {
    module.def(
        "disclosing_sets",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, Code labels, In<int64_t> sensitive_indptr,
           In<Code> sensitive_items, Code sensitive_labels, int64_t part, int64_t whole, int first, int last, int64_t least,
           int64_t keep, int threads, nb::callable tick) {
            auto result = interruptible(tick, [&](const Tick& call) {
                DisclosureCounter counter(view_of(indptr, items, persons), labels, view_of(sensitive_indptr, sensitive_items),
                                          sensitive_labels, {part, whole}, least, keep);
                return counter.run(first, last, threads, call);
            });
            std::vector<std::tuple<std::vector<Code>, Code, int64_t, int64_t>> sets;
            for (const auto& set : result.witnesses) sets.emplace_back(set.codes, set.sensitive, set.support, set.together);
            return std::make_tuple(result.checked, result.violations, std::move(sets));
        },
        "indptr"_a, "items"_a, "persons"_a, "labels"_a, "sensitive_indptr"_a, "sensitive_items"_a, "sensitive_labels"_a, "part"_a,
        "whole"_a, "first"_a, "last"_a, "least"_a, "keep"_a, "threads"_a, "tick"_a);

    module.def(
        "smallest_disclosing",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, Code labels, In<int64_t> sensitive_indptr,
           In<Code> sensitive_items, Code sensitive_labels, int64_t part, int64_t whole, int m, int threads, nb::callable tick) {
            return array_of(interruptible(tick, [&](const Tick& call) {
                DisclosureCounter counter(view_of(indptr, items, persons), labels, view_of(sensitive_indptr, sensitive_items),
                                          sensitive_labels, {part, whole}, 1, 0);
                return counter.smallest(m, threads, call);
            }));
        },
        "indptr"_a, "items"_a, "persons"_a, "labels"_a, "sensitive_indptr"_a, "sensitive_items"_a, "sensitive_labels"_a, "part"_a,
        "whole"_a, "m"_a, "threads"_a, "tick"_a);
}
