#include "search/neighbours/gray_order.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(gray_order) {
    module.def(
        "gray_order",
        [](In<int64_t> indptr, In<Code> items) {
            return array_of(without_gil([&] { return gray_order(view_of(indptr, items)); }));
        },
        "indptr"_a, "items"_a);

    module.def(
        "gray_coded_order",
        [](In<int64_t> indptr, In<Code> items) {
            return array_of(without_gil([&] { return gray_coded_order(view_of(indptr, items)); }));
        },
        "indptr"_a, "items"_a);
}
