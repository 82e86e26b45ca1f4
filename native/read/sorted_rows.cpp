#include "read/sorted_rows.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(sorted_rows) {
    module.def(
        "sorted_rows",
        [](In<int32_t> sizes, In<Code> codes, In<Code> rank) {
            SortedRows sorted = without_gil(
                [&] { return sorted_rows(sizes.data(), length(sizes), codes.data(), length(codes), rank.data(), length(rank)); });
            return std::make_pair(array_of(std::move(sorted.indptr)), array_of(std::move(sorted.items)));
        },
        "sizes"_a, "codes"_a, "rank"_a);
}
