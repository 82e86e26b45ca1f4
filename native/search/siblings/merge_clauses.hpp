// Clauses that every safe sibling grouping satisfies, found where a fractional grouping violates them (sibling_bound.py).
//
// A seed is one, two or three leaves that rows of 1..k-1 persons hold together. Each of its leaves is represented by a node
// above it, together with some siblings of that node, its reach. While fewer than k persons have a row that meets all
// reaches, `lack` persons are missing. So either one side, the weighed one, is merged with siblings outside its reach that
// bring so many persons, or another side is merged with any sibling outside its reach. Reaches grow by the siblings that the
// fractional grouping merges most. If even all siblings bring too few persons, the weighed side moves up to the parent.
#pragma once

#include "core/parallel.hpp"
#include "search/persons.hpp"
#include "search/siblings/merge_point.hpp"
#include "search/siblings/met_persons.hpp"

namespace shoal {

class MergeClauses {
public:
    // Every internal node has at least two children; order[start[p]..start[p + 1]) are the children of p.
    MergeClauses(RowsView view, std::vector<Code> parent, std::vector<Code> span, std::vector<int64_t> start,
                 std::vector<Code> order, int64_t k)
        : data_(person_by_person(view)), parent_(std::move(parent)), span_(std::move(span)), start_(std::move(start)),
          order_(std::move(order)), rows_(parent_.size()), k_(k), shared_(view.rows), seen_row_(view.rows), gain_(parent_.size()),
          met_(view) {
        for (int i = 0; i < 3; ++i) {
            in_[i].assign(parent_.size(), 0);
            held_[i].assign(view.rows, 0);
        }
        bringers_.prepare(parent_.size(), data_);
        for (int64_t row = 0; row < view.rows; ++row)
            for (const Code* item = data_.begin(row); item != data_.end(row); ++item)
                for (Code node = *item; node >= 0 && (rows_[node].empty() || rows_[node].back() != row); node = parent_[node])
                    rows_[node].push_back(static_cast<Code>(row));
    }

    using Point = MergePoint;
    struct Limits {
        double slack;  // how far below 1 the value of a clause must be
        int64_t most;  // limit on all clauses
        int64_t each;  // limit on the clauses about a leaf
        int64_t work;  // approximate limit on the rows examined
    };
    struct Result {
        std::vector<int64_t> sizes;
        std::vector<Code> variables, weights;  // the weighted sum is at least `lacks`
        std::vector<int64_t> lacks;
        std::vector<uint8_t> states;  // of each seed: 0 not examined, 1 satisfied, 2 violated
        int64_t looked = 0;
    };

    Result run(const Code* seeds, int64_t count, int width, const Point& point, const Limits& limits, const Tick& tick) {
        Result out;
        point_ = &point;
        likely_.assign(parent_.size(), {});
        known_.assign(parent_.size(), 0);
        std::vector<int64_t> clauses(parent_.size(), 0);
        out.states.assign(count, 0);
        looked_ = 0;
        for (int64_t s = 0; s < count && static_cast<int64_t>(out.sizes.size()) < limits.most && looked_ < limits.work; ++s) {
            if (s % 4096 == 0) tick(static_cast<double>(s) / count);
            const Code* seed = seeds + s * width;
            if (std::all_of(seed, seed + width, [&](Code leaf) { return clauses[leaf] >= limits.each; })) continue;
            out.states[s] = 1;
            if (open(seed, width)) {
                grow();
                bool broken = false;
                for (int side = 0; side < width; ++side) broken |= weigh(side, 1 - limits.slack, out);
                if (broken) {
                    out.states[s] = 2;
                    for (int i = 0; i < width; ++i) ++clauses[seed[i]];
                }
            }
            close();
        }
        forget();
        out.looked = looked_;
        return out;
    }

private:
    static constexpr int64_t LONG = 24;  // with more siblings, one variable for all of them is preferred
    static constexpr int64_t STEEP = 5000;  // a parent with more rows is too costly to move up to
    using Flags = std::vector<uint8_t>;
    using Held = std::vector<uint32_t>;
    struct Side {
        Code leaf, node;
        std::vector<Code> reach;  // siblings of the node
        std::vector<Code> marked;  // all nodes whose rows are marked
    };

