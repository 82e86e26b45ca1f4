// A sibling grouping on its way (blocks.hpp), with the number of rows that hold every set of up to three labels. Moving a
// node to another block changes just the sets that the rows of that node hold, so a move is tried by looking at those
// rows alone.
#pragma once

#include <unordered_map>

#include "search/siblings/blocks.hpp"
#include "search/siblings/unit_rows.hpp"

namespace shoal {

class Grouping : public Blocks, UnitRows {
public:
    static constexpr int64_t MOST_CUBED = 420;  // labels for which the supports of all sets of three are kept
    static constexpr int64_t MOST_BEYOND = 20000000;  // rows looked at for larger sets; more: taken as not safe

    Grouping(RowsView rows, std::vector<Code> parent, std::vector<int64_t> occurrences, const std::vector<Code>& sizes,
             std::vector<int64_t> penalty, const std::vector<Code>& block_of, int64_t k, int64_t m, int64_t spare)
        : Blocks(std::move(parent), std::move(occurrences), sizes, std::move(penalty), block_of, spare,
                 m > 2 ? MOST_CUBED : INT32_MAX),
          UnitRows(rows, parent_), k_(k), m_(m), cubed_(m > 2 && slots_ <= MOST_CUBED), marked_(rows_.size(), 0) {
        count();
    }

    int64_t work() const { return work_; }
    void charge(int64_t work) { work_ += work; }

    // ---- rare sets: held by 1..k-1 rows; none where the grouping is safe
    bool safe() const { return rare_.empty(); }
    size_t rare_sets() const { return rare_.size(); }
    std::vector<Code> rare_set(size_t at) const {
        int64_t key = rare_[at], slots = slots_;
        Code third = static_cast<Code>(key % (slots + 1)), second = static_cast<Code>(key / (slots + 1) % slots);
        Code first = static_cast<Code>(key / (slots + 1) / slots);
        if (third < slots) return {first, second, third};
        return first == second ? std::vector<Code>{first} : std::vector<Code>{first, second};
    }
    int64_t missing(int64_t support) const { return k_ - support; }
    int64_t support(Code block, const std::vector<Code>& others) const {
        if (others.empty()) return pairs_[at(block, block)];
        return others.size() == 1 ? pairs_[at(block, others[0])] : cube_[at(block, others[0], others[1])];
    }

    // Whether an earlier try has shown that a block needs an element: without it, a set would be rare. What is
    // remembered holds as long as the blocks that it is about stay as they are.
    bool needed(Code element, Code from, Code to) const {
        const Remembered& stay = needed_[element];
        bool alone = members(from).size() == 1 && members(from)[0] == element;
        return !alone && stay.other >= 0 && stay.other != to && stay.from == stamp_[from] && stay.stamp == stamp_[stay.other];
    }

    // Whether an earlier try has shown a label that the element is rarely held with, and that a block (-1: one of its
    // own) is never held with.
    bool unwelcome(Code element, Code from, Code to) const {
        for (int i = 0; i < KEPT; ++i) {
            const Remembered& rare = rare_with_[int64_t(element) * KEPT + i];
            if (rare.other < 0 || rare.other == from || rare.other == to || rare.stamp != stamp_[rare.other]) continue;
            if (to < 0 || !pairs_[at(to, rare.other)]) return true;
        }
        return false;
    }

    // Moves a node to another block of its owner, or to an empty one, if the grouping is safe then. The node is a member
    // of the block, or a child of its only member. The books are settled by `settle` afterwards.
    bool try_move(Code node, Code from, Code to) {
        bool was_safe = safe();
        look_at_pairs(node, from, to);
        int64_t rare = rare_change(node, from, to, was_safe);
        if (was_safe && rare > 0) return forget();
        if (cubed_) {
            look_at_triples(node, from, to);
            rare += rare_triples();
        }
        if (static_cast<int64_t>(rare_.size()) + rare > 0) return forget();
        apply(node, from, to);
        if (m_ > counted() && !(safe_beyond(from) && safe_beyond(to, node))) {
            move(node, to, from);
            return false;
        }
        return true;
    }

    // Moves a node, safe or not.
    void move(Code node, Code from, Code to) {
        look_at_pairs(node, from, to);
        if (cubed_) look_at_triples(node, from, to);
        apply(node, from, to);
    }

