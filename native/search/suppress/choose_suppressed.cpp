#include "search/suppress/choose_suppressed.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(choose_suppressed) {
    // The labels to suppress, or none if a mole has barred labels only.
    module.def(
        "choose_suppressed",
        [](std::vector<int64_t> counts, In<Code> codes, In<int64_t> lost, In<uint8_t> barred,
           nb::callable tick) -> std::optional<Out<Code>> {
            auto chosen = interruptible(tick, [&](const Tick& call) {
                return Chooser(counts, codes.data(), lost.data(), barred.data(), length(lost), call).run();
            });
            if (!chosen) return {};
            return array_of(std::move(*chosen));
        },
        "counts"_a, "codes"_a, "lost"_a, "barred"_a, "tick"_a);
}
