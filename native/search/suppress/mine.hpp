// Finds rare sets of labels with at least one label of each of one or two groups, depth-first.
#pragma once

#include "core/parallel.hpp"
#include "search/distinct.hpp"
#include "search/persons.hpp"
#include "search/suppress/dense_tail.hpp"

namespace shoal {

// Rows hold codes from 0 on: those below `first` are the first group, from there to `second` the other, and the rest is free.
// If second == first, one label of the first group is enough. The rows must be all rows that hold such a set: then counts are
// exact as soon as a prefix has a label of each group. A rare set is reported and not extended. A set that does not occur is
// not reported.
class Miner {
public:
    // A row contained in enough others is skipped below. With more different rows than this, it is not checked.
    static constexpr size_t FEW_ROWS = 48;

    Miner(int64_t k, Code codes) : k_(k), count_(codes, 0), barred_(codes, 0), tail_(k, codes) {}

    // told(codes of a rare set of at most `size` labels)
    template <class Told>
    void run(const Rows& rows, Code first, Code second, int size, Pulse& pulse, Told told) {
        rows_ = &rows;
        first_ = first;
        second_ = second;
        size_ = size;
        if (static_cast<int>(levels_.size()) < size) levels_.resize(size);
        persons_.prepare(count_.size(), rows);
        shared_ = !rows.persons.empty();
        std::vector<Place> all;
        all.reserve(rows.size());
        for (int64_t r = 0; r < rows.size(); ++r) all.push_back({r, rows.indptr[r]});
        prefix_.clear();
        extend(all.data(), all.data() + all.size(), 0, 0, false, pulse, told);
    }

private:
    using Place = DenseTail::Place;
    struct Level {
        std::vector<int64_t> start;
        std::vector<Code> touched;
        std::vector<Place> places;
        std::vector<int64_t> support;  // with each of the labels that occur
        std::vector<Code> barred;
    };

    // The end of the codes that may follow the prefix: the groups come first.
    Code until(int depth, bool exact) const {
        if (!depth) return first_;
        return exact ? static_cast<Code>(count_.size()) : second_;
    }

    template <class Told>
    void extend(const Place* from, const Place* to, int64_t support, int depth, bool exact, Pulse& pulse, Told& told) {
        pulse.beat(0);
        bool last = depth + 1 == size_;
        Code start = last && depth && !exact ? first_ : 0, stop = until(depth, exact);
        Level& level = levels_[depth];
        level.touched.clear();
        auto each = [&](const Place* p, auto visit) {
            for (int64_t e = p->next; e < rows_->indptr[p->row + 1]; ++e) {
                Code i = rows_->items[e];
                if (i >= stop) break;
                if (i >= start && !barred_[i]) visit(i, e);
            }
        };
        for (const Place* p = from; p != to; ++p)
            each(p, [&](Code i, int64_t) {
                if (!count_[i]) level.touched.push_back(i);
                persons_.add(count_[i], i, rows_->weight[p->row], rows_->person(p->row));
            });
        auto settled = [&](Code i) { return exact || second_ == first_ || (depth && i >= first_); };  // the count is exact
        size_t open = 0;
        level.support.resize(level.touched.size());
        for (Code i : level.touched) {
            if (settled(i) && count_[i] < k_) {
                prefix_.push_back(i);
                told(prefix_);
                prefix_.pop_back();
                count_[i] = 0;
                if (!last) level.barred.push_back(i);
            } else if (last) {
                count_[i] = 0;
            } else if (!shared_ && count_[i] == support && depth && (exact || i < first_)) {
                count_[i] = 0;
                level.barred.push_back(i);
            } else {
                level.support[open] = count_[i];
                level.touched[open++] = i;
                count_[i] = static_cast<int64_t>(open);  // from here on: slot + 1
            }
        }
        level.touched.resize(open);
        // Labels that are rare with the prefix are rare with all its extensions. Labels in all its rows make no difference: a
        // rare set with such a label is rare without it. A label of all its persons is not enough for that: they may have
        // other rows.
        for (Code i : level.barred) barred_[i] = 1;
        if (open) descend(level, from, to, each, depth, settled, pulse, told);
        for (Code i : level.barred) barred_[i] = 0;
        level.barred.clear();
    }

