#include "search/cuts/set_table.hpp"

#include "search/bind.hpp"
#include "search/cuts/table_pass.hpp"

using namespace shoal;

SHOAL_KERNEL(SetTable) {
    nb::class_<SetTable>(module, "SetTable")
        .def(
            "__init__",
            [](SetTable* table, In<Code> label_of, In<Code> parent, int64_t k, int size, bool persons) {
                new (table) SetTable(copy_of(label_of), copy_of(parent), k, size, persons);
            },
            "label_of"_a, "parent"_a, "k"_a, "size"_a, "persons"_a)
        .def(
            "add",
            [](SetTable& table, In<int64_t> indptr, In<Code> items, In<Code> persons, int threads, nb::callable tick) {
                interruptible(tick, [&](const Tick& call) {
                    table.add(view_of(indptr, items, persons), threads, call);
                    return 0;
                });
            },
            "indptr"_a, "items"_a, "persons"_a, "threads"_a, "tick"_a)
        .def("cells", [](const SetTable& table) { return array_of(without_gil([&] { return table.cells(); })); })
        .def(
            "merge_cells",
            [](SetTable& table, In<uint8_t> cells) { without_gil([&] { table.merge_cells(cells.data(), length(cells)); }); },
            "cells"_a)
        .def(
            "support",
            [](const SetTable& table, In<Code> labels) {
                if (length(labels) > table.size()) throw std::invalid_argument("the table has no sets of this size");
                return table.support(labels.data(), static_cast<int>(length(labels)));
            },
            "labels"_a)
        .def(
            "repair",
            [](const SetTable& table, In<Code> node_of, In<Code> order, In<Code> parent, In<Code> span, In<int64_t> cost,
               Code leaves, int first, int last, In<Code> raised, nb::callable tick) {
                return interruptible(tick, [&](const Tick& call) {
                    TablePass pass(table, copy_of(node_of), copy_of(order), tree_of(parent, span, cost, leaves), copy_of(raised),
                                   call);
                    for (int size = first; size <= last; ++size) pass.run(size);
                    return std::make_tuple(pass.raised(), pass.counted(), pass.repairs());
                });
            },
            "node_of"_a, "order"_a, "parent"_a, "span"_a, "cost"_a, "leaves"_a, "first"_a, "last"_a, "raised"_a, "tick"_a);
}
