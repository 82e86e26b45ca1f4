#include "bind.hpp"
#include "regroup.hpp"

namespace nb = nanobind;

namespace shoal {

void bind_regroup(nb::module_& module) {
    nb::class_<Regroup>(module, "Regroup")
        .def("__init__", [](Regroup* self, In<int64_t> indptr, In<Code> items, In<Code> parent, In<int64_t> occurrences,
                            In<Code> sizes, In<int64_t> penalty, In<Code> block_of, int64_t k, int64_t m, int64_t spare,
                            uint64_t seed) {
            auto copy = [](const auto& array) { return std::vector(array.data(), array.data() + array.shape(0)); };
            nb::gil_scoped_release free;
            new (self) Regroup(Grouping(view_of(indptr, items), copy(parent), copy(occurrences), copy(sizes), copy(penalty),
                                        copy(block_of), k, m, spare), seed);
        })
        .def("run", [](Regroup& self, double temperature, int64_t work, int64_t moves, nb::callable tick) {
            Tick call = with_gil(tick);
            nb::gil_scoped_release free;
            self.run(temperature, work, moves, call);
        })
        .def("cost", &Regroup::cost)
        .def("block_of", [](const Regroup& self) { return raw(self.block_of()); });
}

}  // namespace shoal
