#include "search/suppress/suppression.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(suppression) {
    // Owns copies of all data, because it outlives the call that created it.
    nb::class_<Suppression>(module, "Suppression")
        .def(
            "__init__",
            [](Suppression* self, In<int64_t> indptr, In<Code> items, In<Code> persons, In<Code> parent, In<Code> span,
               Code leaves, In<int64_t> kept, In<int64_t> gone, In<int64_t> occurrences, In<Code> barred, In<Code> rank,
               int64_t budget, int64_t k) {
                without_gil([&] {
                    Suppressible what{copy_of(rank), {}, {}, budget};
                    for (size_t u = 0; u < rank.shape(0); ++u) {
                        what.kept.push_back({kept.data()[u], 0, 0});
                        what.gone.push_back({gone.data()[u], occurrences.data()[u], barred.data()[u]});
                    }
                    new (self)
                        Suppression(view_of(indptr, items, persons), copy_of(parent), copy_of(span), std::move(what), leaves, k);
                });
            },
            "indptr"_a, "items"_a, "persons"_a, "parent"_a, "span"_a, "leaves"_a, "kept"_a, "gone"_a, "occurrences"_a, "barred"_a,
            "rank"_a, "budget"_a, "k"_a)
        .def(
            "run",
            [](const Suppression& self, const std::vector<Code>& raised, int size, int64_t most, nb::callable tick) {
                auto end = interruptible(tick, [&](const Tick& call) { return self.run(raised, size, most, call); });
                return std::make_tuple(end.raised, end.suppressed, end.cost, end.allowed, end.threats, end.moves,
                                       end.evaluations);
            },
            "raised"_a, "size"_a, "most"_a, "tick"_a)
        .def(
            "whole",
            [](const Suppression& self, const std::vector<Code>& raised, const std::vector<Code>& suppressed, nb::callable tick) {
                return interruptible(tick, [&](const Tick& call) { return self.whole(raised, suppressed, call); });
            },
            "raised"_a, "suppressed"_a, "tick"_a);
}
