// The cost of codes of an attribute together: along a line, by the highest rise between neighbouring leaves of a tree, or by
// the number of different codes.
#pragma once

#include <bitset>
#include <limits>
#include <utility>

#include "core/rows.hpp"

namespace shoal {

// Costs are never negative, and codes cost no less than a subset of them.
class Scale {
public:
    enum class Kind { line, tree, values };

    // Line: `costs` has a position for each code. Tree: a rise for each two neighbouring codes. Values: the cost of 0, 1, 2,
    // .. different codes. For a line and for values, the last code may represent "missing" (none: -1), which costs `whole`
    // with any other.
    Scale(Kind kind, std::vector<int64_t> costs, int64_t whole, Code missing)
        : kind_(kind), whole_(whole), missing_(missing), costs_(std::move(costs)) {
        if (kind_ != Kind::tree) return;
        highest_.push_back(costs_);
        for (size_t width = 1; 2 * width <= costs_.size(); width *= 2) {
            const std::vector<int64_t>& half = highest_.back();
            std::vector<int64_t> both(half.size() - width);
            for (size_t at = 0; at < both.size(); ++at) both[at] = std::max(half[at], half[at + width]);
            highest_.push_back(std::move(both));
        }
    }

    bool along() const { return kind_ == Kind::line; }
    bool by_number() const { return kind_ == Kind::values; }
    int64_t whole() const { return whole_; }
    Code missing() const { return missing_; }
    Code codes() const { return static_cast<Code>(costs_.size()) + (kind_ == Kind::tree) - (kind_ == Kind::values); }
    int64_t position(Code code) const { return costs_[code]; }
    size_t words() const { return by_number() ? (static_cast<size_t>(codes()) + 63) / 64 : 0; }  // for a bit for each code

    // The cost of an interval, for a line or a tree.
    int64_t cost(Code lo, Code hi) const {
        if (lo == hi) return 0;
        if (along()) return hi == missing_ ? whole_ : costs_[hi] - costs_[lo];
        size_t level = 0;
        while (Code{2} << level <= hi - lo) ++level;
        return std::max(highest_[level][lo], highest_[level][hi - (Code{1} << level)]);
    }

    // The cost of the codes whose bits are set in either of two places, for values.
    int64_t cost(const uint64_t* one, const uint64_t* other) const {
        size_t different = 0;
        for (size_t word = 0; word < words(); ++word) different += std::bitset<64>(one[word] | other[word]).count();
        bool lacking = missing_ >= 0 && ((one[missing_ / 64] | other[missing_ / 64]) >> (missing_ % 64) & 1);
        return lacking && different > 1 ? whole_ : costs_[different];
    }

    // The cost of each code together with a given one.
    void against(Code code, std::vector<int64_t>& table) const {
        if (!by_number()) return spread(code, code, table);
        table.assign(codes(), code == missing_ ? whole_ : costs_[codes() > 1 ? 2 : 1]);
        if (missing_ >= 0) table[missing_] = whole_;
        table[code] = 0;
    }

    // The cost of each code together with an interval, for a line or a tree; in a tree, without the cost of the interval
    // itself.
    void spread(Code lo, Code hi, std::vector<int64_t>& table) const {
        table.assign(codes(), 0);
        if (along()) {
            for (Code code = 0; code < codes(); ++code) table[code] = cost(std::min(lo, code), std::max(hi, code));
            return;
        }
        for (Code code = lo; code-- > 0;) table[code] = std::max(table[code + 1], costs_[code]);
        for (Code code = hi + 1; code < codes(); ++code) table[code] = std::max(table[code - 1], costs_[code - 1]);
    }

private:
    Kind kind_;
    int64_t whole_;
    Code missing_;
    std::vector<int64_t> costs_;
    std::vector<std::vector<int64_t>> highest_;  // by level, of 1, 2, 4, .. rises from each on
};

// The codes of clusters on one scale: their ends or, for values, a bit for each.
class Extents {
public:
    Extents(const Scale& scale, int64_t clusters)
        : words_(scale.words()), lo_(clusters, std::numeric_limits<Code>::max()), hi_(clusters, -1), bits_(clusters * words_) {}

    Code lo(int64_t cluster) const { return lo_[cluster]; }
    Code hi(int64_t cluster) const { return hi_[cluster]; }
    const uint64_t* bits(int64_t cluster) const { return bits_.data() + cluster * words_; }

    void add(int64_t cluster, Code code) {
        lo_[cluster] = std::min(lo_[cluster], code);
        hi_[cluster] = std::max(hi_[cluster], code);
        if (words_) bits_[cluster * words_ + code / 64] |= uint64_t{1} << (code % 64);
    }
    // Adds the codes of one cluster to another.
    void merge(int64_t cluster, int64_t other) {
        lo_[cluster] = std::min(lo_[cluster], lo_[other]);
        hi_[cluster] = std::max(hi_[cluster], hi_[other]);
        for (size_t word = 0; word < words_; ++word) bits_[cluster * words_ + word] |= bits_[other * words_ + word];
    }
    int64_t cost(const Scale& scale, int64_t cluster) const {
        return words_ ? scale.cost(bits(cluster), bits(cluster)) : scale.cost(lo_[cluster], hi_[cluster]);
    }
    int64_t cost_with(const Scale& scale, int64_t cluster, Code code) const {
        if (!words_) return scale.cost(std::min(lo_[cluster], code), std::max(hi_[cluster], code));
        Extents both(scale, 1);
        both.add(0, code);
        return scale.cost(bits(cluster), both.bits(0));
    }

private:
    size_t words_;
    std::vector<Code> lo_, hi_;
    std::vector<uint64_t> bits_;
};

}  // namespace shoal
