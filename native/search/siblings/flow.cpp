#include "search/siblings/flow.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(flow) {
    nb::class_<Flow>(module, "Flow")
        .def(
            "__init__",
            [](Flow* self, int64_t nodes, In<Code> tails, In<Code> heads, In<int64_t> capacities) {
                new (self) Flow(nodes, tails.data(), heads.data(), capacities.data(), length(tails));
            },
            "nodes"_a, "tails"_a, "heads"_a, "capacities"_a)
        // (the flow so far, whether it is the maximum)
        .def(
            "grow",
            [](Flow& self, int64_t work) {
                return without_gil([&] {
                    self.grow(work);
                    return std::make_pair(self.value(), self.largest());
                });
            },
            "work"_a);
}
