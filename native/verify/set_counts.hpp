// Counts the rows or persons behind every set of at most three published labels, part by part, for data that do not fit into
// memory. Counts stop at k: whether a set is rare needs no more.
#pragma once

#include "verify/set_cells.hpp"

namespace shoal {

template <class Number>
class SetCounts {
public:
    SetCounts(std::vector<Code> rank, int64_t k, int m, Code from, Code to, bool persons)
        : cells_(std::move(rank), m, from, to), k_(static_cast<Number>(k)), counts_(cells_, persons, k_) {
        if (static_cast<int64_t>(k_) != k) throw std::invalid_argument("k does not fit the counts");
    }

    void add(const RowsView& view) { counts_.add(cells_, view); }

    const CellCounts<Number>& counts() const { return counts_; }
    CellCounts<Number>& counts() { return counts_; }

    // The number of sets that occur, and of those that fewer than k rows or persons have.
    std::pair<int64_t, int64_t> result() const {
        int64_t occurring = 0, rare = 0;
        for (int s = 0; s < cells_.sizes(); ++s)
            for (Number count : counts_.of(s)) {
                occurring += count > 0;
                rare += count > 0 && count < k_;
            }
        return {occurring, rare};
    }

private:
    SetCells cells_;
    Number k_;
    CellCounts<Number> counts_;
};

}  // namespace shoal
