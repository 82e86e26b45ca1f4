// Counts every set of at most three published labels, and how many of its rows or persons have each sensitive value, part by
// part, for data that do not fit into memory.
#pragma once

#include "verify/set_cells.hpp"

namespace shoal {

class ShareCounts {
public:
    ShareCounts(std::vector<Code> rank, int m, Code from, Code to, bool persons)
        : cells_(std::move(rank), m, from, to), all_(cells_, persons, UINT32_MAX), sensitive_(cells_, persons, UINT32_MAX),
          value_(cells_, persons, UINT32_MAX) {
        for (int s = 0; s < cells_.sizes(); ++s) highest_[s].assign(cells_.cells(s), 0);
    }

    // All rows; then those with any sensitive value; then, for each value, those with it, ended by close_value().
    void add(const RowsView& view) { all_.add(cells_, view); }
    void add_sensitive(const RowsView& view) { sensitive_.add(cells_, view); }
    void add_with_value(const RowsView& view) { value_.add(cells_, view); }
    void close_value() {
        for (int s = 0; s < cells_.sizes(); ++s) {
            const auto& counts = value_.of(s);
            for (size_t c = 0; c < counts.size(); ++c) highest_[s][c] = std::max(highest_[s][c], counts[c]);
        }
        value_.clear();
    }

    // The sets in at least `least` rows with a sensitive value, and those of them in which a value has a larger share than part /
    // whole.
    std::pair<int64_t, int64_t> result(int64_t part, int64_t whole, int64_t least) const {
        int64_t checked = 0, violations = 0;
        for (int s = 0; s < cells_.sizes(); ++s)
            for (size_t c = 0; c < highest_[s].size(); ++c) {
                if (static_cast<int64_t>(sensitive_.of(s)[c]) < std::max<int64_t>(1, least)) continue;
                ++checked;
                violations += int64_t{highest_[s][c]} * whole > int64_t{all_.of(s)[c]} * part;
            }
        return {checked, violations};
    }

private:
    SetCells cells_;
    CellCounts<uint32_t> all_, sensitive_, value_;
    std::vector<uint32_t> highest_[3];  // by size - 1 and cell
};

}  // namespace shoal
