// The result of a verifier's kernel: how many sets it checked, how many fail, and the first few witnesses under a total
// order, kept in a heap. It consists of sums and minima only, so neither the order of reports nor the number of threads can
// change it.
#pragma once

#include "core/rows.hpp"

namespace shoal {

template <class Witness>
struct Findings {
    int64_t checked = 0;
    int64_t violations = 0;
    std::vector<Witness> witnesses;

    void report(Witness witness, size_t keep) {
        ++violations;
        if (!keep) return;
        if (witnesses.size() == keep && !(witness < witnesses.front())) return;
        witnesses.push_back(std::move(witness));
        std::push_heap(witnesses.begin(), witnesses.end());
        if (witnesses.size() > keep) {
            std::pop_heap(witnesses.begin(), witnesses.end());
            witnesses.pop_back();
        }
    }
    void merge(const Findings& other, size_t keep) {
        checked += other.checked;
        int64_t total = violations + other.violations;
        for (const auto& witness : other.witnesses) report(witness, keep);
        violations = total;
    }
};

}  // namespace shoal
