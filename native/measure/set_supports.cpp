#include "measure/set_supports.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(SetSupports) {
    nb::class_<SetSupports>(module, "SetSupports")
        .def(
            "__init__",
            [](SetSupports* own, In<int64_t> indptr, In<Code> items, In<Code> rank) {
                new (own) SetSupports(view_of(indptr, items), copy_of(rank));
            },
            "indptr"_a, "items"_a, "rank"_a)
        .def(
            "count",
            [](const SetSupports& own, In<int64_t> indptr, In<Code> items, In<Code> persons) {
                return array_of(without_gil([&] { return own.count(view_of(indptr, items, persons)); }));
            },
            "indptr"_a, "items"_a, "persons"_a);
}
