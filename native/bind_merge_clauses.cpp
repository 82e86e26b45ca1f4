// The border to Python for the kernels behind the bound over all sibling groupings.
#include "bind.hpp"
#include "least_cut.hpp"
#include "merge_chains.hpp"
#include "merge_clauses.hpp"

#include <nanobind/stl/pair.h>

namespace nb = nanobind;

namespace shoal {

namespace {

template <class T>
std::vector<T> copy_of(const In<T>& values) {
    return {values.data(), values.data() + values.shape(0)};
}

}  // namespace

void bind_merge_clauses(nb::module_& module) {
    nb::class_<MergeClauses>(module, "MergeClauses")
        .def("__init__", [](MergeClauses* self, In<int64_t> indptr, In<Code> items, In<Code> parent, In<Code> span,
                            In<int64_t> start, In<Code> order, int64_t k) {
            new (self) MergeClauses(view_of(indptr, items), copy_of(parent), copy_of(span), copy_of(start), copy_of(order), k);
        })
        // (sizes, variables and weights of the clauses, what each lacks, the state of each seed, rows looked at)
        .def("broken", [](MergeClauses& self, In<Code> seeds, int width, In<int64_t> near, In<Code> sibling, In<Code> variable,
                          In<double> value, Code merged, Code far, double slack, int64_t most, int64_t each, int64_t work,
                          nb::callable tick) {
            MergeClauses::Result found;
            Tick call = with_gil(tick);
            {
                nb::gil_scoped_release free;
                MergeClauses::Point point{near.data(), sibling.data(), variable.data(), value.data(), merged, far};
                found = self.run(seeds.data(), static_cast<int64_t>(seeds.shape(0)) / width, width, point,
                                 {slack, most, each, work}, call);
            }
            return nb::make_tuple(raw(found.sizes), raw(found.variables), raw(found.weights), raw(found.lacks),
                                  raw(found.states), found.looked);
        });
    nb::class_<MergeChains>(module, "MergeChains")
        .def("__init__", [](MergeChains* self, In<int64_t> indptr, In<Code> items, In<Code> parent, In<Code> span,
                            In<int64_t> start, In<Code> order, int64_t k) {
            new (self) MergeChains(view_of(indptr, items), copy_of(parent), copy_of(span), copy_of(start), copy_of(order), k);
        })
        // (four numbers for each clause, how many bases were done, the work)
        .def("around", [](MergeChains& self, In<Code> nodes, In<Code> reaches, int64_t each, int64_t work) {
            MergeChains::Result found;
            {
                nb::gil_scoped_release free;
                found = self.run(nodes.data(), reaches.data(), static_cast<int64_t>(nodes.shape(0)), each, work);
            }
            return nb::make_tuple(raw(found.clauses), found.done, found.looked);
        });
    nb::class_<Flow>(module, "Flow")
        .def("__init__", [](Flow* self, int64_t nodes, In<Code> tails, In<Code> heads, In<int64_t> capacities) {
            new (self) Flow(nodes, tails.data(), heads.data(), capacities.data(), static_cast<int64_t>(tails.shape(0)));
        })
        // (the flow so far, whether it is the largest)
        .def("grow", [](Flow& self, int64_t work) {
            nb::gil_scoped_release free;
            self.grow(work);
            return std::make_pair(self.value(), self.largest());
        });
}

}  // namespace shoal
