#include "measure/support_table.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(SupportTable) {
    nb::class_<SupportTable>(module, "SupportTable")
        .def(
            "__init__", [](SupportTable* own, In<Code> rank, int m) { new (own) SupportTable(copy_of(rank), m); }, "rank"_a,
            "m"_a)
        .def(
            "add",
            [](SupportTable& own, In<int64_t> indptr, In<Code> items) { without_gil([&] { own.add(view_of(indptr, items)); }); },
            "indptr"_a, "items"_a)
        .def("cells", [](const SupportTable& own) { return array_of(without_gil([&] { return own.cells(); })); })
        .def(
            "merge_cells",
            [](SupportTable& own, In<uint32_t> cells) { without_gil([&] { own.merge_cells(cells.data(), length(cells)); }); },
            "cells"_a)
        .def(
            "least",
            [](const SupportTable& own, In<int64_t> indptr, In<Code> items, int64_t nothing) {
                return array_of(without_gil([&] { return own.least(view_of(indptr, items), nothing); }));
            },
            "indptr"_a, "items"_a, "nothing"_a);
}
