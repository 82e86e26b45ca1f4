#include "measure/covered_items.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(covered_items) {
    module.def(
        "covered_items",
        [](In<int64_t> indptr, In<Code> items, In<int64_t> published_indptr, In<Code> published_items, In<Code> label_of,
           Code labels) {
            return array_of(without_gil([&] {
                return covered_items(view_of(indptr, items), view_of(published_indptr, published_items), label_of.data(),
                                     static_cast<Code>(length(label_of)), labels);
            }));
        },
        "indptr"_a, "items"_a, "published_indptr"_a, "published_items"_a, "label_of"_a, "labels"_a);
}
