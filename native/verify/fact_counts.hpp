// Counts the rows behind every one or two published labels, present or absent, part by part, for data that do not fit into
// memory. Exact counts of the labels together give those of all combinations. This is not so for persons.
#pragma once

#include "verify/set_cells.hpp"

namespace shoal {

class FactCounts {
public:
    FactCounts(std::vector<Code> rank, int m, Code from, Code to)
        : cells_(std::move(rank), m, from, to), counts_(cells_, false, UINT32_MAX) {
        if (m > 2) throw std::invalid_argument("one or two labels are wanted");
    }

    void add(const RowsView& view) { counts_.add(cells_, view); }

    const CellCounts<uint32_t>& counts() const { return counts_; }
    CellCounts<uint32_t>& counts() { return counts_; }

    // How many combinations of one fact or two had to be looked at, and how many fit 1..k-1 of `total` rows. support: the rows
    // with each label, by rank. Two absent labels are looked at if their supports do not rule out that they fit too few rows.
    std::pair<int64_t, int64_t> result(int64_t k, int64_t total, const std::vector<int64_t>& support) const {
        if (static_cast<Code>(support.size()) < cells_.to()) throw std::invalid_argument("a support for each label is wanted");
        int64_t checked = 0, rare = 0;
        auto check = [&](int64_t fitting) { rare += fitting > 0 && fitting < k; };
        for (Code label = cells_.from(); label < cells_.to(); ++label) {
            checked += support[label] ? 2 : 0;
            check(support[label]);
            check(total - support[label]);
        }
        cells_.each_pair([&](Code a, Code b, int64_t cell) {
            int64_t both = counts_.of(1)[cell], without = total - support[a] - support[b];
            bool some = support[a] && support[b] && support[a] < total && support[b] < total;
            checked += (both ? 3 : 0) + (some && without < k);
            check(both);
            check(support[a] - both);
            check(support[b] - both);
            check(without + both);
        });
        return {checked, rare};
    }

private:
    SetCells cells_;
    CellCounts<uint32_t> counts_;
};

}  // namespace shoal
