#include "verify/set_counts.hpp"

#include "verify/bind_counts.hpp"

using namespace shoal;

namespace {

template <class Number>
void bind(nb::module_& module, const char* name) {
    using Counts = SetCounts<Number>;
    nb::class_<Counts>(module, name)
        .def(
            "__init__",
            [](Counts* own, In<Code> rank, int64_t k, int m, Code from, Code to, bool persons) {
                new (own) Counts(copy_of(rank), k, m, from, to, persons);
            },
            "rank"_a, "k"_a, "m"_a, "first"_a, "stop"_a, "persons"_a)
        .def("add", &more_rows<Counts, &Counts::add>, "indptr"_a, "items"_a, "persons"_a)
        .def("cells", &cells_of<Counts>)
        .def("merge_cells", &merge_cells<Counts, Number>, "cells"_a)
        .def("result", [](const Counts& own) { return without_gil([&] { return own.result(); }); });
}

}  // namespace

SHOAL_KERNEL(SetCounts) {
    bind<uint8_t>(module, "SetCounts");
    bind<uint32_t>(module, "WideSetCounts");
}
