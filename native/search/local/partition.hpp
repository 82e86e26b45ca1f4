// Partition (He and Naughton 2009): all rows start in one bucket, as the root. All rows of a bucket have the same labels. The
// label that gains most is expanded, and rows with the same children below it stay together. The Python twin describes the
// rule.
//
// A bucket has a line for each row: the places of its open labels in the tree of the row (row_trees.hpp). Rows are sorted by
// their items, then by input order, so that positions break ties. Time: for each bucket, the rows times the labels that can
// still be expanded. Memory: proportional to the places of all rows.
#pragma once

#include "search/local/row_trees.hpp"

namespace shoal {

class Partition {
public:
    struct Found {
        std::vector<int64_t> indptr;
        std::vector<Code> labels;  // of each row, ascending
        int64_t buckets = 0, expansions = 0, left = 0;
    };

    // The cost of the tree is that of one item published as each node.
    Partition(RowsView view, const Tree& tree, const int64_t* weights, int64_t k, const Tick& tick)
        : tree_(tree), k_(k), pulse_(tick, cancelled_, true), order_(in_order(view)), trees_(view, tree, weights, order_, pulse_),
          bucket_of_(view.rows, -1), tally_(trees_.shapes.count()) {
        tick(0);
    }

    Found run() {
        std::vector<Bucket> stack;
        if (!order_.empty()) stack.push_back(everything());
        while (!stack.empty()) {
            Bucket bucket = std::move(stack.back());
            stack.pop_back();
            look();
            if (bucket.size() < 2 * k_) alike(bucket);
            else if (split(bucket, stack)) continue;
            settle(bucket);
        }
        return published();
    }

private:
    // Rows with equal labels.
    struct Bucket {
        std::vector<int64_t> rows;  // positions in the order
        std::vector<Code> open;  // labels that can still be expanded
        std::vector<uint32_t> places;  // a line for each row, an entry for each open label
        std::vector<Code> done;  // the other labels
        int64_t size() const { return static_cast<int64_t>(rows.size()); }
        const uint32_t* line(int64_t r) const { return places.data() + r * static_cast<int64_t>(open.size()); }
    };
    // The effect of expanding one label of a bucket.
    struct Expansion {
        size_t label = 0;  // its index
        int64_t gain = 0;
        std::vector<int32_t> leaving;  // the shapes that form new buckets; none: it cannot be expanded
        std::vector<int64_t> given;  // rows of the bucket with such a shape that stay behind anyway, ascending
    };
    struct Tally {
        int64_t rows = 0, gain = 0;
        int64_t group = -1;
    };

    void look() { pulse_.beat(share_); }

