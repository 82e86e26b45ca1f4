// For the measures: rows renumbered by rising support, without labels that are too rare, with equal rows merged; and the
// places of each label. Not shared with searches or verifiers. Rows of one person are consecutive.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// A place in a row: the start of the labels after the last label of a prefix.
struct OrderedPlace {
    int64_t row;
    int64_t next;
};

// Takes two lists of rows over the same labels; the second may be empty. Codes are ranks: 0 is the rarest label of the first.
class SupportOrder {
public:
    // Labels in fewer than `least` rows of the first list are left out.
    SupportOrder(RowsView first, RowsView second, Code labels, int64_t least) {
        std::vector<int64_t> support(labels, 0);
        for (int64_t e = 0; e < first.indptr[first.rows]; ++e) ++support[first.items[e]];
        for (Code label = 0; label < labels; ++label)
            if (support[label] >= std::max<int64_t>(1, least)) label_of_.push_back(label);
        std::stable_sort(label_of_.begin(), label_of_.end(), [&](Code a, Code b) { return support[a] < support[b]; });
        std::vector<Code> rank(labels, -1);
        for (size_t r = 0; r < label_of_.size(); ++r) rank[label_of_[r]] = static_cast<Code>(r);

        Rows all;
        for (const RowsView& view : {first, second})
            for (int64_t r = 0; r < view.rows; ++r) {
                size_t start = all.items.size();
                for (const Code* item = view.begin(r); item != view.end(r); ++item)
                    if (rank[*item] >= 0) all.items.push_back(rank[*item]);
                std::sort(all.items.begin() + start, all.items.end());
                all.close_row(1, view.person(r));
            }
        merge(all, first.rows);
        place();
    }

    Code labels() const { return static_cast<Code>(label_of_.size()); }
    Code label(Code rank) const { return label_of_[rank]; }
    int64_t size() const { return static_cast<int64_t>(first_.size()); }
    int64_t begin(int64_t row) const { return indptr_[row]; }
    int64_t end(int64_t row) const { return indptr_[row + 1]; }
    Code item(int64_t at) const { return items_[at]; }
    int64_t first(int64_t row) const { return first_[row]; }  // number of rows of the first list that are this one
    Code person(int64_t row) const { return persons_.empty() ? NOBODY : persons_[row]; }  // then it counts as 1 row
    int64_t second(int64_t row) const { return second_[row]; }  // the same for the second
    const std::vector<int64_t>& class_of() const { return class_of_; }  // of each given row; -1: empty

    // All rows that hold a label.
    const OrderedPlace* from(Code rank) const { return places_.data() + starts_[rank]; }
    const OrderedPlace* to(Code rank) const { return places_.data() + starts_[rank + 1]; }

private:
    // Merges equal rows, and drops empty ones.
    void merge(const Rows& all, int64_t firsts) {
        std::vector<int64_t> order(all.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            if (all.person(a) != all.person(b)) return all.person(a) < all.person(b);
            return std::lexicographical_compare(all.begin(a), all.end(a), all.begin(b), all.end(b));
        });
        class_of_.assign(all.size(), -1);
        for (size_t at = 0; at < order.size(); ++at) {
            int64_t row = order[at];
            if (!all.length(row)) continue;
            int64_t before = at ? order[at - 1] : row;
            bool alike = at && all.person(row) == all.person(before);
            if (first_.empty() || !alike || !std::equal(all.begin(row), all.end(row), all.begin(before), all.end(before))) {
                items_.insert(items_.end(), all.begin(row), all.end(row));
                indptr_.push_back(static_cast<int64_t>(items_.size()));
                first_.push_back(0);
                second_.push_back(0);
                if (!all.persons.empty()) persons_.push_back(all.person(row));
            } else if (all.person(row) != NOBODY) {
                class_of_[row] = size() - 1;
                continue;
            }
            class_of_[row] = size() - 1;
            ++(row < firsts ? first_ : second_).back();
        }
    }

    void place() {
        starts_.assign(label_of_.size() + 1, 0);
        for (Code item : items_) ++starts_[item + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        places_.resize(items_.size());
        std::vector<int64_t> fill(starts_.begin(), starts_.end() - 1);
        for (int64_t r = 0; r < size(); ++r)
            for (int64_t e = begin(r); e < end(r); ++e) places_[fill[items_[e]]++] = {r, e + 1};
    }

    std::vector<Code> label_of_;
    std::vector<int64_t> indptr_{0};
    std::vector<Code> items_;
    std::vector<int64_t> first_, second_, class_of_, starts_;
    std::vector<Code> persons_;  // empty: nobody has several rows
    std::vector<OrderedPlace> places_;
};

}  // namespace shoal
