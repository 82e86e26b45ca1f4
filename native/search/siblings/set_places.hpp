// Addresses of the supports of sets of up to three labels.
#pragma once

#include "core/rows.hpp"

namespace shoal {

class SetPlaces {
protected:
    explicit SetPlaces(Code labels) : n_(labels), twos_(labels + 1), threes_(labels + 1) {
        for (int64_t n = 0; n <= labels; ++n) twos_[n] = n * (n - 1) / 2, threes_[n] = n * (n - 1) * (n - 2) / 6;
    }

    size_t twos() const { return twos_[n_]; }  // number of sets of two labels, and of three
    size_t threes() const { return threes_[n_]; }
    size_t at(Code a, Code b) const { return size_t(a) * n_ + b; }
    size_t at(Code a, Code b, Code c) const {
        if (a < b) std::swap(a, b);
        if (b < c) std::swap(b, c);
        if (a < b) std::swap(a, b);
        return threes_[a] + twos_[b] + c;
    }
    size_t both(Code a, Code b) const { return a > b ? twos_[a] + b : twos_[b] + a; }

    // A unique number for a set of one, two or three labels, and the set for a number.
    int64_t key(Code a, Code b, Code c = -1) const {
        if (c < 0) c = n_;
        else if (b < c) std::swap(b, c);
        if (a < b) std::swap(a, b);
        if (c < n_ && b < c) std::swap(b, c);
        return (int64_t(a) * n_ + b) * (int64_t(n_) + 1) + c;
    }
    std::vector<Code> set_of(int64_t key) const {
        int64_t n = n_;
        Code third = static_cast<Code>(key % (n + 1)), second = static_cast<Code>(key / (n + 1) % n);
        Code first = static_cast<Code>(key / (n + 1) / n);
        if (third < n) return {first, second, third};
        return first == second ? std::vector<Code>{first} : std::vector<Code>{first, second};
    }

private:
    Code n_;
    std::vector<size_t> twos_, threes_;
};

}  // namespace shoal
