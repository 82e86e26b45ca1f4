// Chooses labels to suppress so that no mole is left: greedily, by moles removed for the information lost. The Python twin
// describes the rule. Time: proportional to the labels of all moles, plus a heap of the labels. Memory: twice the labels of
// all moles.
#pragma once

#include <optional>
#include <queue>

#include "core/parallel.hpp"

namespace shoal {

class Chooser {
public:
    // `counts`: number of moles of 1, 2, .. labels; `codes`: their labels, one mole after the other.
    Chooser(const std::vector<int64_t>& counts, const Code* codes, const int64_t* lost, const uint8_t* barred, int64_t labels,
            const Tick& tick)
        : codes_(codes), lost_(lost), barred_(barred), remaining_(labels, 0), start_(labels + 1, 0), tick_(tick) {
        if (std::accumulate(counts.begin(), counts.end(), int64_t{0}) > UINT32_MAX) throw std::overflow_error("too many moles");
        for (size_t size = 1; size <= counts.size(); ++size)
            for (int64_t i = 0; i < counts[size - 1]; ++i) mole_.push_back(mole_.back() + static_cast<int64_t>(size));
        single_ = counts.empty() ? 0 : counts[0];
        for (int64_t e = 0; e < mole_.back(); ++e) ++remaining_[codes[e]];
        std::partial_sum(remaining_.begin(), remaining_.end(), start_.begin() + 1);
        held_by_.resize(mole_.back());
        std::vector<int64_t> fill(start_.begin(), start_.end() - 1);
        alive_.assign(mole_.size() - 1, 1);
        for (size_t m = 0; m < alive_.size(); ++m)
            for (int64_t e = mole_[m]; e < mole_[m + 1]; ++e) held_by_[fill[codes[e]]++] = static_cast<uint32_t>(m);
    }

    // Returns the labels in the order chosen, or none if a mole has barred labels only.
    std::optional<std::vector<Code>> run() {
        std::vector<Code> chosen(codes_, codes_ + single_);
        std::sort(chosen.begin(), chosen.end());
        for (Code label : chosen) {
            if (barred_[label]) return {};
            suppress(label);
        }
        std::priority_queue<Candidate> heap;
        for (Code label = 0; label < static_cast<Code>(remaining_.size()); ++label)
            if (remaining_[label] && !barred_[label]) heap.push(candidate(label));
        std::atomic<bool> cancelled{false};
        Pulse pulse(tick_, cancelled, true);
        tick_(0);
        while (!heap.empty()) {
            pulse.beat(0);
            Candidate best = heap.top();
            heap.pop();
            if (static_cast<int64_t>(best.count) !=
                remaining_[best.label]) {  // counts only fall: an up-to-date entry in front is the best
                if (remaining_[best.label]) heap.push(candidate(best.label));
                continue;
            }
            suppress(best.label);
            chosen.push_back(best.label);
        }
        for (int64_t left : remaining_)
            if (left) return {};
        return chosen;
    }

private:
    struct Candidate {
        uint64_t count, lost;
        Code label;

        // count * lost of the other one, exactly: count is below 2^32.
        std::pair<uint64_t, uint64_t> times(uint64_t by) const {
            uint64_t low = count * (by & UINT32_MAX);
            return {count * (by >> 32) + (low >> 32), low & UINT32_MAX};
        }
        // Whether the other one comes first: more moles for the loss, then less loss, then the lower id.
        bool operator<(const Candidate& other) const {
            auto mine = times(other.lost), theirs = other.times(lost);
            if (mine != theirs) return mine < theirs;
            return lost != other.lost ? lost > other.lost : label > other.label;
        }
    };

    Candidate candidate(Code label) const {
        return {static_cast<uint64_t>(remaining_[label]), static_cast<uint64_t>(lost_[label]), label};
    }

    // Removes all moles that contain the label.
    void suppress(Code label) {
        for (int64_t at = start_[label]; at < start_[label + 1]; ++at) {
            uint32_t m = held_by_[at];
            if (!alive_[m]) continue;
            alive_[m] = 0;
            for (int64_t e = mole_[m]; e < mole_[m + 1]; ++e) --remaining_[codes_[e]];
        }
    }

    const Code* codes_;
    const int64_t* lost_;
    const uint8_t* barred_;
    int64_t single_ = 0;  // number of moles of one label
    std::vector<int64_t> mole_{0};  // start of each mole in the codes
    std::vector<uint8_t> alive_;
    std::vector<int64_t> remaining_;  // number of moles that contain each label
    std::vector<int64_t> start_;  // start of the label's part of held_by_
    std::vector<uint32_t> held_by_;
    const Tick& tick_;
};

}  // namespace shoal
