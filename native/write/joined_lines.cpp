#include "write/joined_lines.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(joined_lines) {
    module.def(
        "joined_lines",
        [](In<int64_t> indptr, In<Code> items, In<uint8_t> text, In<int64_t> offsets, nb::bytes separator) {
            if (!length(offsets) || (length(offsets) > 1 && offsets.data()[length(offsets) - 1] > length(text)))
                throw std::invalid_argument("the offsets do not fit the text");
            std::string between(separator.c_str(), separator.size());
            return array_of(without_gil(
                [&] { return joined_lines(view_of(indptr, items), text.data(), offsets.data(), length(offsets) - 1, between); }));
        },
        "indptr"_a, "items"_a, "text"_a, "offsets"_a, "separator"_a);
}
