// Checks the quotes of a piece of delimited text, by jumping from quote to quote.
#pragma once

#include "core/rows.hpp"

namespace shoal {

class QuoteScan {
public:
    enum State : int { field_start, plain, quoted, quote };  // as in kernels/read/quotes.py

    QuoteScan(const uint8_t* data, int64_t size, uint8_t delimiter, int state)
        : state(static_cast<State>(state)), data_(data), end_(data + size), delimiter_(delimiter) {}

    void run() {
        for (const uint8_t* at = data_; at < end_ && bad < 0;) at = state == quoted ? inside(at) : outside(at);
    }

    State state;
    int64_t records = 0;
    int64_t bad = -1;
    std::vector<int64_t> breaks;

private:
    static constexpr uint8_t mark = '"', line_end = '\n';

    const uint8_t* next_quote(const uint8_t* at) const {
        auto* next = at < end_ ? static_cast<const uint8_t*>(std::memchr(at, mark, end_ - at)) : nullptr;
        return next ? next : end_;
    }

    // Reads the rest of a quoted field, up to a quote that may close it.
    const uint8_t* inside(const uint8_t* at) {
        const uint8_t* close = next_quote(at);
        breaks.insert(breaks.end(), std::count(at, close, line_end), records);
        if (close == end_) return end_;
        state = quote;
        return close + 1;
    }

    // Reads what follows a quote inside a quoted field, then plain fields up to the next quoted one.
    const uint8_t* outside(const uint8_t* at) {
        if (state == quote && *at != mark && !separates(*at)) {
            bad = at - data_;
            return at;
        }
        bool opens = state != plain;
        for (const uint8_t* next = at;; ++next) {
            next = next_quote(next);
            if (next == end_) break;
            if (next == at ? !opens : !separates(next[-1])) continue;  // an ordinary character
            records += std::count(at, next, line_end);
            state = quoted;
            return next + 1;
        }
        records += std::count(at, end_, line_end);
        state = separates(end_[-1]) ? field_start : plain;
        return end_;
    }

    bool separates(uint8_t byte) const { return byte == delimiter_ || byte == line_end; }

    const uint8_t* data_;
    const uint8_t* end_;
    uint8_t delimiter_;
};

}  // namespace shoal
