#include "search/cuts/threats.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(threats) {
    // Owns copies of all data, because it outlives the call that created it.
    nb::class_<Threats>(module, "Threats")
        .def(
            "__init__",
            [](Threats* self, In<int64_t> indptr, In<Code> items, In<Code> persons, In<Code> parent, In<Code> span, Code leaves,
               int64_t k, int threads, nb::callable tick) {
                interruptible(tick, [&](const Tick& call) {
                    new (self) Threats(view_of(indptr, items, persons), copy_of(parent), copy_of(span), leaves, k, threads, call);
                });
            },
            "indptr"_a, "items"_a, "persons"_a, "parent"_a, "span"_a, "leaves"_a, "k"_a, "threads"_a, "tick"_a)
        .def(
            "small",
            [](const Threats& self, int size, nb::callable tick) {
                return interruptible(tick, [&](const Tick& call) { return self.small(size, call); });
            },
            "size"_a, "tick"_a)
        .def(
            "at",
            [](Threats& self, const std::vector<Code>& raised, int first, int64_t last, const std::vector<Set>& known,
               nb::callable tick) {
                return interruptible(tick, [&](const Tick& call) { return self.at(raised, first, last, known, call); });
            },
            "raised"_a, "first"_a, "last"_a, "known"_a, "tick"_a)
        .def(
            "witness",
            [](const Threats& self, const std::vector<Code>& raised, Code node, int64_t m, nb::callable tick) {
                auto rare = interruptible(tick, [&](const Tick& call) { return self.witness(raised, node, m, call); });
                return std::make_pair(rare.labels, rare.support);
            },
            "raised"_a, "node"_a, "m"_a, "tick"_a)
        .def("lifting_seconds", &Threats::lifting_seconds)
        .def(
            "minimal",
            [](const Threats& self, std::vector<Set> threats) {
                return without_gil([&] { return self.minimal(std::move(threats)); });
            },
            "threats"_a);
}
