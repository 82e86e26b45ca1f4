#include "search/clusters/form_clusters.hpp"

#include "search/clusters/bind_scales.hpp"

using namespace shoal;

SHOAL_KERNEL(form_clusters) {
    module.def(
        "form_clusters",
        [](const std::vector<In<Code>>& codes, In<Code> persons, const Scales& scales, In<int64_t> order, int64_t k, int threads,
           nb::callable tick) {
            if (length(persons) && length(persons) != length(order))
                throw std::invalid_argument("one person for each row is wanted");
            std::vector<Scale> measures = scales_of(scales);
            std::vector<const Code*> columns = pointers(codes, length(order));
            return array_of(interruptible(tick, [&](const Tick& call) {
                Former former(std::move(columns), length(persons) ? persons.data() : nullptr, length(order), measures, call);
                return former.run(order.data(), k, threads);
            }));
        },
        "codes"_a, "persons"_a, "scales"_a, "order"_a, "k"_a, "threads"_a, "tick"_a);
}
