// Different texts, numbered in the order in which they first appear.
//
// A hash table with open addressing. A text of at most 8 bytes is its own key, so that two of them are compared as integers.
// A longer one has a hash as key, and its bytes are compared too.
#pragma once

#include <limits>

#include "core/rows.hpp"

namespace shoal {

class Labels {
public:
    // The code of text[0, length). `readable`: number of bytes that may be read from there.
    Code code_of(const uint8_t* text, int64_t length, int64_t readable) {
        Entry wanted{key_of(text, length, readable), static_cast<int32_t>(std::min<int64_t>(length, long_)), 0};
        size_t at = place_of(wanted);
        for (; slots_[at].length >= 0; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at].key == wanted.key && slots_[at].length == wanted.length && is(slots_[at].code, text, length))
                return slots_[at].code;
        if (size() == std::numeric_limits<Code>::max()) throw std::overflow_error("more different tokens than codes");
        wanted.code = size();
        bytes_.insert(bytes_.end(), text, text + length);
        offsets_.push_back(static_cast<int64_t>(bytes_.size()));
        slots_[at] = wanted;
        if (2 * offsets_.size() > slots_.size()) grow();
        return wanted.code;
    }

    Code size() const { return static_cast<Code>(offsets_.size() - 1); }

    // Removes all but the first labels. After that, none can be looked up.
    void keep(Code labels) {
        offsets_.resize(static_cast<size_t>(labels) + 1);
        bytes_.resize(offsets_.back());
        slots_.clear();
    }

    std::vector<int64_t>& offsets() { return offsets_; }
    std::vector<uint8_t>& bytes() { return bytes_; }

private:
    static constexpr int64_t short_ = 8, long_ = 9;

    struct Entry {
        uint64_t key;
        int32_t length;  // of a short label; long_ for others; -1: free
        Code code;
    };

    static uint64_t mixed(uint64_t value) {
        value *= 0x9e3779b97f4a7c15u;
        value ^= value >> 32;
        return value * 0xd6e8feb86659fd93u;
    }

    static uint64_t eight(const uint8_t* text) {
        uint64_t value;
        std::memcpy(&value, text, 8);
        return value;
    }

    // At most 8 bytes as an integer.
    static uint64_t few(const uint8_t* text, int64_t length, int64_t readable) {
        static constexpr uint8_t ones[16] = {255, 255, 255, 255, 255, 255, 255, 255};
        if (readable >= 8) return eight(text) & eight(ones + 8 - length);
        uint64_t value = 0;
        if (length > 0) std::memcpy(&value, text, static_cast<size_t>(length));
        return value;
    }

    static uint64_t key_of(const uint8_t* text, int64_t length, int64_t readable) {
        if (length <= short_) return few(text, length, readable);
        uint64_t hash = 0;
        int64_t at = 0;
        for (; at + 8 <= length; at += 8) hash = mixed(hash ^ eight(text + at));
        return mixed(hash ^ few(text + at, length - at, readable - at));
    }

    size_t place_of(const Entry& entry) const {
        return (mixed(entry.key ^ static_cast<uint64_t>(entry.length) << 56) >> 32) & (slots_.size() - 1);
    }

    bool is(Code code, const uint8_t* text, int64_t length) const {
        return length <= short_ || (offsets_[code + 1] - offsets_[code] == length &&
                                    std::memcmp(bytes_.data() + offsets_[code], text, static_cast<size_t>(length)) == 0);
    }

    void grow() {
        std::vector<Entry> old(2 * slots_.size(), Entry{0, -1, 0});
        old.swap(slots_);
        for (const Entry& entry : old) {
            if (entry.length < 0) continue;
            size_t at = place_of(entry);
            while (slots_[at].length >= 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = entry;
        }
    }

    std::vector<Entry> slots_{1024, Entry{0, -1, 0}};  // a power of two, at most half full
    std::vector<int64_t> offsets_{0};
    std::vector<uint8_t> bytes_;
};

}  // namespace shoal
