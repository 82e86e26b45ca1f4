#include "search/clusters/form_clusters.hpp"

#include "search/clusters/bind_scales.hpp"

using namespace shoal;

SHOAL_KERNEL(form_clusters) {
    module.def(
        "form_clusters",
        [](const std::vector<In<Code>>& codes, const Scales& scales, In<int64_t> order, int64_t k, int threads,
           nb::callable tick) {
            std::vector<Scale> measures = scales_of(scales);
            std::vector<const Code*> columns;
            for (const In<Code>& column : codes) columns.push_back(column.data());
            return array_of(interruptible(tick, [&](const Tick& call) {
                Former former(std::move(columns), length(order), measures, call);
                return former.run(order.data(), k, threads);
            }));
        },
        "codes"_a, "scales"_a, "order"_a, "k"_a, "threads"_a, "tick"_a);
}
