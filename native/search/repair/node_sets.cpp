#include "search/repair/node_sets.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(NodeSets) {
    nb::class_<NodeSets>(module, "NodeSets")
        .def(
            "__init__",
            [](NodeSets* own, In<Code> parent, In<Code> span, In<Code> rank, int m, Code first, Code stop, bool persons) {
                new (own) NodeSets(copy_of(parent), copy_of(span), copy_of(rank), m, first, stop, persons);
            },
            "parent"_a, "span"_a, "rank"_a, "m"_a, "first"_a, "stop"_a, "persons"_a)
        .def(
            "add",
            [](NodeSets& own, In<int64_t> indptr, In<Code> items, In<Code> persons) {
                without_gil([&] { own.add(view_of(indptr, items, persons)); });
            },
            "indptr"_a, "items"_a, "persons"_a)
        .def(
            "add_with_value",
            [](NodeSets& own, In<int64_t> indptr, In<Code> items, In<Code> persons) {
                without_gil([&] { own.add_with_value(view_of(indptr, items, persons)); });
            },
            "indptr"_a, "items"_a, "persons"_a)
        .def("cells", [](const NodeSets& own) { return array_of(without_gil([&] { return own.cells(); })); })
        .def(
            "merge_cells",
            [](NodeSets& own, In<uint32_t> cells) { without_gil([&] { own.merge_cells(cells.data(), length(cells)); }); },
            "cells"_a)
        .def("close_value", [](NodeSets& own) { without_gil([&] { own.close_value(); }); })
        .def(
            "violating",
            [](const NodeSets& own, int64_t k, int64_t part, int64_t whole, int64_t most) {
                return array_of(without_gil([&] { return own.violating(k, part, whole, static_cast<size_t>(most)); }));
            },
            "k"_a, "part"_a, "whole"_a, "most"_a)
        .def(
            "violating_facts",
            [](const NodeSets& own, int64_t k, int64_t total, In<int64_t> support, int64_t most) {
                auto [keys, counts] =
                    without_gil([&] { return own.violating_facts(k, total, copy_of(support), static_cast<size_t>(most)); });
                return std::make_pair(array_of(std::move(keys)), array_of(std::move(counts)));
            },
            "k"_a, "total"_a, "support"_a, "most"_a);
}
