// An index of item sets, to find how much each overlaps with a given one. For nearest_groups.hpp.
//
// The key of a set is its size minus twice the overlap. The overlap is counted along the lists of sets that have an item or,
// if these lists are long, by counting bits in words of 64 items. Items are ranked by falling support, so the items of a word
// are about equally frequent. Each word is counted in the cheaper way. Memory: proportional to the items of the sets. A word
// of bits is kept only if it represents at least as many items.
#pragma once

#include <limits>
#include <utility>

#include "core/rows.hpp"

namespace shoal {

enum class Way { choose, bits, lists };

// Counts the bits of a word in a way that every processor supports.
inline int64_t count_bits(uint64_t b) {
    b -= b >> 1 & 0x5555555555555555u;
    b = (b & 0x3333333333333333u) + (b >> 2 & 0x3333333333333333u);
    b = (b + (b >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<int64_t>(b * 0x0101010101010101u >> 56);
}

// On x86-64 nearly every processor has an instruction for it, but wheels are also for the oldest, so check at run time.
#if defined(__x86_64__) && defined(__GNUC__)
template <class Key>
__attribute__((target("popcnt"))) void subtract_popcnt(const uint64_t* bits, uint64_t mask, Key* key, int64_t sets) {
    for (int64_t i = 0; i < sets; ++i) key[i] = static_cast<Key>(key[i] - 2 * __builtin_popcountll(bits[i] & mask));
}
inline const bool has_popcnt = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("popcnt") > 0;
}();
#endif

// Subtracts from each key twice the number of bits that the word of a set has in common with the mask.
template <class Key>
void subtract_bits(const uint64_t* bits, uint64_t mask, Key* key, int64_t sets) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (has_popcnt) return subtract_popcnt(bits, mask, key, sets);
#endif
    for (int64_t i = 0; i < sets; ++i) key[i] = static_cast<Key>(key[i] - 2 * count_bits(bits[i] & mask));
}

// Key: a signed type that can hold three times the size of the longest row.
template <class Key>
class OverlapIndex {
public:
    static constexpr int64_t kBlock = 128;  // keys come in whole blocks of this size
    static constexpr int64_t kMost = 1 << 14;  // number of sets whose keys, of one byte or two, stay in the innermost cache
    static constexpr Key kGone = std::numeric_limits<Key>::max();

    // Each set is given by a row of the view; `ranks` are those of the items that occur.
    OverlapIndex(const RowsView& view, const std::vector<int64_t>& rows, const std::vector<Code>& rank, int64_t ranks, Way way)
        : sets_(static_cast<int64_t>(rows.size())), way_(way) {
        base_.assign((sets_ + kBlock - 1) / kBlock * kBlock, kGone);
        std::vector<Place> places;
        for (int64_t i = 0; i < sets_; ++i) {
            base_[i] = static_cast<Key>(view.size(rows[i]));
            for (const Code* item = view.begin(rows[i]); item != view.end(rows[i]); ++item)
                places.push_back({rank[*item], static_cast<uint16_t>(i)});
        }
        fill_lists(places, ranks);
        if (way_ != Way::lists) fill_bits(places, ranks);
    }

    int64_t sets() const { return sets_; }
    int64_t blocks() const { return static_cast<int64_t>(base_.size()) / kBlock; }

    // Removes a set: its key is then above that of all remaining sets. Returns false if it was removed before.
    bool drop(int64_t i) {
        if (base_[i] == kGone) return false;
        base_[i] = kGone;
        return true;
    }

    // Computes the keys for a set of ascending ranks. Returns about how many steps that took.
    int64_t measure(const std::vector<Code>& ranks, Key* key) const {
        std::copy(base_.begin(), base_.end(), key);
        int64_t steps = sets_ / 16;
        for (size_t from = 0, to = 0; from < ranks.size(); from = to) {
            int64_t word = ranks[from] / 64, entries = 0;
            uint64_t mask = 0;
            for (; to < ranks.size() && ranks[to] / 64 == word; ++to) {
                auto [first, last] = holders(ranks[to]);
                entries += last - first;
                mask |= uint64_t{1} << ranks[to] % 64;
            }
            if (word < words_ && worth(entries)) {
                subtract_bits(bits_.data() + word * sets_, mask, key, sets_);
                steps += sets_;
                continue;
            }
            for (size_t r = from; r < to; ++r) {
                auto [i, last] = holders(ranks[r]);
                for (; i != last; ++i) key[*i] = static_cast<Key>(key[*i] - 2);
            }
            steps += entries;
        }
        return steps;
    }

private:
    static constexpr double kBits = 1.0;  // cost of counting the bits of a word, in entries of lists
    struct Place {
        Code rank;
        uint16_t set;
    };

    // Builds the list of sets for each item that occurs here or, if these are not much fewer, for all items.
    void fill_lists(const std::vector<Place>& places, int64_t ranks) {
        dense_ = static_cast<size_t>(ranks) <= 4 * places.size();
        if (!dense_) {
            for (const Place& place : places) present_.push_back(place.rank);
            std::sort(present_.begin(), present_.end());
            present_.erase(std::unique(present_.begin(), present_.end()), present_.end());
        }
        start_.assign((dense_ ? ranks : present_.size()) + 1, 0);
        for (const Place& place : places) ++start_[index(place.rank) + 1];
        std::partial_sum(start_.begin(), start_.end(), start_.begin());
        std::vector<uint32_t> next(start_.begin(), start_.end() - 1);
        list_.resize(places.size());
        for (const Place& place : places) list_[next[index(place.rank)]++] = place.set;
    }

    // Fills the bits of the first words, as long as these have enough items for bits to be cheaper.
    void fill_bits(const std::vector<Place>& places, int64_t ranks) {
        std::vector<int64_t> entries((ranks + 63) / 64, 0);
        for (const Place& place : places) ++entries[place.rank / 64];
        while (words_ < static_cast<int64_t>(entries.size()) && worth(entries[words_])) ++words_;
        bits_.assign(words_ * sets_, 0);
        for (const Place& place : places)
            if (place.rank / 64 < words_) bits_[place.rank / 64 * sets_ + place.set] |= uint64_t{1} << place.rank % 64;
    }

    // Whether counting the bits of a word is cheaper than reading this many entries of lists.
    bool worth(int64_t entries) const {
        return way_ == Way::bits || static_cast<double>(entries) > kBits * static_cast<double>(sets_);
    }

    // The index of the list of an item, or where it would be.
    size_t index(Code rank) const {
        return dense_ ? rank : std::lower_bound(present_.begin(), present_.end(), rank) - present_.begin();
    }

    // The list of the sets with an item.
    std::pair<const uint16_t*, const uint16_t*> holders(Code rank) const {
        size_t at = index(rank);
        if (!dense_ && (at == present_.size() || present_[at] != rank)) return {nullptr, nullptr};
        return {list_.data() + start_[at], list_.data() + start_[at + 1]};
    }

    int64_t sets_;
    Way way_;
    std::vector<Key> base_;  // size of each set, or a mark that it is removed
    bool dense_ = false;
    std::vector<Code> present_;  // ranks that have a list; all unless dense
    std::vector<uint32_t> start_;  // start of each list
    std::vector<uint16_t> list_;
    int64_t words_ = 0;
    std::vector<uint64_t> bits_;  // of all sets, word by word
};

}  // namespace shoal
