// Rare sets in rows that hold many of few labels, by bitmaps. Most sets are soon found to be frequent.
#pragma once

#include "core/parallel.hpp"

namespace shoal {

// Examining a set usually costs a few words, while scanning the rows costs as many steps as rows hold it.
class DenseTail {
public:
    struct Place {
        int64_t row;  // a row that holds the prefix
        int64_t next;  // the labels after the last label of the prefix
    };

    DenseTail(int64_t k, Code codes) : k_(k), slot_(codes, -1) {}

    // Calls told(prefix) for each rare set that adds up to `left` labels to the prefix, in the order of a row scan. Returns
    // false, and does nothing, if bitmaps would cost more than scanning the rows.
    template <class Told>
    bool run(const Rows& rows, const Place* from, const Place* to, const std::vector<uint8_t>& barred, int left,
             std::vector<Code>& prefix, Pulse& pulse, Told& told) {
        int64_t steps = 0, pairs = 0;
        for (const Place* p = from; p != to; ++p) {
            int64_t rest = rows.indptr[p->row + 1] - p->next;
            steps += rest;
            pairs += rest * (rest - 1) / 2;
        }
        if (left < 2 || pairs < 4 * steps || !lay_out(rows, from, to, barred, pairs)) return false;
        std::vector<uint64_t> all(words_, ~uint64_t{0});
        std::vector<int32_t> candidates(codes_.size());
        std::iota(candidates.begin(), candidates.end(), 0);
        extend(all, candidates, left, prefix, pulse, told);
        return true;
    }

private:
    // Builds a bitmap of the rows for each label that may follow.
    bool lay_out(const Rows& rows, const Place* from, const Place* to, const std::vector<uint8_t>& barred, int64_t pairs) {
        codes_.clear();
        auto each = [&](auto visit) {
            for (const Place* p = from; p != to; ++p)
                for (int64_t e = p->next; e < rows.indptr[p->row + 1]; ++e)
                    if (!barred[rows.items[e]]) visit(p - from, rows.items[e]);
        };
        each([&](int64_t, Code i) {
            if (slot_[i] >= 0) return;
            slot_[i] = static_cast<int32_t>(codes_.size());
            codes_.push_back(i);
        });
        words_ = (to - from + 63) / 64;
        auto labels = static_cast<int64_t>(codes_.size());
        bool worth = labels * (labels - 1) / 2 * (words_ + 2) <= pairs;
        if (worth) {
            bits_.assign(labels * words_, 0);
            weight_.clear();
            for (const Place* p = from; p != to; ++p) weight_.push_back(rows.weight[p->row]);
            each([&](int64_t r, Code i) { bits_[slot_[i] * words_ + r / 64] |= uint64_t{1} << (r % 64); });
        }
        for (Code i : codes_) slot_[i] = -1;
        return worth;
    }

    // Candidates are frequent with the prefix without its last label.
    template <class Told>
    void extend(const std::vector<uint64_t>& holding, const std::vector<int32_t>& candidates, int left, std::vector<Code>& prefix,
                Pulse& pulse, Told& told) {
        pulse.beat(0);
        std::vector<int32_t> frequent;
        for (int32_t label : candidates) {
            int64_t support = support_up_to_k(holding, label);
            if (support >= k_) frequent.push_back(label);
            else if (support) {
                prefix.push_back(codes_[label]);
                told(prefix);
                prefix.pop_back();
            }
        }
        if (left == 1) return;
        std::vector<uint64_t> both(words_);
        for (size_t at = 0; at + 1 < frequent.size(); ++at) {
            const uint64_t* own = bits_.data() + frequent[at] * words_;
            for (int64_t w = 0; w < words_; ++w) both[w] = holding[w] & own[w];
            prefix.push_back(codes_[frequent[at]]);
            extend(both, {frequent.begin() + static_cast<int64_t>(at) + 1, frequent.end()}, left - 1, prefix, pulse, told);
            prefix.pop_back();
        }
    }

    // Exact if it is below k.
    int64_t support_up_to_k(const std::vector<uint64_t>& holding, int32_t label) const {
        const uint64_t* own = bits_.data() + label * words_;
        int64_t held = 0;
        for (int64_t w = 0; w < words_; ++w)
            for (uint64_t rows = holding[w] & own[w]; rows; rows &= rows - 1)
                if (++held >= k_) return held;  // each row weighs at least 1
        if (!held) return 0;
        int64_t support = 0;
        for (int64_t r = 0; r < static_cast<int64_t>(weight_.size()); ++r)
            if ((holding[r / 64] & own[r / 64]) >> (r % 64) & 1) support += weight_[r];
        return support;
    }

    int64_t k_;
    std::vector<int32_t> slot_;  // by code; -1 between uses
    std::vector<Code> codes_;  // codes that may follow
    int64_t words_ = 0;  // words of each bitmap
    std::vector<uint64_t> bits_;
    std::vector<int64_t> weight_;  // of each row
};

}  // namespace shoal