    // The non-empty rows in the order of their items. Equal rows keep the input order.
    std::vector<int64_t> in_order(RowsView view) {
        struct Row {
            uint64_t start;  // the first two items
            int64_t row;
        };
        std::vector<Row> rows;
        for (int64_t r = 0; r < view.rows; ++r) {
            if (!view.size(r)) continue;
            uint64_t second = view.size(r) > 1 ? view.begin(r)[1] + uint64_t{1} : 0;
            rows.push_back({static_cast<uint64_t>(*view.begin(r)) << 32 | second, r});
        }
        std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
            pulse_.beat(0);
            if (a.start != b.start) return a.start < b.start;
            const Code *x = view.begin(a.row), *y = view.begin(b.row), *end_x = view.end(a.row), *end_y = view.end(b.row);
            for (; x != end_x && y != end_y; ++x, ++y)
                if (*x != *y) return *x < *y;
            return x == end_x && y == end_y ? a.row < b.row : x == end_x;
        });
        std::vector<int64_t> order(rows.size());
        std::transform(rows.begin(), rows.end(), order.begin(), [](const Row& one) { return one.row; });
        return order;
    }

    Bucket everything() const {
        Bucket bucket;
        bucket.rows.resize(order_.size());
        std::iota(bucket.rows.begin(), bucket.rows.end(), 0);
        if (trees_.inner(trees_.top)) {
            bucket.open.push_back(trees_.top);
            bucket.places.assign(order_.size(), 0);
        } else bucket.done.push_back(trees_.top);
        return bucket;
    }

    // Expands all labels that all rows expand in the same way, in any order, if there are too few rows for two buckets.
    void alike(Bucket& bucket) {
        std::vector<uint32_t> places(bucket.rows.size());
        struct Task {
            Code label;
            std::vector<uint32_t> places;
        };
        std::vector<Task> tasks;
        for (size_t l = 0; l < bucket.open.size(); ++l) {
            for (int64_t r = 0; r < bucket.size(); ++r) places[r] = bucket.line(r)[l];
            tasks.push_back({bucket.open[l], places});
        }
        bucket.open.clear();
        bucket.places.clear();
        while (!tasks.empty()) {
            Task task = std::move(tasks.back());
            tasks.pop_back();
            auto place = [&](int64_t r) -> const RowTrees::Place& { return trees_.at(bucket.rows[r], task.places[r]); };
            int32_t shape = place(0).shape;
            bool same = true;
            for (int64_t r = 1; r < bucket.size() && same; ++r) same = place(r).shape == shape;
            if (!same) {
                bucket.done.push_back(task.label);
                continue;
            }
            ++found_.expansions;
            for (int64_t r = 0; r < bucket.size(); ++r) places[r] = place(r).inner;
            for (const Code* child = trees_.shapes.begin(shape); child != trees_.shapes.end(shape); ++child) {
                if (!trees_.inner(*child)) {
                    bucket.done.push_back(*child);
                    continue;
                }
                tasks.push_back({*child, places});
                for (uint32_t& one : places) ++one;
            }
        }
    }

    // Expands the label that gains most. Returns false if none can be expanded.
    bool split(const Bucket& bucket, std::vector<Bucket>& stack) {
        auto labels = bucket.open.size();
        std::vector<int64_t> most(labels, 0);
        for (int64_t r = 0; r < bucket.size(); ++r) {
            look();
            for (size_t l = 0; l < labels; ++l) most[l] += trees_.at(bucket.rows[r], bucket.line(r)[l]).gain;
        }
        std::vector<size_t> order(labels);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return most[a] > most[b]; });
        std::vector<uint8_t> hopeless(labels, 0);  // permanently: fewer rows have even fewer of each shape
        Expansion best;
        for (size_t l : order) {
            if (!best.leaving.empty() && most[l] < best.gain) break;
            Expansion candidate = expanded(bucket, l);
            if (candidate.leaving.empty()) hopeless[l] = 1;
            else if (best.leaving.empty() || better(candidate, best, bucket)) best = std::move(candidate);
        }
        if (best.leaving.empty()) return false;
        ++found_.expansions;
        part(bucket, best, hopeless, stack);
        return true;
    }
    bool better(const Expansion& a, const Expansion& b, const Bucket& bucket) const {
        if (a.gain != b.gain) return a.gain > b.gain;
        Code u = bucket.open[a.label], v = bucket.open[b.label];
        return tree_.size(u) != tree_.size(v) ? tree_.size(u) < tree_.size(v) : u < v;
    }

    // Finds which rows go on and which stay behind if a label is expanded, in a bucket of at least 2k rows.
    Expansion expanded(const Bucket& bucket, size_t l) {
        std::vector<int32_t> seen;
        for (int64_t r = 0; r < bucket.size(); ++r) {
            look();
            const RowTrees::Place& place = trees_.at(bucket.rows[r], bucket.line(r)[l]);
            Tally& tally = tally_[place.shape];
            if (!tally.rows++) seen.push_back(place.shape);
            tally.gain += place.gain;
        }
        Expansion made{l, 0, {}, {}};
        int64_t going = 0, spare = 0;
        for (int32_t shape : seen)
            if (tally_[shape].rows >= k_) {
                made.leaving.push_back(shape);
                going += tally_[shape].rows;
                spare += tally_[shape].rows - k_;
            }
        if (!made.leaving.empty()) {
            int64_t behind = bucket.size() - going, missing = behind && behind < k_ ? k_ - behind : 0;
            if (missing) {
                std::sort(made.leaving.begin(), made.leaving.end(), [&](int32_t a, int32_t b) {
                    return tally_[a].rows != tally_[b].rows ? tally_[a].rows < tally_[b].rows : trees_.shapes.before(a, b);
                });
                // The smallest stays behind as a whole. There are others, else it could spare enough.
                if (missing > spare) made.leaving.erase(made.leaving.begin());
            }
            for (int32_t shape : made.leaving) made.gain += tally_[shape].gain;
            if (missing && missing <= spare) give(bucket, made, missing);
        }
        for (int32_t shape : seen) tally_[shape] = {};
        return made;
    }

    // Groups give up rows that they do not need: the first group first, and within a group the rows that gain least.
    void give(const Bucket& bucket, Expansion& made, int64_t missing) const {
        for (int32_t shape : made.leaving) {
            int64_t some = std::min(tally_[shape].rows - k_, missing);
            if (!some) continue;
            std::vector<std::pair<int64_t, int64_t>> least;
            for (int64_t r = 0; r < bucket.size(); ++r) {
                const RowTrees::Place& place = trees_.at(bucket.rows[r], bucket.line(r)[made.label]);
                if (place.shape == shape) least.push_back({place.gain, r});
            }
            std::partial_sort(least.begin(), least.begin() + some, least.end());
            for (int64_t i = 0; i < some; ++i) {
                made.gain -= least[i].first;
                made.given.push_back(least[i].second);
            }
            missing -= some;
        }
        std::sort(made.given.begin(), made.given.end());
    }

    // Splits a bucket into the buckets of an expansion.
    void part(const Bucket& bucket, const Expansion& made, const std::vector<uint8_t>& hopeless, std::vector<Bucket>& stack) {
        std::vector<size_t> still;  // labels that stay open in all parts
        std::vector<Code> done = bucket.done;
        for (size_t l = 0; l < bucket.open.size(); ++l)
            if (hopeless[l]) done.push_back(bucket.open[l]);
            else if (l != made.label) still.push_back(l);
        auto groups = static_cast<int64_t>(made.leaving.size());
        std::vector<Bucket> parts(groups + 1);  // the last: the rows that stay behind
        std::vector<uint32_t> below(groups + 1, 0);  // labels below the expanded one that can be expanded
        for (int64_t g = 0; g <= groups; ++g) {
            for (size_t l : still) parts[g].open.push_back(bucket.open[l]);
            parts[g].done = done;
            if (g == groups) break;
            int32_t shape = made.leaving[g];
            tally_[shape].group = g;
            for (const Code* child = trees_.shapes.begin(shape); child != trees_.shapes.end(shape); ++child) {
                below[g] += trees_.inner(*child);
                (trees_.inner(*child) ? parts[g].open : parts[g].done).push_back(*child);
            }
        }
        parts[groups].open.push_back(bucket.open[made.label]);
        auto given = made.given.begin();
        for (int64_t r = 0; r < bucket.size(); ++r) {
            const RowTrees::Place& place = trees_.at(bucket.rows[r], bucket.line(r)[made.label]);
            int64_t g = tally_[place.shape].group;
            if (given != made.given.end() && *given == r) {
                ++given;
                g = -1;
            }
            Bucket& to = parts[g < 0 ? groups : g];
            to.rows.push_back(bucket.rows[r]);
            for (size_t l : still) to.places.push_back(bucket.line(r)[l]);
            if (g < 0) to.places.push_back(bucket.line(r)[made.label]);
            else
                for (uint32_t i = 0; i < below[g]; ++i) to.places.push_back(place.inner + i);
        }
        for (int32_t shape : made.leaving) tally_[shape] = {};
        found_.left += parts[groups].size();
        for (Bucket& one : parts)
            if (one.size()) stack.push_back(std::move(one));
    }

    void settle(Bucket& bucket) {
        bucket.done.insert(bucket.done.end(), bucket.open.begin(), bucket.open.end());
        std::sort(bucket.done.begin(), bucket.done.end());
        for (int64_t row : bucket.rows) bucket_of_[order_[row]] = found_.buckets;
        labels_.insert(labels_.end(), bucket.done.begin(), bucket.done.end());
        label_start_.push_back(static_cast<int64_t>(labels_.size()));
        ++found_.buckets;
        settled_ += bucket.size();
        share_ = static_cast<double>(settled_) / static_cast<double>(order_.size());
    }

    Found published() {
        found_.indptr.assign(1, 0);
        for (int64_t b : bucket_of_) {
            if (b >= 0)
                found_.labels.insert(found_.labels.end(), labels_.begin() + label_start_[b],
                                     labels_.begin() + label_start_[b + 1]);
            found_.indptr.push_back(static_cast<int64_t>(found_.labels.size()));
        }
        return std::move(found_);
    }

    Tree tree_;
    int64_t k_;
    std::atomic<bool> cancelled_{false};
    Pulse pulse_;
    std::vector<int64_t> order_;  // rows
    RowTrees trees_;
    std::vector<int64_t> bucket_of_;  // by row; -1: it is empty
    std::vector<Tally> tally_;  // by shape; all empty between uses
    std::vector<int64_t> label_start_{0};
    std::vector<Code> labels_;  // of each bucket
    int64_t settled_ = 0;  // rows
    double share_ = 0;  // of all rows
    Found found_;
};

}  // namespace shoal
