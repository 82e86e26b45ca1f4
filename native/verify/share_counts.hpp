// Counts every set of at most three published labels, and how many of its rows or persons have each sensitive value, part by
// part, for data that do not fit into memory.
#pragma once

#include <optional>

#include "verify/set_cells.hpp"

namespace shoal {

class ShareCounts {
public:
    ShareCounts(std::vector<Code> rank, int m, Code from, Code to, bool persons)
        : cells_(std::move(rank), m, from, to), persons_(persons), all_(cells_, persons, UINT32_MAX) {}

    // All rows; then those with any sensitive value; then, for each value, those with it, ended by close_value().
    void add(const RowsView& view) { all_.add(cells_, view); }
    void add_sensitive(const RowsView& view) { made(sensitive_).add(cells_, view); }
    void add_with_value(const RowsView& view) { made(value_).add(cells_, view); }
    void close_value() {
        if (!value_) return;
        for (int s = 0; s < cells_.sizes(); ++s) {
            const auto& counts = value_->of(s);
            highest_[s].resize(counts.size(), 0);
            for (size_t c = 0; c < counts.size(); ++c) highest_[s][c] = std::max(highest_[s][c], counts[c]);
        }
        value_->clear();
    }

    // What add() and add_sensitive() have counted, for another process. The second part is left out if there is none. The
    // highest counts of values do not add up over rows.
    std::vector<uint32_t> cells() const {
        auto counts = all_.all();
        if (sensitive_) {
            auto more = sensitive_->all();
            counts.insert(counts.end(), more.begin(), more.end());
        }
        return counts;
    }

    // Adds what another table has counted in rows of other persons.
    void merge_cells(const uint32_t* more, int64_t size) {
        int64_t half = cells_.cells(0) + cells_.cells(1) + cells_.cells(2);
        all_.merge(more, std::min(size, half));
        if (size > half) made(sensitive_).merge(more + half, size - half);
    }

    // The sets in at least `least` rows with a sensitive value, and those of them in which a value has a larger share than part /
    // whole.
    std::pair<int64_t, int64_t> result(int64_t part, int64_t whole, int64_t least) const {
        int64_t checked = 0, violations = 0;
        for (int s = 0; s < cells_.sizes() && sensitive_; ++s)
            for (size_t c = 0; c < sensitive_->of(s).size(); ++c) {
                if (static_cast<int64_t>(sensitive_->of(s)[c]) < std::max<int64_t>(1, least)) continue;
                ++checked;
                violations += (highest_[s].empty() ? 0 : int64_t{highest_[s][c]}) * whole > int64_t{all_.of(s)[c]} * part;
            }
        return {checked, violations};
    }

private:
    // A table takes no memory before rows are added to it: most processes of a cluster only count all rows.
    CellCounts<uint32_t>& made(std::optional<CellCounts<uint32_t>>& counts) {
        if (!counts) counts.emplace(cells_, persons_, UINT32_MAX);
        return *counts;
    }

    SetCells cells_;
    bool persons_;
    CellCounts<uint32_t> all_;
    std::optional<CellCounts<uint32_t>> sensitive_, value_;
    std::vector<uint32_t> highest_[3];  // by size - 1 and cell
};

}  // namespace shoal
