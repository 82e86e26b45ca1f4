#include "read/tokens.hpp"

#include "core/bind.hpp"

using namespace shoal;

namespace {

Splitter splitter(const In<uint8_t>& data, const nb::bytes& delimiter) {
    return {data.data(), length(data), std::string(delimiter.c_str(), delimiter.size())};
}

auto arrays_of(Splitter::Result result) {
    return std::make_tuple(array_of(std::move(result.sizes)), array_of(std::move(result.codes)),
                           array_of(std::move(result.labels.offsets())), array_of(std::move(result.labels.bytes())),
                           result.consumed, result.bad, array_of(std::move(result.breaks)));
}

}  // namespace

SHOAL_KERNEL(tokens) {
    module.def(
        "split_lines",
        [](In<uint8_t> data, nb::bytes delimiter, bool quotes, bool last) {
            Splitter split = splitter(data, delimiter);
            return arrays_of(without_gil([&] { return split.lines(quotes, last); }));
        },
        "data"_a, "delimiter"_a, "quotes"_a, "last"_a);
    module.def(
        "split_cells",
        [](In<uint8_t> data, In<int64_t> offsets, nb::bytes delimiter) {
            Splitter split = splitter(data, delimiter);
            return arrays_of(without_gil([&] { return split.cells(offsets.data(), length(offsets) - 1); }));
        },
        "data"_a, "offsets"_a, "delimiter"_a);
}
