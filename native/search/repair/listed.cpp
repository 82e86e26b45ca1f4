#include "search/repair/listed.hpp"

#include "search/bind.hpp"
#include "search/repair/bind_breaches.hpp"
#include "search/repair/repaired.hpp"

using namespace shoal;

namespace {

using Given = std::vector<std::tuple<In<int64_t>, In<int64_t>, In<int64_t>>>;  // support, keys and counts of each unit
using ListedBreaches = BreachLister<Listed>;

std::vector<Listed::Unit> units_of(const Given& given) {
    std::vector<Listed::Unit> units;
    for (const auto& [support, keys, counts] : given) units.push_back({copy_of(support), copy_of(keys), copy_of(counts)});
    return units;
}

}  // namespace

SHOAL_KERNEL(listed) {
    module.def(
        "repair_listed",
        [](const Given& units, In<Code> parent, In<Code> span, In<int64_t> cost, Code leaves, int first, int last,
           In<Code> raised, bool bounded, int64_t most, nb::callable tick) {
            auto copied = units_of(units);
            return interruptible(tick, [&](const Tick& call) {
                Tree tree = tree_of(parent, span, cost, leaves);
                Listed criterion(tree, std::move(copied));
                return repaired(Repair<Listed>(criterion, tree, raised.data(), length(raised), bounded, most, 1, call), first,
                                last);
            });
        },
        "units"_a, "parent"_a, "span"_a, "cost"_a, "leaves"_a, "first"_a, "last"_a, "raised"_a, "bounded"_a, "most"_a, "tick"_a);

    nb::class_<ListedBreaches>(module, "ListedBreaches")
        .def(
            "__init__",
            [](ListedBreaches* self, const Given& units, In<Code> parent, In<Code> span, Code leaves, nb::callable tick) {
                auto copied = units_of(units);
                interruptible(tick, [&](const Tick& call) {
                    new (self) ListedBreaches(copy_of(parent), copy_of(span), leaves, [&](const Tree& tree) {
                        Listed criterion(tree, std::move(copied));
                        criterion.find_closed(call);
                        return criterion;
                    });
                });
            },
            "units"_a, "parent"_a, "span"_a, "leaves"_a, "tick"_a)
        .def("at", &listed<ListedBreaches>, "raised"_a, "size"_a, "most"_a, "threads"_a, "tick"_a);
}
