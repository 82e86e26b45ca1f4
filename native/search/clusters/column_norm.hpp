// The cost of a cluster from the costs of its columns: their sum, the root of the weighted sum of their squares, or the
// largest.
//
// Costs are whole numbers. A root is rounded up exactly: the least whole number whose square is large enough.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace shoal {

class ColumnNorm {
public:
    enum class Kind { sum, size, l2, max };

    // weights: by column, for squares only; one: the number that represents a weight of 1.
    ColumnNorm(Kind kind, std::vector<int64_t> weights, int64_t one, size_t columns)
        : kind_(kind), weights_(std::move(weights)), one_(one) {
        if (kind_ != Kind::l2) return;
        if (weights_.size() != columns || one_ < 1) throw std::invalid_argument("one weight for each column is wanted");
    }

    bool by_size() const { return kind_ == Kind::size; }
    bool is_sum() const { return kind_ == Kind::sum; }

    // The sum so far, plus the cost of one more column.
    int64_t with(int64_t sum, size_t column, int64_t cost) const {
        if (kind_ == Kind::max) return std::max(sum, cost);
        return sum + (kind_ == Kind::l2 ? weights_[column] * cost * cost : cost);
    }

    // The cost for such a sum.
    int64_t of(int64_t sum) const {
        if (kind_ != Kind::l2) return sum;
        auto enough = [&](int64_t root) { return root * root * one_ >= sum; };
        auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(sum) / static_cast<double>(one_)));
        while (!enough(root)) ++root;
        while (root > 0 && enough(root - 1)) --root;
        return root;
    }

private:
    Kind kind_;
    std::vector<int64_t> weights_;
    int64_t one_;
};

}  // namespace shoal