    // Whether every set of more labels than are counted all the time, one of them this block, is safe. `joined`: a node
    // that has moved to it, but not in the books yet.
    bool safe_beyond(Code block, Code joined = -1) {
        if (m_ <= counted()) return true;
        std::vector<Code> rows, nodes(members(block));
        if (joined >= 0) nodes.push_back(joined);
        ++mark_;
        for (Code node : nodes)
            for (int64_t n = held_[node]; n < held_[node + 1]; ++n) {
                Code row = holder_[n];
                const Code *first = label_.data() + rows_.indptr[row], *stop = first + length_[row];
                if (marked_[row] == mark_ || std::find(first, stop, block) == stop) continue;
                marked_[row] = mark_, rows.push_back(row);
            }
        int64_t left = MOST_BEYOND;
        return safe_with(rows, block, -1, 1, left);
    }
    bool counts_all() const { return m_ <= counted(); }

private:
    static constexpr int KEPT = 8;
    struct Remembered {
        Code other = -1;
        int64_t stamp = 0, from = 0;
    };

    int64_t counted() const { return cubed_ ? 3 : 2; }
    bool is_rare(int64_t support) const { return support > 0 && support < k_; }
    size_t at(Code a, Code b) const { return size_t(a) * slots_ + b; }
    size_t at(Code a, Code b, Code c) const {
        if (a < b) std::swap(a, b);
        if (b < c) std::swap(b, c);
        if (a < b) std::swap(a, b);
        return threes_[a] + twos_[b] + c;
    }
    size_t both(Code a, Code b) const { return a > b ? twos_[a] + b : twos_[b] + a; }
    int64_t key(Code a, Code b, Code c = -1) const {
        if (c < 0) c = slots_;
        else if (b < c) std::swap(b, c);
        if (a < b) std::swap(a, b);
        if (c < slots_ && b < c) std::swap(b, c);
        return (int64_t(a) * slots_ + b) * (int64_t(slots_) + 1) + c;
    }

    void count() {
        label_.resize(rows_.items.size()), count_.resize(rows_.items.size()), length_.assign(rows_.size(), 0);
        auto blocks = block_of();
        for (int64_t row = 0; row < rows_.size(); ++row)
            for (const Code* item = rows_.begin(row); item != rows_.end(row); ++item) add(row, blocks[*item], 1);
        pairs_.assign(size_t(slots_) * slots_, 0);
        twos_.resize(slots_ + 1), threes_.resize(slots_ + 1);
        for (int64_t n = 0; n <= slots_; ++n) twos_[n] = n * (n - 1) / 2, threes_[n] = n * (n - 1) * (n - 2) / 6;
        if (cubed_) cube_.assign(threes_[slots_], 0), twin_change_.assign(twos_[slots_], 0);
        for (int64_t row = 0; row < rows_.size(); ++row) {
            const Code *first = label_.data() + rows_.indptr[row], *stop = first + length_[row];
            auto weight = static_cast<int32_t>(rows_.weight[row]);
            for (const Code* a = first; a != stop; ++a) {
                pairs_[at(*a, *a)] += weight;
                for (const Code* b = a + 1; b != stop; ++b) {
                    pairs_[at(*a, *b)] += weight, pairs_[at(*b, *a)] += weight;
                    if (cubed_)
                        for (const Code* c = b + 1; c != stop; ++c) cube_[at(*a, *b, *c)] += weight;
                }
            }
        }
        change_[0].assign(slots_, 0), change_[1].assign(slots_, 0), joint_change_.assign(slots_, 0);
        stamp_.assign(slots_, 0), needed_.resize(nodes_), rare_with_.resize(size_t(nodes_) * KEPT), turn_.assign(nodes_, 0);
    }

    // Adds to the count of a label in a row; whether it was not there.
    bool add(int64_t row, Code label, Code times) {
        int64_t i = rows_.indptr[row], stop = i + length_[row];
        while (i < stop && label_[i] != label) ++i;
        if (i < stop) return count_[i] += times, false;
        label_[i] = label, count_[i] = times, ++length_[row];
        return true;
    }

