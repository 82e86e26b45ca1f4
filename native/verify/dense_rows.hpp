// Rows that hold many of few labels, as a bitmap for each label, for verifiers. Scanning such rows visits each of them once
// for every set that it holds. With bitmaps, most sets are found to be frequent after a few words.
#pragma once

#include "core/parallel.hpp"
#include "verify/persons.hpp"

namespace shoal {

class DenseRows {
public:
    using Bits = std::vector<uint64_t>;

    // Takes the number of rows and labels. All weights are at least 1. Rows of one person must be consecutive.
    void clear(int64_t rows, int64_t labels) {
        words_ = (rows + 63) / 64;
        all_.assign(words_, ~uint64_t{0});  // beyond the last row no label has a bit
        bits_.assign(labels * words_, 0);
        weight_.assign(rows, 1);
        person_.assign(rows, NOBODY);
    }
    void describe(int64_t row, int64_t weight, Code person) {
        weight_[row] = weight;
        person_[row] = person;
    }
    void put(int64_t row, int64_t label) { bits_[label * words_ + row / 64] |= uint64_t{1} << (row % 64); }

    const Bits& all() const { return all_; }

    // The given rows that also hold the label.
    void narrow(const Bits& these, int64_t label, Bits& out) const {
        const uint64_t* own = bits_.data() + label * words_;
        out.resize(words_);
        for (int64_t w = 0; w < words_; ++w) out[w] = these[w] & own[w];
    }

    // Calls visit(row) for each of these rows that holds the label, in order, until it returns false.
    template <class Visit>
    void each(const Bits& these, int64_t label, Visit visit) const {
        const uint64_t* own = bits_.data() + label * words_;
        for (int64_t w = 0; w < words_; ++w)
            for (uint64_t left = these[w] & own[w]; left; left &= left - 1)
                if (!visit(64 * w + __builtin_ctzll(left))) return;
    }

    // Counts the persons of these rows that have the label: exact below `enough`, and at least that otherwise.
    int64_t persons(const Bits& these, int64_t label, int64_t enough) const {
        int64_t counted = 0;
        Latest latest;
        each(these, label, [&](int64_t row) {
            counted += latest.adds(weight_[row], person_[row]);
            return counted < enough;
        });
        return counted;
    }

private:
    int64_t words_ = 0;  // words of a bitmap
    Bits all_;
    std::vector<uint64_t> bits_;  // by label
    std::vector<int64_t> weight_;
    std::vector<Code> person_;
};

}  // namespace shoal
