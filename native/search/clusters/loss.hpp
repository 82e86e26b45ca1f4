// The loss of rows of labels (UL in Poulis et al. 2013), as whole numbers of 2^-40.
//
// A row with labels of z items, s in total, loses the sum over its labels with z > 1 of 2^(z-s) - 2^-s, divided by 1 - 2^-s.
// The sum is computed in the order of the labels, in double arithmetic, so that the compiled kernel and its Python twin round
// in the same way. As long as s is at most 53, nothing is rounded before the division: the sum is a whole number of 2^-s, in
// any order.
#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "core/rows.hpp"

namespace shoal {

class Loss {
public:
    Loss() = default;
    Loss(const std::vector<Code>& labels, const std::vector<int64_t>& size) {
        for (Code label : labels) items_ += size[label];
        for (Code label : labels) sum_ += items_ <= kExact ? term(size[label]) : 0;
        value_ = items_ <= kExact ? quotient(sum_, items_) : in_order(labels, size, -1, -1, 0, items_);
    }
    // The loss of a row with this key.
    explicit Loss(std::pair<int64_t, int64_t> key) : items_(key.first), sum_(key.second), value_(quotient(sum_, items_)) {}

    int64_t value() const { return value_; }

    // Whether the key determines the loss, even after the row has got this many more items.
    bool exact(int64_t more) const { return items_ + more <= kExact; }
    std::pair<int64_t, int64_t> key() const { return {items_, sum_}; }

    // The value after a label of some size has got more items, if that is exact.
    int64_t grown(int64_t size, int64_t more) const { return quotient(sum_ - term(size) + term(size + more), items_ + more); }

    // The value after the label u of the row, and v if the row has it, became one of `size` items, some of them new.
    int64_t with(const std::vector<Code>& labels, const std::vector<int64_t>& sizes, Code u, Code v, int64_t size,
                 int64_t more) const {
        if (!exact(more)) return in_order(labels, sizes, u, v, size, items_ + more);
        return quotient(sum_ - term(sizes[u]) - (more ? 0 : term(sizes[v])) + term(size), items_ + more);
    }

private:
    static constexpr int64_t kExact = 53;

    static int64_t term(int64_t size) { return size > 1 ? (int64_t{1} << size) - 1 : 0; }
    static int64_t quotient(int64_t sum, int64_t items) {
        return sum ? whole(static_cast<double>(sum) / static_cast<double>((int64_t{1} << items) - 1)) : 0;
    }
    static int64_t whole(double share) { return static_cast<int64_t>(share * 0x1p40); }

    // 2 to the power of a number that is not positive.
    static double power(int64_t exponent) {
        static const std::array<double, 1080> powers = [] {
            std::array<double, 1080> all{};
            for (int i = 0; i < 1080; ++i) all[i] = std::ldexp(1.0, -i);
            return all;
        }();
        return exponent > -1080 ? powers[-exponent] : 0.0;
    }

    // The value of a row of this many items, with a label of `size` items in place of u and v.
    static int64_t in_order(const std::vector<Code>& labels, const std::vector<int64_t>& sizes, Code u, Code v, int64_t size,
                            int64_t items) {
        double sum = 0, least = power(-items);
        Code place = std::min(u, v);
        bool placed = place < 0;
        for (Code label : labels) {
            if (!placed && label >= place) {
                sum += power(size - items) - least;
                placed = true;
            }
            if (label != u && label != v && sizes[label] > 1) sum += power(sizes[label] - items) - least;
        }
        if (!placed) sum += power(size - items) - least;
        return whole(sum / (1 - least));
    }

    int64_t items_ = 0, sum_ = 0, value_ = 0;
};

}  // namespace shoal