    // How a row that holds the node changes: whether `from` vanishes from it, and whether `to` is there already.
    template <class Visit>
    void each_holder(Code node, Code from, Code to, Visit visit) const {
        for (int64_t n = held_[node]; n < held_[node + 1]; ++n) {
            Code row = holder_[n];
            const Code *first = label_.data() + rows_.indptr[row], *stop = first + length_[row];
            bool vanishes = false, there = false;
            for (const Code* label = first; label != stop; ++label) {
                if (*label == from) vanishes = count_[label - label_.data()] == times_[n];
                else if (*label == to) there = true;
            }
            visit(first, stop, static_cast<int32_t>(rows_.weight[row]), vanishes, there);
        }
    }

    // What a move does to the supports of one or two labels: less for sets with `from`, more for sets with `to`.
    void look_at_pairs(Code node, Code from, Code to) {
        less_ = more_ = joint_ = 0;
        each_holder(node, from, to, [&](const Code* first, const Code* stop, int32_t weight, bool vanishes, bool there) {
            work_ += stop - first + 2;
            if (vanishes) less_ += weight;
            if (!there) more_ += weight;
            joint_ += int64_t{weight} * (int(!vanishes && !there) - int(vanishes && there));
            if (m_ < 2) return;
            for (int side = 0; side < 2; ++side) {
                if (side ? there : !vanishes) continue;
                for (const Code* other = first; other != stop; ++other) {
                    if (*other == from || *other == to) continue;
                    if (!change_[side][*other]) touched_[side].push_back(*other);
                    change_[side][*other] += weight;
                }
            }
        });
    }

    // By how much that changes the number of rare sets. Why a move is refused is remembered.
    int64_t rare_change(Code node, Code from, Code to, bool remember) {
        const int32_t *of_from = &pairs_[at(from, 0)], *of_to = &pairs_[at(to, 0)];
        int64_t rare = 0;
        Code needed = -1, rare_with = -1;
        auto change = [&](int64_t before, int64_t after) { rare += int(is_rare(after)) - int(is_rare(before)); };
        change(of_from[from], of_from[from] - less_);
        if (is_rare(of_from[from] - less_)) needed = from;
        change(of_to[to], of_to[to] + more_);
        if (m_ > 1) change(of_from[to], of_from[to] + joint_);
        for (Code other : touched_[0]) {
            int64_t after = of_from[other] - change_[0][other];
            if (is_rare(after)) needed = other;
            change(of_from[other], after);
        }
        for (Code other : touched_[1]) {
            int64_t after = of_to[other] + change_[1][other];
            if (is_rare(after) && !of_to[other]) rare_with = other;
            change(of_to[other], after);
        }
        if (remember && needed >= 0) needed_[node] = {needed, stamp_[needed], stamp_[from]};
        if (remember && rare_with >= 0)
            rare_with_[int64_t(node) * KEPT + turn_[node]++ % KEPT] = {rare_with, stamp_[rare_with], 0};
        return rare;
    }

    // The same for sets of three labels.
    void look_at_triples(Code node, Code from, Code to) {
        for (int side = 0; side < 2; ++side) {
            each_holder(node, from, to, [&](const Code* first, const Code* stop, int32_t weight, bool vanishes, bool there) {
                int32_t joint = weight * (int(!vanishes && !there) - int(vanishes && there));
                for (const Code* a = first; a != stop && !side && joint; ++a)
                    if (*a != from && *a != to) {
                        if (!seen_jointly(*a)) jointly_.push_back(*a);
                        joint_change_[*a] += joint;
                    }
                if (side ? there : !vanishes) return;
                work_ += (stop - first) * (stop - first) / 2;
                for (const Code* a = first; a != stop; ++a) {
                    if (*a == from || *a == to) continue;
                    for (const Code* b = a + 1; b != stop; ++b) {
                        if (*b == from || *b == to) continue;
                        int32_t& sum = twin_change_[both(*a, *b)];
                        if (!sum) touched_twins_.push_back({*a, *b});
                        sum += weight;
                    }
                }
            });
            for (auto& [a, b] : touched_twins_) {
                int32_t& sum = twin_change_[both(a, b)];
                triples_.push_back({at(side ? to : from, a, b), key(side ? to : from, a, b), side ? sum : -sum});
                sum = 0;
            }
            touched_twins_.clear();
        }
        for (Code other : jointly_) {
            triples_.push_back({at(from, to, other), key(from, to, other), joint_change_[other]});
            joint_change_[other] = 0;
        }
        jointly_.clear();
    }
    bool seen_jointly(Code other) const {
        return joint_change_[other] != 0 || std::find(jointly_.begin(), jointly_.end(), other) != jointly_.end();
    }
    int64_t rare_triples() const {
        int64_t rare = 0;
        for (const Triple& one : triples_) rare += int(is_rare(cube_[one.at] + one.change)) - int(is_rare(cube_[one.at]));
        return rare;
    }

