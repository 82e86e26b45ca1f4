// Splits lines or cells into tokens, and gives the tokens codes, in one pass.
#pragma once

#include <string>

#include "read/labels.hpp"

namespace shoal {

class Splitter {
public:
    static constexpr uint8_t quote = '"', line_end = '\n';

    struct Result {
        std::vector<int32_t> sizes;
        std::vector<Code> codes;
        Labels labels;
        int64_t consumed = 0;
        int64_t bad = -1;
        std::vector<int64_t> breaks;
    };

    // An empty delimiter means runs of blanks.
    Splitter(const uint8_t* data, int64_t size, std::string delimiter)
        : data_(data), limit_(data + size), delimiter_(std::move(delimiter)) {
        if (delimiter_.empty())
            for (uint8_t blank : {' ', '\t', '\v', '\f'}) kind_[blank] = separator;
        else kind_[static_cast<uint8_t>(delimiter_[0])] = separator;
    }

    // Rows are lines. `last`: the data end here, so the last line may lack its end.
    Result lines(bool quotes, bool last) {
        kind_[line_end] = row_end;
        quotes_ = quotes;
        last_ = last;
        result_.codes.reserve(static_cast<size_t>(limit_ - data_) / 4);
        for (const uint8_t* at = data_; at < limit_;) {
            size_t codes = result_.codes.size(), breaks = result_.breaks.size();
            Code labels = result_.labels.size();
            at = row(at, limit_);
            if (!at || (at == limit_ && !last)) {  // malformed or unfinished: as if it had not been read
                result_.codes.resize(codes);
                result_.breaks.resize(breaks);
                result_.labels.keep(labels);
                break;
            }
            close_row(codes);
            at += at < limit_;
            result_.consumed = at - data_;
        }
        return std::move(result_);
    }

    // Row r is data[offsets[r], offsets[r + 1]).
    Result cells(const int64_t* offsets, int64_t rows) {
        result_.sizes.reserve(static_cast<size_t>(std::max<int64_t>(0, rows)));
        bool ascending = rows >= 0 && offsets[0] >= 0 && offsets[rows] <= limit_ - data_;
        for (int64_t at = 0; ascending && at < rows; ++at) {
            ascending = offsets[at] <= offsets[at + 1] && offsets[at + 1] <= limit_ - data_;
            if (!ascending) break;
            size_t codes = result_.codes.size();
            row(data_ + offsets[at], data_ + offsets[at + 1]);
            close_row(codes);
        }
        if (!ascending) throw std::invalid_argument("the offsets of cells must ascend within the data");
        result_.consumed = offsets[rows];
        return std::move(result_);
    }

private:
    enum Kind : uint8_t { text, separator, row_end };

    // Splits the row that starts here and returns its end: a line end or `end`. Null: it is malformed or unfinished.
    const uint8_t* row(const uint8_t* at, const uint8_t* end) {
        if (delimiter_.empty()) return words(at, end);
        return delimiter_.size() == 1 ? fields<true>(at, end) : fields<false>(at, end);
    }

    const uint8_t* words(const uint8_t* at, const uint8_t* end) {
        for (;;) {
            while (at < end && kind_[*at] == separator) ++at;
            if (at == end || kind_[*at] == row_end) return at;
            const uint8_t* start = at;
            while (at < end && kind_[*at] == text) ++at;
            add(start, at - start, limit_ - start);
        }
    }

    template <bool single>  // whether the delimiter is one byte
    const uint8_t* fields(const uint8_t* at, const uint8_t* end) {
        if (at == end || kind_[*at] == row_end) return at;
        for (;;) {
            if (quotes_ && at < end && *at == quote) {
                at = quoted(at, end);
                if (!at) return nullptr;
            } else {
                const uint8_t* start = at;
                while (at < end && (kind_[*at] == text || (!single && kind_[*at] == separator && !delimited(at, end)))) ++at;
                add(start, at - start, limit_ - start);
            }
            if (at == end || kind_[*at] == row_end) return at;
            at += delimiter_.size();
        }
    }

    bool delimited(const uint8_t* at, const uint8_t* end) const {
        auto length = static_cast<int64_t>(delimiter_.size());
        return end - at >= length && std::memcmp(at, delimiter_.data(), delimiter_.size()) == 0;
    }

    // Adds the field that starts with this quote and returns its end. Null: it is malformed or unfinished.
    const uint8_t* quoted(const uint8_t* start, const uint8_t* end) {
        const uint8_t* content = start + 1;
        const uint8_t* close = next_quote(content, end);
        while (close && close + 1 < end && close[1] == quote) close = next_quote(close + 2, end);
        if (!close) return last_ ? malformed(start) : nullptr;
        const uint8_t* at = close + 1;
        if (at == end && !last_) return nullptr;  // one more quote may follow
        if (at < end && kind_[*at] != row_end && !delimited(at, end)) {
            bool cut = !last_ && std::memcmp(at, delimiter_.data(), std::min<size_t>(end - at, delimiter_.size())) == 0;
            return cut ? nullptr : malformed(at);
        }
        result_.breaks.insert(result_.breaks.end(), std::count(content, close, line_end),
                              static_cast<int64_t>(result_.sizes.size()));
        add_unescaped(content, close);
        return at;
    }

    static const uint8_t* next_quote(const uint8_t* at, const uint8_t* end) {
        return at < end ? static_cast<const uint8_t*>(std::memchr(at, quote, end - at)) : nullptr;
    }

    // Adds the content of a quoted field, in which a doubled quote represents one.
    void add_unescaped(const uint8_t* at, const uint8_t* end) {
        const uint8_t* doubled = next_quote(at, end);
        if (!doubled) return add(at, end - at, limit_ - at);
        unescaped_.clear();
        for (; doubled; doubled = next_quote(at, end)) {
            unescaped_.insert(unescaped_.end(), at, doubled + 1);
            at = doubled + 2;
        }
        unescaped_.insert(unescaped_.end(), at, end);
        auto length = static_cast<int64_t>(unescaped_.size());
        add(unescaped_.data(), length, length);
    }

    const uint8_t* malformed(const uint8_t* at) {
        result_.bad = at - data_;
        return nullptr;
    }

    void add(const uint8_t* start, int64_t length, int64_t readable) {
        result_.codes.push_back(result_.labels.code_of(start, length, readable));
    }

    // `codes`: the number of codes before the row.
    void close_row(size_t codes) {
        size_t size = result_.codes.size() - codes;
        if (size > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
            throw std::overflow_error("a row has too many tokens");
        result_.sizes.push_back(static_cast<int32_t>(size));
    }

    const uint8_t* data_;
    const uint8_t* limit_;
    std::string delimiter_;
    Kind kind_[256] = {};
    bool quotes_ = false, last_ = true;
    std::vector<uint8_t> unescaped_;
    Result result_;
};

}  // namespace shoal