    // Extends the prefix by each of the remaining labels of the level.
    template <class Each, class Settled, class Told>
    void descend(Level& level, const Place* from, const Place* to, Each& each, int depth, Settled& settled, Pulse& pulse,
                 Told& told) {
        size_t open = level.touched.size();
        level.start.assign(open + 1, 0);
        for (const Place* p = from; p != to; ++p)
            each(p, [&](Code i, int64_t e) {
                if (count_[i] && e + 1 < rows_->indptr[p->row + 1]) ++level.start[count_[i]];
            });
        std::partial_sum(level.start.begin(), level.start.end(), level.start.begin());
        level.places.resize(level.start.back());
        std::vector<int64_t> fill(level.start.begin(), level.start.end() - 1);
        for (const Place* p = from; p != to; ++p)
            each(p, [&](Code i, int64_t e) {
                if (count_[i] && e + 1 < rows_->indptr[p->row + 1]) level.places[fill[count_[i] - 1]++] = {p->row, e + 1};
            });
        for (Code i : level.touched) count_[i] = 0;
        for (size_t t = 0; t < open; ++t) {
            Code i = level.touched[t];
            Place *begin = level.places.data() + level.start[t], *end = level.places.data() + level.start[t + 1];
            if (begin == end) continue;
            bool sure = settled(i);
            int left = size_ - depth - 1;
            prefix_.push_back(i);
            bool done = sure && !shared_ && left > 1 &&
                        (tail_.run(*rows_, begin, end, barred_, left, prefix_, pulse, told) || safe(begin, end));
            if (!done) extend(begin, end, level.support[t], depth + 1, sure, pulse, told);
            prefix_.pop_back();
        }
    }

    // Whether what follows the prefix in each of the rows is contained in enough of them: then no set in it is rare. Not for
    // rows of persons who have several rows, because it sorts the rows and adds up their weights.
    bool safe(Place* begin, Place* end) {
        auto rest = [&](const Place& p) { return std::pair(rows_->items.data() + p.next, rows_->end(p.row)); };
        std::sort(begin, end, [&](const Place& a, const Place& b) {
            auto [from_a, to_a] = rest(a);
            auto [from_b, to_b] = rest(b);
            return std::lexicographical_compare(from_a, to_a, from_b, to_b);
        });
        different_.clear();
        bool enough = true;
        for (Place* p = begin; p != end; ++p) {
            auto [from, to] = rest(*p);
            if (different_.size()) {
                auto [other, stop] = rest(*different_.back().first);
                if (to - from == stop - other && std::equal(from, to, other)) {
                    different_.back().second += rows_->weight[p->row];
                    continue;
                }
                enough &= different_.back().second >= k_;
            }
            different_.push_back({p, rows_->weight[p->row]});
        }
        if (enough && different_.back().second >= k_) return true;
        if (different_.size() > FEW_ROWS) return false;
        for (auto& [p, weight] : different_) {
            int64_t holding = weight;
            auto [from, to] = rest(*p);
            for (auto& [q, more] : different_) {
                if (holding >= k_) break;
                auto [other, stop] = rest(*q);
                if (p != q && stop - other > to - from && std::includes(other, stop, from, to)) holding += more;
            }
            if (holding < k_) return false;
        }
        return true;
    }

    int64_t k_;
    std::vector<int64_t> count_;
    PersonsByLabel persons_;
    bool shared_ = false;  // whether some person has several rows
    std::vector<uint8_t> barred_;
    const Rows* rows_ = nullptr;
    Code first_ = 0, second_ = 0;
    int size_ = 0;
    std::vector<Level> levels_;
    std::vector<Code> prefix_;
    std::vector<std::pair<Place*, int64_t>> different_;
    DenseTail tail_;
};

}  // namespace shoal
