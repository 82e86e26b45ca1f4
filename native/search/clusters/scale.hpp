// What intervals of codes cost: along a line, or by the highest rise between neighbouring leaves of a tree.
#pragma once

#include <limits>
#include <utility>

#include "core/rows.hpp"

namespace shoal {

// Costs are never negative, and an interval costs no less than those within it.
class Scale {
public:
    // Along a line, `costs` has a position for each code; the last code may stand for "missing" (none: -1), which
    // costs `whole` with any other. In a tree, it has a rise for each two neighbouring codes.
    Scale(bool along, std::vector<int64_t> costs, int64_t whole, Code missing)
        : along_(along), whole_(whole), missing_(missing), costs_(std::move(costs)) {
        if (along_) return;
        highest_.push_back(costs_);
        for (size_t width = 1; 2 * width <= costs_.size(); width *= 2) {
            const std::vector<int64_t>& half = highest_.back();
            std::vector<int64_t> both(half.size() - width);
            for (size_t at = 0; at < both.size(); ++at) both[at] = std::max(half[at], half[at + width]);
            highest_.push_back(std::move(both));
        }
    }

    bool along() const { return along_; }
    int64_t whole() const { return whole_; }
    Code missing() const { return missing_; }
    Code codes() const { return static_cast<Code>(costs_.size()) + !along_; }
    int64_t position(Code code) const { return costs_[code]; }

    int64_t cost(Code lo, Code hi) const {
        if (lo == hi) return 0;
        if (along_) return hi == missing_ ? whole_ : costs_[hi] - costs_[lo];
        size_t level = 0;
        while (Code{2} << level <= hi - lo) ++level;
        return std::max(highest_[level][lo], highest_[level][hi - (Code{1} << level)]);
    }

    // What each code costs together with a given one.
    void against(Code code, std::vector<int64_t>& table) const { spread(code, code, table); }

    // What each code costs together with an interval; in a tree, without what the interval costs by itself.
    void spread(Code lo, Code hi, std::vector<int64_t>& table) const {
        table.assign(codes(), 0);
        if (along_) {
            for (Code code = 0; code < codes(); ++code) table[code] = cost(std::min(lo, code), std::max(hi, code));
            return;
        }
        for (Code code = lo; code-- > 0;) table[code] = std::max(table[code + 1], costs_[code]);
        for (Code code = hi + 1; code < codes(); ++code) table[code] = std::max(table[code - 1], costs_[code - 1]);
    }

private:
    bool along_;
    int64_t whole_;
    Code missing_;
    std::vector<int64_t> costs_;
    std::vector<std::vector<int64_t>> highest_;  // by level, of 1, 2, 4, .. rises from each on
};

}  // namespace shoal
