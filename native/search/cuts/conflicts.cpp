#include "search/cuts/conflicts.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(conflicts) {
    nb::class_<Conflicts>(module, "Conflicts")
        .def(
            "__init__",
            [](Conflicts* self, In<int64_t> indptr, In<Code> items, In<Code> persons, In<Code> parent, In<Code> span, Code leaves,
               int64_t k, int threads, nb::callable tick) {
                interruptible(tick, [&](const Tick& call) {
                    new (self)
                        Conflicts(view_of(indptr, items, persons), copy_of(parent), copy_of(span), leaves, k, threads, call);
                });
            },
            "indptr"_a, "items"_a, "persons"_a, "parent"_a, "span"_a, "leaves"_a, "k"_a, "threads"_a, "tick"_a)
        .def(
            "at",
            [](const Conflicts& self, const std::vector<Code>& raised, const std::vector<Code>& suppressed, int64_t last,
               nb::callable tick) {
                auto conflicts = interruptible(tick, [&](const Tick& call) { return self.at(raised, suppressed, last, call); });
                nb::list told;  // tuples, because callers use them as dictionary keys
                for (const Conflict& one : conflicts) {
                    nb::list groups;
                    for (const Set& group : one.groups) groups.append(nb::tuple(nb::cast(group)));
                    told.append(nb::make_tuple(nb::tuple(nb::cast(one.parents)), nb::tuple(groups)));
                }
                return told;
            },
            "raised"_a, "suppressed"_a, "last"_a, "tick"_a);
}
