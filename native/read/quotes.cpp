#include "read/quotes.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(quotes) {
    module.def(
        "scan_quotes",
        [](In<uint8_t> data, uint8_t delimiter, int state) {
            QuoteScan scan(data.data(), length(data), delimiter, state);
            without_gil([&] { return scan.run(); });
            return std::make_tuple(static_cast<int>(scan.state), scan.records, scan.bad, array_of(std::move(scan.breaks)));
        },
        "data"_a, "delimiter"_a, "state"_a);
}
