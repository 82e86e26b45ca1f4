// The support of every set of at most three labels, and the least support of the sets of each row; part by part, for data that
// do not fit into memory.
#pragma once

#include "core/rows.hpp"

namespace shoal {

class SupportTable {
public:
    // rank: the place of each label in the table, a permutation; the most frequent first is fastest.
    SupportTable(std::vector<Code> rank, int m) : rank_(std::move(rank)), m_(m) {
        auto n = static_cast<int64_t>(rank_.size());
        if (m < 1 || m > 3) throw std::invalid_argument("sets of 1 to 3 labels are wanted");
        for (Code r : rank_)
            if (r < 0 || r >= n) throw std::invalid_argument("a rank is out of range");
        const int64_t cells[3] = {n, n * (n - 1) / 2, n * (n - 1) * (n - 2) / 6};
        for (int s = 0; s < m; ++s) support_[s].assign(std::max<int64_t>(0, cells[s]), 0);
        for (int64_t r = 0; r < n; ++r) {
            pairs_.push_back(r * (r - 1) / 2);
            triples_.push_back(r * (r - 1) * (r - 2) / 6);
        }
    }

    void add(const RowsView& rows) {
        for (int64_t r = 0; r < rows.rows; ++r) each_set(rows, r, [&](int s, int64_t cell) { ++support_[s][cell]; });
    }

    // All supports, one size after the other, for another process.
    std::vector<uint32_t> cells() const {
        std::vector<uint32_t> all;
        for (const auto& some : support_) all.insert(all.end(), some.begin(), some.end());
        return all;
    }

    // Adds what another table has counted in other rows.
    void merge_cells(const uint32_t* more, int64_t size) {
        int64_t own = 0;
        for (const auto& some : support_) own += static_cast<int64_t>(some.size());
        if (size != own) throw std::invalid_argument("the tables differ");
        for (auto& some : support_)
            for (uint32_t& support : some)
                support = static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX, uint64_t{support} + *more++));
    }

    // Returns [size - 1], for each row the least support of a set of at most `size` of its labels; `nothing` if it has none.
    std::vector<int64_t> least(const RowsView& rows, int64_t nothing) const {
        std::vector<int64_t> out(static_cast<size_t>(m_) * rows.rows, nothing);
        for (int64_t r = 0; r < rows.rows; ++r) {
            if (!rows.size(r)) continue;
            int64_t least[3] = {INT64_MAX, INT64_MAX, INT64_MAX};
            each_set(rows, r, [&](int s, int64_t cell) { least[s] = std::min<int64_t>(least[s], support_[s][cell]); });
            for (int s = 0; s < m_; ++s) {
                if (s) least[s] = std::min(least[s], least[s - 1]);
                out[static_cast<size_t>(s) * rows.rows + r] = least[s];
            }
        }
        return out;
    }

private:
    template <class Visit>
    void each_set(const RowsView& rows, int64_t r, Visit visit) const {
        std::vector<Code>& own = scratch();
        own.clear();
        for (const Code* label = rows.begin(r); label != rows.end(r); ++label) {
            if (*label < 0 || *label >= static_cast<Code>(rank_.size())) throw std::invalid_argument("a label is unknown");
            own.push_back(rank_[*label]);
        }
        std::sort(own.begin(), own.end());
        for (size_t c = 0; c < own.size(); ++c) {
            visit(0, own[c]);
            for (size_t b = 0; m_ > 1 && b < c; ++b) {
                visit(1, pairs_[own[c]] + own[b]);
                for (size_t a = 0; m_ > 2 && a < b; ++a) visit(2, triples_[own[c]] + pairs_[own[b]] + own[a]);
            }
        }
    }

    // The ranks of a row. Several threads may look up the same table.
    static std::vector<Code>& scratch() {
        thread_local std::vector<Code> ranks;
        return ranks;
    }

    std::vector<Code> rank_;
    int m_;
    std::vector<int64_t> pairs_, triples_;  // by rank: the sets before those with this highest rank
    std::vector<uint32_t> support_[3];  // by size - 1 and set
};

}  // namespace shoal