    bool covers(int64_t node, Code leaf) const { return span_[2 * node] <= leaf && leaf < span_[2 * node + 1]; }
    int64_t siblings(Code node) const { return start_[parent_[node] + 1] - start_[parent_[node]] - 1; }

    // Whether the row meets all reaches; two of them by different siblings.
    bool meets(Code row) const {
        if (width_ == 1) return held_[0][row] > 0;
        if (width_ == 2)
            return held_[0][row] && held_[1][row] && !(held_[0][row] == 1 && held_[1][row] == 1 && shared_[row] == 1);
        return held_[0][row] && held_[1][row] && held_[2][row];
    }

    // Marks the rows of the leaves. Those of the last leaf stay marked as long as the next seeds have the same last leaf.
    bool open(const Code* seed, int width) {
        Code last = seed[width - 1];
        if (width != width_ || last != last_) {
            forget();
            width_ = width;
            last_ = last;
            for (Code row : rows_[last]) ++held_[width - 1][row];
        }
        support_ = 0;
        if (width == 1)
            for (Code row : rows_[last]) meet(row);
        for (int i = 0; i < width; ++i) sides_[i] = {seed[i], seed[i], {}, {}};
        bool rare = support_ < k_;
        for (int i = 0; i + 1 < width; ++i) rare = rare && add(i, seed[i]);
        for (int i = 0; i < width; ++i) rare = rare && parent_[seed[i]] >= 0;
        return rare && support_ > 0;
    }

    void close() {
        for (int i = 0; i < width_; ++i) {
            for (Code node : sides_[i].reach) in_[i][node] = 0;
            for (Code node : sides_[i].marked)
                for (Code row : rows_[node]) {
                    --held_[i][row];
                    shared_[row] = 0;
                }
            sides_[i].marked.clear();
            sides_[i].reach.clear();
        }
        met_.forget(0);
    }

    // Records that a row meets all reaches.
    void meet(Code row) { support_ += met_.add(data_.person(row)); }
    bool has_met(Code row) const { return data_.person(row) == NOBODY ? meets(row) : met_.has(data_.person(row)); }

    void forget() {
        if (last_ >= 0)
            for (Code row : rows_[last_]) --held_[width_ - 1][row];
        last_ = -1;
    }

    // Marks the rows of a node, unless k persons would then meet all reaches.
    bool add(int side, Code node) {
        bool shared = width_ == 2 && in_[1 - side][node];
        int64_t before = support_;
        size_t before_met = met_.size();
        const std::vector<Code>& rows = rows_[node];
        size_t done = 0;
        while (done < rows.size() && support_ < k_) {
            Code row = rows[done++];
            bool met = meets(row);
            ++held_[side][row];
            shared_[row] += shared;
            if (!met && meets(row)) meet(row);
        }
        looked_ += static_cast<int64_t>(done);
        if (support_ < k_) {
            sides_[side].marked.push_back(node);
            return true;
        }
        for (size_t at = 0; at < done; ++at) {
            --held_[side][rows[at]];
            shared_[rows[at]] -= shared;
        }
        support_ = before;
        met_.forget(before_met);
        return false;
    }

    void extend(int side, Code node) {
        if (in_[side][node]) return;
        for (int i = 0; i < width_; ++i)
            if (covers(node, sides_[i].leaf)) return;
        if (!add(side, node)) return;
        in_[side][node] = 1;
        sides_[side].reach.push_back(node);
    }

    // Moves sides up whose reach is all siblings. Returns whether any did.
    bool climb() {
        bool any = false;
        for (int i = 0; i < width_; ++i) any |= climb_side(i);
        return any;
    }
    bool climb_side(int side) {
        Side& one = sides_[side];
        Code above = parent_[one.node];
        if (static_cast<int64_t>(one.reach.size()) < siblings(one.node) || parent_[above] < 0) return false;
        for (Code node : one.reach) in_[side][node] = 0;
        one.reach.clear();
        one.node = above;
        return true;
    }

