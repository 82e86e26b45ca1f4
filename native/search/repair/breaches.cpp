#include "search/repair/breaches.hpp"

#include "search/repair/bind_breaches.hpp"

using namespace shoal;

using DiversityBreaches = BreachLister<Diversity>;
using NegativeBreaches = BreachLister<Negative>;

SHOAL_KERNEL(breaches) {
    nb::class_<DiversityBreaches>(module, "DiversityBreaches")
        .def(
            "__init__",
            [](DiversityBreaches* self, In<int64_t> indptr, In<Code> items, In<Code> persons, In<int64_t> sensitive_indptr,
               In<Code> sensitive_items, In<Code> parent, In<Code> span, Code leaves, int64_t l, nb::callable tick) {
                interruptible(tick, [&](const Tick& call) {
                    new (self) DiversityBreaches(copy_of(parent), copy_of(span), leaves, [&](const Tree& tree) {
                        return Diversity(view_of(indptr, items, persons), view_of(sensitive_indptr, sensitive_items), tree, l,
                                         call);
                    });
                });
            },
            "indptr"_a, "items"_a, "persons"_a, "sensitive_indptr"_a, "sensitive_items"_a, "parent"_a, "span"_a, "leaves"_a,
            "l"_a, "tick"_a)
        .def("at", &listed<DiversityBreaches>, "raised"_a, "size"_a, "most"_a, "threads"_a, "tick"_a);

    nb::class_<NegativeBreaches>(module, "NegativeBreaches")
        .def(
            "__init__",
            [](NegativeBreaches* self, In<int64_t> indptr, In<Code> items, In<Code> persons, In<Code> parent, In<Code> span,
               Code leaves, int64_t k, nb::callable tick) {
                interruptible(tick, [&](const Tick& call) {
                    new (self) NegativeBreaches(copy_of(parent), copy_of(span), leaves, [&](const Tree& tree) {
                        return Negative(view_of(indptr, items, persons), tree, k, call);
                    });
                });
            },
            "indptr"_a, "items"_a, "persons"_a, "parent"_a, "span"_a, "leaves"_a, "k"_a, "tick"_a)
        .def("at", &listed<NegativeBreaches>, "raised"_a, "size"_a, "most"_a, "threads"_a, "tick"_a);
}
