// Where the sets of at most three labels are in dense tables, for verifiers that count them part by part.
//
// A table holds the sets whose highest rank is in a range. So tables can be made as small as wanted, with one pass over the rows
// for each range.
#pragma once

#include "core/rows.hpp"

namespace shoal {

class SetCells {
public:
    // rank: the place of each label in the tables; the most frequent first is fastest.
    SetCells(std::vector<Code> rank, int m, Code from, Code to) : rank_(std::move(rank)), m_(m), from_(from), to_(to) {
        auto labels = static_cast<Code>(rank_.size());
        if (m < 1 || m > 3 || from < 0 || from > to || to > labels) throw std::invalid_argument("sizes or ranks out of range");
        std::vector<uint8_t> met(labels, 0);
        for (Code r : rank_) {
            if (r < 0 || r >= labels || met[r]) throw std::invalid_argument("ranks must be a permutation of the labels");
            met[r] = 1;
        }
        // Row `high` of a table starts at the number of sets whose highest rank is between from and high.
        for (Code high = 0; high < labels; ++high) {
            int64_t h = high, widths[3] = {1, h, h * (h - 1) / 2};
            for (int s = 0; s < 3; ++s) {
                start_[s].push_back(cells_[s]);
                if (high >= from && high < to) cells_[s] += widths[s];
            }
        }
    }

    int sizes() const { return m_; }
    int64_t cells(int s) const { return s < m_ ? cells_[s] : 0; }  // of sets of s + 1 labels

    // Calls visit(s, cell) for every set of s + 1 labels of a row.
    template <class Visit>
    void each(const RowsView& view, int64_t row, Visit visit) {
        ranks_.clear();
        for (const Code* label = view.begin(row); label != view.end(row); ++label) {
            if (*label < 0 || *label >= static_cast<Code>(rank_.size())) throw std::invalid_argument("a label is unknown");
            if (rank_[*label] < to_) ranks_.push_back(rank_[*label]);
        }
        std::sort(ranks_.begin(), ranks_.end());
        auto top = static_cast<size_t>(std::lower_bound(ranks_.begin(), ranks_.end(), from_) - ranks_.begin());
        for (; top < ranks_.size(); ++top) {
            Code high = ranks_[top];
            visit(0, start_[0][high]);
            if (m_ < 2) continue;
            int64_t pairs = start_[1][high];
            for (size_t i = 0; i < top; ++i) visit(1, pairs + ranks_[i]);
            if (m_ < 3) continue;
            for (size_t j = 1; j < top; ++j) {
                int64_t middle = ranks_[j], triples = start_[2][high] + middle * (middle - 1) / 2;
                for (size_t i = 0; i < j; ++i) visit(2, triples + ranks_[i]);
            }
        }
    }

    // Calls visit(a, b, cell) for every possible pair of ranks, a below b, with b in the range.
    template <class Visit>
    void each_pair(Visit visit) const {
        for (Code b = from_; b < to_; ++b)
            for (Code a = 0; a < b && m_ > 1; ++a) visit(a, b, start_[1][b] + a);
    }
    Code from() const { return from_; }
    Code to() const { return to_; }

private:
    std::vector<Code> rank_;
    int m_;
    Code from_, to_;
    std::vector<int64_t> start_[3];  // by size - 1 and highest rank
    int64_t cells_[3] = {0, 0, 0};
    std::vector<Code> ranks_;  // of the current row
};

// A count for every set, of rows or of persons. The rows of a person must be consecutive. Counts stop at a highest one.
template <class Number>
class CellCounts {
public:
    CellCounts(const SetCells& cells, bool persons, Number most) : most_(most) {
        for (int s = 0; s < cells.sizes(); ++s) {
            count_[s].assign(cells.cells(s), 0);
            if (persons) last_[s].assign(cells.cells(s), NOBODY);
        }
    }

    void add(SetCells& cells, const RowsView& view) {
        if (view.persons && last_[0].empty() && !count_[0].empty()) throw std::invalid_argument("persons were not announced");
        for (int64_t r = 0; r < view.rows; ++r) {
            Code person = view.person(r);
            cells.each(view, r, [&](int s, int64_t cell) {
                if (person != NOBODY) {
                    if (last_[s][cell] == person) return;
                    last_[s][cell] = person;
                }
                Number& count = count_[s][cell];
                count = static_cast<Number>(count + (count < most_));
            });
        }
    }

    void clear() {
        for (int s = 0; s < 3; ++s) {
            std::fill(count_[s].begin(), count_[s].end(), 0);
            std::fill(last_[s].begin(), last_[s].end(), NOBODY);
        }
    }

    // All counts, one size after the other.
    std::vector<Number> all() const {
        std::vector<Number> counts;
        for (const auto& some : count_) counts.insert(counts.end(), some.begin(), some.end());
        return counts;
    }

    // Adds what another table has counted in rows of other persons.
    void merge(const Number* more, int64_t size) {
        int64_t own = 0;
        for (const auto& some : count_) own += static_cast<int64_t>(some.size());
        if (size != own) throw std::invalid_argument("the tables differ");
        for (auto& some : count_)
            for (Number& count : some) count = static_cast<Number>(std::min<uint64_t>(most_, uint64_t{count} + *more++));
    }

    std::vector<Number>& of(int s) { return count_[s]; }
    const std::vector<Number>& of(int s) const { return count_[s]; }

private:
    Number most_;
    std::vector<Number> count_[3];  // by size - 1 and cell
    std::vector<Code> last_[3];  // the person counted last
};

}  // namespace shoal
