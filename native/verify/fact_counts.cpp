#include "verify/fact_counts.hpp"

#include "verify/bind_counts.hpp"

using namespace shoal;

SHOAL_KERNEL(FactCounts) {
    nb::class_<FactCounts>(module, "FactCounts")
        .def(
            "__init__",
            [](FactCounts* own, In<Code> rank, int m, Code from, Code to) { new (own) FactCounts(copy_of(rank), m, from, to); },
            "rank"_a, "m"_a, "first"_a, "stop"_a)
        .def("add", &more_rows<FactCounts, &FactCounts::add>, "indptr"_a, "items"_a, "persons"_a)
        .def("cells", &cells_of<FactCounts>)
        .def("merge_cells", &merge_cells<FactCounts, uint32_t>, "cells"_a)
        .def(
            "result",
            [](const FactCounts& own, int64_t k, int64_t total, In<int64_t> support) {
                return without_gil([&] { return own.result(k, total, copy_of(support)); });
            },
            "k"_a, "total"_a, "support"_a);
}
