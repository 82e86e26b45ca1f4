#include "search/clusters/merging.hpp"

#include "search/clusters/bind_scales.hpp"

using namespace shoal;

SHOAL_KERNEL(merging) {
    // Owns copies of all data, because it outlives the call that created it.
    nb::class_<Merging>(module, "Merging")
        .def(
            "__init__",
            [](Merging* self, const std::vector<In<Code>>& codes, const Scales& scales, In<int64_t> indptr, In<Code> items,
               Code labels, In<int64_t> cluster_of, int cost, const std::vector<int64_t>& weights, int64_t one, int threads) {
                std::vector<Scale> measures = scales_of(scales);
                ColumnNorm norm(static_cast<ColumnNorm::Kind>(cost), weights, one, scales.size());
                std::vector<const Code*> columns = pointers(codes, length(cluster_of));
                without_gil([&] {
                    new (self) Merging(columns, std::move(measures), view_of(indptr, items), labels, cluster_of.data(),
                                       std::move(norm), threads);
                });
            },
            "codes"_a, "scales"_a, "indptr"_a, "items"_a, "labels"_a, "cluster_of"_a, "cost"_a, "weights"_a, "one"_a, "threads"_a)
        .def("total", &Merging::total)
        .def("alive", &Merging::alive)
        .def("seed", &Merging::seed)
        .def("set_aside", &Merging::set_aside, "c"_a)
        .def(
            "costs_with", [](Merging& self, int64_t c) { return array_of(self.costs_with(c)); }, "c"_a)
        .def(
            "totals_with", [](Merging& self, int64_t c) { return array_of(self.totals_with(c)); }, "c"_a)
        .def(
            "distances_with", [](Merging& self, int64_t c) { return array_of(self.distances_with(c)); }, "c"_a)
        // cost: 0 the sum, 1 the number of rows, 2 the root of the weighted squares, 3 the largest.
        // how: 0 by cost, 1 by distance, 2 by the sum of both ranks.
        .def(
            "nearest",
            [](Merging& self, int64_t c, int how, int64_t limit) {
                return without_gil([&] { return self.nearest(c, static_cast<Merging::How>(how), limit); });
            },
            "c"_a, "how"_a, "limit"_a)
        .def("merge", &Merging::merge, "c"_a, "p"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("result", [](const Merging& self) { return array_of(self.result()); });
}
