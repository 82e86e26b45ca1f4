// Those that a set of labels hides among: what k is counted in.
#pragma once

#include "core/rows.hpp"

namespace shoal {

class Crowd {
public:
    Crowd() = default;
    explicit Crowd(int64_t rows) : rows_(rows) {}

    void add(const Crowd& other) { rows_ += other.rows_; }
    bool empty() const { return !rows_; }
    bool reaches(int64_t k) const { return rows_ >= k; }

private:
    int64_t rows_ = 0;
};

}  // namespace shoal