    bool forget() {
        for (int side = 0; side < 2; ++side) {
            for (Code other : touched_[side]) change_[side][other] = 0;
            touched_[side].clear();
        }
        triples_.clear();
        return false;
    }

    void set_support(Code a, Code b, int64_t change) {
        int32_t& support = pairs_[at(a, b)];
        toggle(key(a, b), support, support + change);
        support += static_cast<int32_t>(change);
        pairs_[at(b, a)] = support;
    }
    void toggle(int64_t key, int64_t before, int64_t after) {
        if (is_rare(before) == is_rare(after)) return;
        if (is_rare(after)) {
            place_of_rare_[key] = rare_.size();
            rare_.push_back(key);
            return;
        }
        auto found = place_of_rare_.find(key);
        rare_[found->second] = rare_.back();
        place_of_rare_[rare_.back()] = found->second;
        rare_.pop_back();
        place_of_rare_.erase(found);
    }

    void apply(Code node, Code from, Code to) {
        stamp_[from] = ++clock_, stamp_[to] = ++clock_;
        set_support(from, from, -less_);
        set_support(to, to, more_);
        if (m_ > 1) set_support(from, to, joint_);
        for (int side = 0; side < 2; ++side)
            for (Code other : touched_[side]) set_support(side ? to : from, other, side ? change_[1][other] : -change_[0][other]);
        for (const Triple& one : triples_) {
            toggle(one.key, cube_[one.at], cube_[one.at] + one.change);
            cube_[one.at] += one.change;
        }
        forget();
        for (int64_t n = held_[node]; n < held_[node + 1]; ++n) {
            Code row = holder_[n];
            int64_t i = rows_.indptr[row];
            while (label_[i] != from) ++i;
            if (!(count_[i] -= times_[n])) {
                int64_t last = rows_.indptr[row] + --length_[row];
                label_[i] = label_[last], count_[i] = count_[last];
            }
            add(row, to, times_[n]);
        }
        work_ += held_[node + 1] - held_[node];
    }

    // Whether no set is rare that holds the labels so far, the first and those up to `last`, and some more.
    bool safe_with(const std::vector<Code>& rows, Code first, Code last, int64_t labels, int64_t& left) {
        std::vector<int64_t> support(slots_, 0);
        for (Code row : rows) {
            left -= length_[row], work_ += length_[row];
            for (int64_t i = rows_.indptr[row]; i < rows_.indptr[row] + length_[row]; ++i)
                support[label_[i]] += rows_.weight[row];
        }
        if (left < 0) return false;
        for (Code other = last + 1; other < slots_; ++other) {
            if (other == first || !support[other]) continue;
            if (support[other] < k_) return false;
            if (labels + 1 >= m_) continue;
            std::vector<Code> both;
            for (Code row : rows) {
                const Code *begin = label_.data() + rows_.indptr[row], *end = begin + length_[row];
                if (std::find(begin, end, other) != end) both.push_back(row);
            }
            if (!safe_with(both, first, other, labels + 1, left)) return false;
        }
        return true;
    }

    struct Triple {
        size_t at;
        int64_t key;
        int32_t change;
    };

    int64_t k_, m_;
    bool cubed_;
    std::vector<Code> label_, count_, length_;  // the labels of each row, where its units are in rows_, and how many units
    int64_t work_ = 0;
    std::vector<int32_t> pairs_, cube_;  // supports
    std::vector<size_t> twos_, threes_;
    std::vector<int64_t> rare_;
    std::unordered_map<int64_t, size_t> place_of_rare_;
    std::vector<int64_t> stamp_;
    int64_t clock_ = 0;
    std::vector<Remembered> needed_, rare_with_;
    std::vector<uint8_t> turn_;
    std::vector<int64_t> marked_;
    int64_t mark_ = 0;
    int64_t less_ = 0, more_ = 0, joint_ = 0;  // the move that is looked at
    std::vector<int32_t> change_[2], joint_change_, twin_change_;
    std::vector<Code> touched_[2], jointly_;
    std::vector<std::pair<Code, Code>> touched_twins_;
    std::vector<Triple> triples_;
};

}  // namespace shoal
