#include "verify/share_counts.hpp"

#include "verify/bind_counts.hpp"

using namespace shoal;

SHOAL_KERNEL(ShareCounts) {
    nb::class_<ShareCounts>(module, "ShareCounts")
        .def(
            "__init__",
            [](ShareCounts* own, In<Code> rank, int m, Code from, Code to, bool persons) {
                new (own) ShareCounts(copy_of(rank), m, from, to, persons);
            },
            "rank"_a, "m"_a, "first"_a, "stop"_a, "persons"_a)
        .def("add", &more_rows<ShareCounts, &ShareCounts::add>, "indptr"_a, "items"_a, "persons"_a)
        .def("add_sensitive", &more_rows<ShareCounts, &ShareCounts::add_sensitive>, "indptr"_a, "items"_a, "persons"_a)
        .def("add_with_value", &more_rows<ShareCounts, &ShareCounts::add_with_value>, "indptr"_a, "items"_a, "persons"_a)
        .def("cells", [](const ShareCounts& own) { return array_of(without_gil([&] { return own.cells(); })); })
        .def(
            "merge_cells",
            [](ShareCounts& own, In<uint32_t> cells) { without_gil([&] { own.merge_cells(cells.data(), length(cells)); }); },
            "cells"_a)
        .def("close_value", [](ShareCounts& own) { without_gil([&] { own.close_value(); }); })
        .def(
            "result",
            [](const ShareCounts& own, int64_t part, int64_t whole, int64_t least) {
                return without_gil([&] { return own.result(part, whole, least); });
            },
            "part"_a, "whole"_a, "least"_a);
}
