#include "search/node_supports.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(NodeSupports) {
    nb::class_<NodeSupports>(module, "NodeSupports")
        .def(
            "__init__",
            [](NodeSupports* own, In<Code> code_of, In<Code> parent) {
                new (own) NodeSupports(copy_of(code_of), copy_of(parent));
            },
            "code_of"_a, "parent"_a)
        .def(
            "add",
            [](NodeSupports& own, In<int64_t> indptr, In<Code> items, In<Code> persons) {
                without_gil([&] { own.add(view_of(indptr, items, persons)); });
            },
            "indptr"_a, "items"_a, "persons"_a)
        .def("cells", [](const NodeSupports& own) { return array_of(std::vector<int64_t>(own.supports())); })
        .def(
            "merge_cells", [](NodeSupports& own, In<int64_t> cells) { own.merge_cells(cells.data(), length(cells)); }, "cells"_a);
}