    struct Likely {
        double value;
        Code sibling;
    };
    const std::vector<Likely>& likely(Code node) {
        if (!known_[node]) {
            known_[node] = 1;
            for (int64_t at = point_->near[node]; at < point_->near[node + 1]; ++at)
                if (double value = point_->value[point_->variable[at]]; value > 0)
                    likely_[node].push_back({value, point_->sibling[at]});
            std::stable_sort(likely_[node].begin(), likely_[node].end(),
                             [](const Likely& a, const Likely& b) { return a.value > b.value; });
        }
        return likely_[node];
    }

    void grow() {
        do {
            size_t at[3] = {0, 0, 0};
            for (;;) {
                int best = -1;
                double value = 0;
                for (int i = 0; i < width_; ++i) {
                    const std::vector<Likely>& list = likely(sides_[i].node);
                    if (at[i] < list.size() && list[at[i]].value > value) value = list[at[i]].value, best = i;
                }
                if (best < 0) break;
                extend(best, likely(sides_[best].node)[at[best]++].sibling);
            }
        } while (climb());
    }

    // Whether a row, the first of its person, would meet all reaches if the reach of the side had the node.
    bool gains(int side, Code node, Code row) {
        if (has_met(row)) return false;
        bool shared = width_ == 2 && in_[1 - side][node];
        ++held_[side][row];
        shared_[row] += shared;
        bool met = meets(row);
        --held_[side][row];
        shared_[row] -= shared;
        return met;
    }

    // Counts how many persons, up to `lack`, each sibling outside the reach would bring. Returns the total.
    int64_t measure(int side, int64_t lack) {
        Code node = sides_[side].node, above = parent_[node];
        for (Code unit : brings_) gain_[unit] = 0;
        brings_.clear();
        int64_t total = 0;
        auto bring = [&](Code unit, Code person) {
            int64_t before = gain_[unit];
            if (before == lack) return;
            if (!before) brings_.push_back(unit);
            bringers_.add(gain_[unit], unit, 1, person);
            total += gain_[unit] - before;
        };
        auto outside = [&](Code unit) { return unit != node && !in_[side][unit]; };
        int other = -1;  // the other side with the fewest rows: only its rows can be gained
        int64_t fewest = 0;
        for (int i = 0; i < width_; ++i)
            if (i != side)
                if (int64_t rows = marked(i); other < 0 || rows < fewest) other = i, fewest = rows;
        auto all = static_cast<int64_t>(rows_[above].size());
        if (other >= 0 && fewest * static_cast<int64_t>(data_.items.size()) < all * static_cast<int64_t>(data_.indptr.size())) {
            some_rows_.clear();
            auto add_rows = [&](Code from) {
                for (Code row : rows_[from])
                    if (!seen_row_[row]) seen_row_[row] = 1, some_rows_.push_back(row);
            };
            add_rows(sides_[other].leaf);
            for (Code from : sides_[other].marked) add_rows(from);
            if (met_.any_with_several_rows()) std::sort(some_rows_.begin(), some_rows_.end());  // by person
            for (Code row : some_rows_) {
                seen_row_[row] = 0;
                looked_ += data_.indptr[row + 1] - data_.indptr[row];
                Code before = -1;
                for (int64_t at = data_.indptr[row]; at < data_.indptr[row + 1]; ++at) {
                    Code unit = data_.items[at];
                    if (!covers(above, unit)) continue;
                    while (parent_[unit] != above) unit = parent_[unit];
                    if (unit != before && outside(unit) && gains(side, unit, row)) bring(unit, data_.person(row));
                    before = unit;  // leaves of a node are consecutive
                }
            }
        } else {
            for (int64_t at = start_[above]; at < start_[above + 1]; ++at) {
                Code unit = order_[at];
                if (!outside(unit)) continue;
                for (Code row : rows_[unit]) {
                    if (gain_[unit] == lack) break;
                    ++looked_;
                    if (gains(side, unit, row)) bring(unit, data_.person(row));
                }
            }
        }
        for (int i = 0; i < width_; ++i)  // a pair merged with another side is one label
            if (Code unit = sides_[i].node; i != side && parent_[unit] == above)
                while (gain_[unit] < lack) bring(unit, NOBODY);
        return total;
    }

