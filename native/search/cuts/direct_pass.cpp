#include "search/cuts/direct_pass.hpp"

#include "search/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(direct_pass) {
    module.def(
        "direct_pass",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, In<Code> parent, In<Code> span, In<int64_t> cost, Code leaves,
           int64_t k, int first, int last, bool until_safe, In<Code> raised, bool bounded, bool by_leaves, In<int64_t> supports,
           int safe_size, nb::callable tick) {
            if (length(supports) && length(supports) != length(parent))
                throw std::invalid_argument("one support for each node is wanted");
            return interruptible(tick, [&](const Tick& call) {
                DirectPass pass(view_of(indptr, items, persons), tree_of(parent, span, cost, leaves), k, raised.data(),
                                length(raised), bounded, by_leaves, length(supports) ? supports.data() : nullptr, safe_size,
                                call);
                for (int size = first; size <= last && !(until_safe && pass.safe()); ++size) pass.run(size);
                return std::make_tuple(pass.raised(), pass.counted(), pass.repairs());
            });
        },
        "indptr"_a, "items"_a, "persons"_a, "parent"_a, "span"_a, "cost"_a, "leaves"_a, "k"_a, "first"_a, "last"_a,
        "until_safe"_a, "raised"_a, "bounded"_a, "by_leaves"_a, "supports"_a, "safe_size"_a, "tick"_a);
}
