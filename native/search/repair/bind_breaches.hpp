// How a list of violations is returned to Python, for the files that bind one.
#pragma once

#include "core/bind.hpp"
#include "search/repair/breaches.hpp"

namespace shoal {

// (threats, labels that must not all be in a cut)
template <class Lister>
auto listed(Lister& self, const std::vector<Code>& raised, int size, int64_t most, int threads, nb::callable tick) {
    auto listed = interruptible(tick, [&](const Tick& call) { return self.at(raised, size, most, threads, call); });
    return std::make_pair(std::vector<Set>(listed.threats.begin(), listed.threats.end()),
                          std::vector<Set>(listed.together.begin(), listed.together.end()));
}

}  // namespace shoal
