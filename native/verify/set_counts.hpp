// Counts the rows behind every set of at most three published labels, part by part, for data that do not fit into memory.
//
// The counts are dense tables, and stop at k: whether a set is rare needs no more. A table holds the sets whose highest rank is in
// a range. So tables can be made as small as wanted, with one pass over the rows for each range.
#pragma once

#include "core/rows.hpp"

namespace shoal {

template <class Number>
class SetCounts {
public:
    // rank: the place of each label in the tables; the most frequent first is fastest.
    SetCounts(std::vector<Code> rank, int64_t k, int m, Code from, Code to)
        : rank_(std::move(rank)), k_(static_cast<Number>(k)), m_(m), from_(from), to_(to) {
        auto labels = static_cast<Code>(rank_.size());
        if (m < 1 || m > 3 || from < 0 || from > to || to > labels) throw std::invalid_argument("sizes or ranks out of range");
        if (static_cast<int64_t>(k_) != k) throw std::invalid_argument("k does not fit the counts");
        std::vector<uint8_t> met(labels, 0);
        for (Code r : rank_) {
            if (r < 0 || r >= labels || met[r]) throw std::invalid_argument("ranks must be a permutation of the labels");
            met[r] = 1;
        }
        // Row `high` of a table starts at the number of sets whose highest rank is between from and high.
        int64_t cells[3] = {0, 0, 0};
        for (Code high = 0; high < labels; ++high) {
            int64_t h = high, widths[3] = {1, h, h * (h - 1) / 2};
            for (int s = 0; s < 3; ++s) {
                start_[s].push_back(cells[s]);
                if (high >= from && high < to) cells[s] += widths[s];
            }
        }
        for (int s = 0; s < m; ++s) table_[s].assign(cells[s], 0);
    }

    void add(const RowsView& view) {
        for (int64_t r = 0; r < view.rows; ++r) {
            ranks_.clear();
            for (const Code* label = view.begin(r); label != view.end(r); ++label) {
                if (*label < 0 || *label >= static_cast<Code>(rank_.size())) throw std::invalid_argument("a label is unknown");
                if (rank_[*label] < to_) ranks_.push_back(rank_[*label]);
            }
            std::sort(ranks_.begin(), ranks_.end());
            auto high = std::lower_bound(ranks_.begin(), ranks_.end(), from_);
            for (; high != ranks_.end(); ++high) add_below(static_cast<size_t>(high - ranks_.begin()));
        }
    }

    // Adds what another table has counted in other rows.
    void merge(const SetCounts& other) {
        for (int s = 0; s < m_; ++s) {
            if (other.table_[s].size() != table_[s].size()) throw std::invalid_argument("the tables differ");
            for (size_t c = 0; c < table_[s].size(); ++c)
                table_[s][c] = static_cast<Number>(std::min<uint64_t>(k_, uint64_t{table_[s][c]} + other.table_[s][c]));
        }
    }

    // The number of sets that occur, and of those that fewer than k rows hold.
    std::pair<int64_t, int64_t> result() const {
        int64_t occurring = 0, rare = 0;
        for (const auto& table : table_)
            for (Number count : table) {
                occurring += count > 0;
                rare += count > 0 && count < k_;
            }
        return {occurring, rare};
    }

private:
    void add_below(size_t top) {
        Code high = ranks_[top];
        count(0, start_[0][high]);
        if (m_ < 2) return;
        int64_t pairs = start_[1][high];
        for (size_t i = 0; i < top; ++i) count(1, pairs + ranks_[i]);
        if (m_ < 3) return;
        for (size_t j = 1; j < top; ++j) {
            int64_t middle = ranks_[j], triples = start_[2][high] + middle * (middle - 1) / 2;
            for (size_t i = 0; i < j; ++i) count(2, triples + ranks_[i]);
        }
    }

    void count(int s, int64_t cell) { table_[s][cell] = static_cast<Number>(table_[s][cell] + (table_[s][cell] < k_)); }

    std::vector<Code> rank_;
    Number k_;
    int m_;
    Code from_, to_;
    std::vector<int64_t> start_[3];  // by size - 1 and highest rank
    std::vector<Number> table_[3];
    std::vector<Code> ranks_;
};

}  // namespace shoal
