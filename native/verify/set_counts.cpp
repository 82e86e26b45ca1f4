#include "verify/set_counts.hpp"

#include "core/bind.hpp"

using namespace shoal;

namespace {

template <class Number>
void bind(nb::module_& module, const char* name) {
    using Counts = SetCounts<Number>;
    nb::class_<Counts>(module, name)
        .def(
            "__init__",
            [](Counts* own, In<Code> rank, int64_t k, int m, Code from, Code to) {
                new (own) Counts(copy_of(rank), k, m, from, to);
            },
            "rank"_a, "k"_a, "m"_a, "first"_a, "stop"_a)
        .def(
            "add", [](Counts& own, In<int64_t> indptr, In<Code> items) { without_gil([&] { own.add(view_of(indptr, items)); }); },
            "indptr"_a, "items"_a)
        .def(
            "merge", [](Counts& own, const Counts& other) { without_gil([&] { own.merge(other); }); }, "other"_a)
        .def("result", [](const Counts& own) { return without_gil([&] { return own.result(); }); });
}

}  // namespace

SHOAL_KERNEL(SetCounts) {
    bind<uint8_t>(module, "SetCounts");
    bind<uint32_t>(module, "WideSetCounts");
}