    int64_t marked(int side) const {
        auto total = static_cast<int64_t>(rows_[sides_[side].leaf].size());
        for (Code node : sides_[side].marked) total += static_cast<int64_t>(rows_[node].size());
        return total;
    }

    // Moves a side up until its siblings can bring the missing persons, or up is too costly. Returns false if they never can.
    bool climb_to_enough(int side, bool& steep) {
        for (int64_t lack = k_ - support_; measure(side, lack) < lack; lack = k_ - support_) {
            Code above = parent_[sides_[side].node];
            if (parent_[above] < 0) return false;
            steep = static_cast<int64_t>(rows_[above].size()) > STEEP;
            if (steep) return true;
            // all siblings together are too few, so they are in the reach
            for (int64_t at = start_[above]; at < start_[above + 1]; ++at) extend(side, order_[at]);
            if (!climb_side(side)) return false;
        }
        return true;
    }

    // Adds the clause that weighs a side, if the fractional grouping violates it.
    bool weigh(int side, double enough, Result& out) {
        bool steep = false;
        if (!climb_to_enough(side, steep)) return false;
        int64_t lack = k_ - support_;
        double total = 0;
        size_t from = out.variables.size();
        auto put = [&](Code variable, int64_t weight) {
            out.variables.push_back(variable);
            out.weights.push_back(static_cast<Code>(weight));
            total += static_cast<double>(weight) * point_->value[variable];
        };
        Code node = sides_[side].node;
        if (steep) put(point_->merged + node, lack);
        for (int64_t at = point_->near[node]; at < point_->near[node + 1] && !steep; ++at)
            if (Code unit = point_->sibling[at]; gain_[unit]) {
                put(point_->variable[at], gain_[unit]);
                gain_[unit] = 0;
            }
        int64_t most = 0;  // the most that an unlisted sibling brings
        for (Code unit : brings_) most = std::max(most, gain_[unit]);
        if (most && !steep) put(point_->far + node, most);
        for (int i = 0; i < width_; ++i) {
            if (i == side) continue;
            Code other = sides_[i].node;
            double any = point_->value[point_->merged + other], one = 0;
            int64_t count = 0;
            auto each = [&](auto visit) {
                for (int64_t at = point_->near[other]; at < point_->near[other + 1]; ++at)
                    if (Code unit = point_->sibling[at]; !in_[i][unit]) visit(unit, point_->variable[at]);
            };
            each([&](Code unit, Code variable) {
                ++count;
                if (unit != node) one += point_->value[variable];
            });
            bool far = siblings(other) - static_cast<int64_t>(sides_[i].reach.size()) > count;
            if (far) one += point_->value[point_->far + other];
            if (any < one || (any <= one && count > LONG)) {
                put(point_->merged + other, lack);
                continue;
            }
            each([&](Code unit, Code variable) {
                if (unit != node) put(variable, lack);
            });
            if (far) put(point_->far + other, lack);
        }
        if (total < enough * static_cast<double>(lack)) {
            out.sizes.push_back(static_cast<int64_t>(out.variables.size() - from));
            out.lacks.push_back(lack);
            return true;
        }
        out.variables.resize(from);
        out.weights.resize(from);
        return false;
    }

    Rows data_;
    std::vector<Code> parent_, span_;
    std::vector<int64_t> start_;
    std::vector<Code> order_;
    std::vector<std::vector<Code>> rows_;  // of each node
    int64_t k_;
    Flags in_[3];  // by side and node: whether it is in the reach
    Held held_[3], shared_;  // by side and row: nodes of the reach that it holds; and those in both reaches

    const Point* point_ = nullptr;
    std::vector<std::vector<Likely>> likely_;
    Flags known_, seen_row_;
    std::vector<Code> some_rows_;
    MetPersons met_;  // persons with a row that meets all reaches
    PersonsByLabel bringers_;  // used with gain_
    std::vector<int64_t> gain_;  // by node
    std::vector<Code> brings_;  // nodes with a gain
    Side sides_[3];
    int width_ = 0;
    Code last_ = -1;
    int64_t support_ = 0, looked_ = 0;
};

}  // namespace shoal
