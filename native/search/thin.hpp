// Which items of which rows a search needs: of all rows that hold a set of at most m labels, those of the first k persons.
//
// A search that asks only "do fewer than k persons have this set, and how many?" gets the same answers from the items that
// are needed: a set of labels that k persons have is needed in the rows of the first k of them, and a rarer set in all its
// rows. The same holds for any groups of labels. If some set below the groups is frequent, so are the groups; else all rows
// that hold them are needed.
//
// Counts are in dense tables, one byte for each possible set while k is below 256. A table holds the sets whose last label is
// in a range, so that any number of passes, each with a part of the table, gives the same result. The first k rows do not
// depend on other sets either: what is needed of each half of the rows, one after the other, contains what is needed of all.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// The number of sets of `size` labels out of n.
inline int64_t sets_of(int64_t n, int size) {
    int64_t sets = 1;
    for (int i = 0; i < size; ++i) sets = sets * (n - i) / (i + 1);
    return n < size ? 0 : sets;
}

constexpr Code LEFT_OUT = -1, RARE = -2;

template <class Count>
class Thin {
public:
    // rank[item]: the label of an item as a number below `labels`; LEFT_OUT: it has none; RARE: fewer than k persons have it, so
    // its rows are needed with all their items. Sets whose largest label is below `first` or not below `stop` are left to others.
    Thin(std::vector<Code> rank, Code labels, int64_t k, int m, Code first, Code stop, bool persons)
        : rank_(std::move(rank)), k_(k), m_(m), first_(first), stop_(stop) {
        if (m < 1 || m > 3) throw std::invalid_argument("sets of 1 to 3 labels are wanted");
        if (first < 0 || stop > labels || first > stop) throw std::invalid_argument("the range must be within the labels");
        if (static_cast<uint64_t>(k) > static_cast<uint64_t>(static_cast<Count>(-1)))
            throw std::invalid_argument("k does not fit the counts");
        for (int size = 1; size <= m; ++size) {
            before_[size] = sets_of(first, size);
            auto cells = static_cast<size_t>(sets_of(stop, size) - before_[size]);
            count_[size].assign(cells, 0);
            if (persons) last_[size].assign(cells, NOBODY);
        }
        for (Code label = 0; label < labels; ++label) {
            pairs_below_.push_back(sets_of(label, 2));
            triples_below_.push_back(sets_of(label, 3));
        }
    }

    // Marks the needed items of rows that follow those of earlier calls. With persons, the rows of a person must be consecutive.
    void mark(const RowsView& rows, uint8_t* needed) {
        if (last_[1].empty() && rows.persons && stop_ > first_) throw std::invalid_argument("persons were not announced");
        for (int64_t r = 0; r < rows.rows; ++r) mark_row(rows, r, needed + rows.indptr[r]);
    }

private:
    struct Label {
        Code rank;
        int32_t at;  // position of its first item in the row
    };

    void mark_row(const RowsView& rows, int64_t r, uint8_t* needed) {
        row_.clear();
        bool rare = false;
        const Code* items = rows.begin(r);
        for (int32_t at = 0; at < rows.size(r); ++at) {
            if (items[at] < 0 || items[at] >= static_cast<Code>(rank_.size())) throw std::invalid_argument("an item has no rank");
            Code rank = rank_[items[at]];
            if (rank >= 0 && rank < stop_) row_.push_back({rank, at});
            rare |= rank == RARE;
        }
        if (rare)
            for (int32_t at = 0; at < rows.size(r); ++at) needed[at] |= rank_[items[at]] != LEFT_OUT;
        std::sort(row_.begin(), row_.end(), [](Label a, Label b) { return a.rank != b.rank ? a.rank < b.rank : a.at < b.at; });
        row_.erase(std::unique(row_.begin(), row_.end(), [](Label a, Label b) { return a.rank == b.rank; }), row_.end());
        Code person = rows.person(r);
        auto labels = static_cast<int64_t>(row_.size());
        for (int64_t c = 0; c < labels; ++c) {
            Label last = row_[c];
            if (last.rank < first_) continue;
            if (meet(1, last.rank, person)) needed[last.at] = 1;
            if (m_ < 2) continue;
            for (int64_t b = 0; b < c; ++b) {
                Label middle = row_[b];
                if (meet(2, pairs_below_[last.rank] + middle.rank, person)) needed[middle.at] = needed[last.at] = 1;
                if (m_ < 3) continue;
                int64_t start = triples_below_[last.rank] + pairs_below_[middle.rank];
                for (int64_t a = 0; a < b; ++a)
                    if (meet(3, start + row_[a].rank, person)) needed[row_[a].at] = needed[middle.at] = needed[last.at] = 1;
            }
        }
    }

    // Counts a person for a set. Returns whether fewer than k others were counted before.
    bool meet(int size, int64_t set, Code person) {
        int64_t cell = set - before_[size];
        Count& count = count_[size][cell];
        if (count >= static_cast<Count>(k_)) return false;
        if (person != NOBODY) {
            if (last_[size][cell] == person) return false;
            last_[size][cell] = person;
        }
        ++count;
        return true;
    }

    std::vector<Code> rank_;
    int64_t k_;
    int m_;
    Code first_, stop_;
    std::vector<int64_t> pairs_below_, triples_below_;  // by label: the sets whose largest label is smaller
    int64_t before_[4] = {0, 0, 0, 0};  // by size: the sets before those of this table
    std::vector<Count> count_[4];
    std::vector<Code> last_[4];  // by size and set: the person counted last
    std::vector<Label> row_;
};

}  // namespace shoal
