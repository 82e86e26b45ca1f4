// The border to Python for data with attributes beside the items; bind.cpp has the other kernels.
#include <nanobind/stl/tuple.h>

#include "bind.hpp"
#include "blend.hpp"
#include "form.hpp"
#include "merging.hpp"

namespace nb = nanobind;

namespace shoal {

// Each scale is a tuple: along, costs, whole, missing.
static std::vector<Scale> scales_of(const nb::list& scales) {
    std::vector<Scale> all;
    for (nb::handle one : scales) {
        auto [along, costs, whole, missing] = nb::cast<std::tuple<bool, In<int64_t>, int64_t, Code>>(one);
        all.emplace_back(along, std::vector<int64_t>(costs.data(), costs.data() + costs.shape(0)), whole, missing);
    }
    return all;
}

static std::vector<std::vector<Code>> copies(const std::vector<In<Code>>& columns) {
    std::vector<std::vector<Code>> all;
    for (const In<Code>& column : columns) all.emplace_back(column.data(), column.data() + column.shape(0));
    return all;
}

void bind_relational(nb::module_& module) {
    module.def("form_clusters", [](const std::vector<In<Code>>& codes, nb::list scales, In<int64_t> order, int64_t k,
                                   int threads, nb::callable tick) {
        std::vector<Scale> measures = scales_of(scales);
        std::vector<const Code*> columns;
        for (const In<Code>& column : codes) columns.push_back(column.data());
        std::vector<int64_t> clusters;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            Former former(std::move(columns), static_cast<int64_t>(order.shape(0)), measures, call);
            clusters = former.run(order.data(), k, threads);
        }
        return raw(clusters);
    });

    // The items that occur, each with the smallest one of its label, others with -1; nothing at all: no way out.
    module.def("blended", [](In<int64_t> indptr, In<Code> items, Code labels, In<int64_t> hidden_indptr,
                             In<Code> hidden_items, Code hidden_labels, int64_t k, int64_t l, int64_t m,
                             nb::callable tick) {
        RowsView rows = view_of(indptr, items), hidden = view_of(hidden_indptr, hidden_items);
        std::vector<Code> label;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            label = Blender(rows, labels, hidden, hidden_labels, k, l, call).run(m);
        }
        return raw(label);
    });

    // Owns copies of all it needs: it outlives the call that made it.
    nb::class_<Merging>(module, "Merging")
        .def("__init__", [](Merging* self, const std::vector<In<Code>>& lo, const std::vector<In<Code>>& hi,
                            In<int64_t> sizes, nb::list scales, In<int64_t> indptr, In<Code> items, Code labels,
                            In<int64_t> cluster_of, bool by_size, int threads) {
            std::vector<Scale> measures = scales_of(scales);
            nb::gil_scoped_release free;
            new (self) Merging(copies(lo), copies(hi), {sizes.data(), sizes.data() + sizes.shape(0)},
                               std::move(measures), view_of(indptr, items), labels, cluster_of.data(), by_size,
                               threads);
        })
        .def("total", &Merging::total)
        .def("alive", &Merging::alive)
        .def("seed", &Merging::seed)
        .def("set_aside", &Merging::set_aside)
        .def("costs_with", [](Merging& self, int64_t c) { return raw(self.costs_with(c)); })
        .def("totals_with", [](Merging& self, int64_t c) { return raw(self.totals_with(c)); })
        .def("distances_with", [](Merging& self, int64_t c) { return raw(self.distances_with(c)); })
        // how: 0 by cost, 1 by distance, 2 by the sum of both ranks.
        .def("nearest", [](Merging& self, int64_t c, int how, int64_t limit) {
            nb::gil_scoped_release free;
            return self.nearest(c, static_cast<Merging::How>(how), limit);
        })
        .def("merge", &Merging::merge, nb::call_guard<nb::gil_scoped_release>())
        .def("result", [](const Merging& self) { return raw(self.result()); });
}

}  // namespace shoal
