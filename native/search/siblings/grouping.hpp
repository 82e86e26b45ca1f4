// A sibling grouping in progress (blocks.hpp), with the support of every set of up to three labels: the number of persons
// with a row that holds all of them. Moving a node to another block changes only the sets in the rows of that node, so only
// these rows are examined to try a move. For a person with several rows, it also matters whether another row holds the set
// (person_labels.hpp).
#pragma once

#include <unordered_map>

#include "search/persons.hpp"
#include "search/siblings/blocks.hpp"
#include "search/siblings/labelled_rows.hpp"
#include "search/siblings/set_places.hpp"

namespace shoal {

class Grouping : public Blocks, LabelledRows, SetPlaces {
public:
    static constexpr int64_t MOST_CUBED = 420;  // with at most so many labels, the supports of all sets of three are kept
    static constexpr int64_t MOST_BEYOND = 20000000;  // rows examined for larger sets; beyond it, the grouping is unsafe

    Grouping(RowsView rows, std::vector<Code> parent, std::vector<int64_t> occurrences, const std::vector<Code>& sizes,
             std::vector<int64_t> penalty, const std::vector<Code>& block_of, int64_t k, int64_t m, int64_t spare)
        : Blocks(std::move(parent), std::move(occurrences), sizes, std::move(penalty), block_of, spare,
                 m > 2 ? MOST_CUBED : INT32_MAX),
          LabelledRows(rows, parent_, block_of, slots_), SetPlaces(slots_), k_(k), m_(m), cubed_(m > 2 && slots_ <= MOST_CUBED),
          marked_(rows_.size(), 0) {
        count();
        if (!counts_are_safe()) throw std::invalid_argument("the grouping to start from is not safe");
    }

    int64_t work() const { return work_; }
    void charge(int64_t work) { work_ += work; }

    // ---- rare sets: held by 1..k-1 persons; none if the grouping is safe
    bool safe() const { return rare_.empty(); }
    size_t rare_sets() const { return rare_.size(); }
    std::vector<Code> rare_set(size_t at) const { return set_of(rare_[at]); }
    int64_t missing(int64_t support) const { return k_ - support; }
    int64_t support(Code block, const std::vector<Code>& others) const {
        if (others.empty()) return pairs_[at(block, block)];
        return others.size() == 1 ? pairs_[at(block, others[0])] : cube_[at(block, others[0], others[1])];
    }

    // Whether an earlier attempt has shown that a block needs an element: without it, a set would be rare. The memory is
    // valid as long as the blocks concerned do not change.
    bool needed(Code element, Code from, Code to) const {
        const Remembered& stay = needed_[element];
        bool alone = members(from).size() == 1 && members(from)[0] == element;
        return !alone && stay.other >= 0 && stay.other != to && stay.from == stamp_[from] && stay.stamp == stamp_[stay.other];
    }

    // Whether an earlier attempt has shown a label that few rows hold with the element, and no row with the block (-1: a new
    // block).
    bool unwelcome(Code element, Code from, Code to) const {
        for (int i = 0; i < KEPT; ++i) {
            const Remembered& rare = rare_with_[int64_t(element) * KEPT + i];
            if (rare.other < 0 || rare.other == from || rare.other == to || rare.stamp != stamp_[rare.other]) continue;
            if (to < 0 || !pairs_[at(to, rare.other)]) return true;
        }
        return false;
    }

    // Moves a node to another block of its owner, or to an empty one, if the grouping stays safe. The node is a member of the
    // block, or a child of its only member. `settle` records the move afterwards.
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

    void move(Code node, Code from, Code to) {  // whether that is safe or not
        look_at_pairs(node, from, to);
        if (cubed_) look_at_triples(node, from, to);
        apply(node, from, to);
    }

    // Whether every set with this block and more labels than are always counted is safe. `joined`: a node that has moved to
    // the block but is not recorded yet.
    bool safe_beyond(Code block, Code joined = -1) {
        if (m_ <= counted()) return true;
        std::vector<Code> rows, nodes(members(block));
        if (joined >= 0) nodes.push_back(joined);
        ++mark_;
        for (Code node : nodes)
            for (int64_t n = held_[node]; n < held_[node + 1]; ++n) {
                Code row = holder_[n];
                if (marked_[row] == mark_ || !holds(row, block)) continue;
                marked_[row] = mark_, rows.push_back(row);
            }
        if (!rows_.persons.empty()) std::sort(rows.begin(), rows.end());  // by person
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

    void count() {
        pairs_.assign(size_t(slots_) * slots_, 0);
        if (cubed_) cube_.assign(threes(), 0), twin_change_.assign(twos(), 0);
        for (int64_t row = 0; row < people_.begin(); ++row) {
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
        count_persons();
        change_[0].assign(slots_, 0), change_[1].assign(slots_, 0), joint_change_.assign(slots_, 0);
        stamp_.assign(slots_, 0), needed_.resize(nodes_), rare_with_.resize(size_t(nodes_) * KEPT), turn_.assign(nodes_, 0);
    }

    // The same for rows of persons who have several. A set in an earlier row of the person is counted already.
    void count_persons() {
        Bits earlier, with_a, with_b;
        for (int64_t row = people_.begin(); row < rows_.size(); ++row) {
            const Person& person = people_[rows_.persons[row]];
            if (row == person.first) earlier.assign(person.words, 0);
            Words all{0, person.words};
            for (int64_t a = labels_from(row), stop = labels_to(row); a < stop; ++a) {
                if (!narrow(earlier, person, a, all, with_a)) ++pairs_[at(label_[a], label_[a])];
                for (int64_t b = a + 1; b < stop; ++b) {
                    if (!narrow(with_a, person, b, all, with_b))
                        ++pairs_[at(label_[a], label_[b])], ++pairs_[at(label_[b], label_[a])];
                    for (int64_t c = b + 1; c < stop && cubed_; ++c)
                        if (!meet(with_b, person, c, all)) ++cube_[at(label_[a], label_[b], label_[c])];
                }
            }
            add_row(earlier, person, row);
        }
    }

    // Whether no set is rare at the start. The list of rare sets starts empty and only safe moves are made, which requires a
    // safe start.
    bool counts_are_safe() const {
        for (Code a = 0; a < slots_; ++a)
            for (Code b = 0; b <= a; ++b)
                if ((m_ > 1 || a == b) && is_rare(pairs_[at(a, b)])) return false;
        return std::none_of(cube_.begin(), cube_.end(), [&](int32_t support) { return is_rare(support); });
    }

    // The effect of a move on the supports of one or two labels: less for sets with `from`, more for sets with `to`.
    void look_at_pairs(Code node, Code from, Code to) {
        less_ = more_ = joint_ = 0;
        int64_t n =
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
        work_ += each_person(n, node, from, to, pairs_[at(to, to)] > 0, [&] {
            if (any(step_->gone) && !any(step_->left)) ++less_;
            if (any(step_->came) && !any(step_->had)) ++more_;
            joint_ += int(any(step_->then_joint)) - int(any(step_->joint));
            for (int side = 0; side < 2 && m_ > 1; ++side)
                count_new(side ? step_->came : step_->gone, side ? step_->had : step_->left, change_[side].data());
        });
        if (!rows_.persons.empty()) touch_in_order();
    }
    // Persons record their labels in no useful order, so sort them.
    void touch_in_order() {
        for (int side = 0; side < 2; ++side) {
            touched_[side].clear();
            for (Code other = 0; other < slots_; ++other)
                if (change_[side][other]) touched_[side].push_back(other);
        }
    }

    // Returns the change in the number of rare sets. Remembers why a move is refused.
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
            int64_t n =
                each_holder(node, from, to, [&](const Code* first, const Code* stop, int32_t weight, bool vanishes, bool there) {
                    int32_t joint = weight * (int(!vanishes && !there) - int(vanishes && there));
                    for (const Code* a = first; a != stop && !side && joint; ++a)
                        if (*a != from && *a != to) add_jointly(*a, joint);
                    if (side ? there : !vanishes) return;
                    work_ += (stop - first) * (stop - first) / 2;
                    for (const Code* a = first; a != stop; ++a) {
                        if (*a == from || *a == to) continue;
                        for (const Code* b = a + 1; b != stop; ++b) {
                            if (*b == from || *b == to) continue;
                            add_twin(*a, *b, weight);
                        }
                    }
                });
            each_person(n, node, from, to, pairs_[at(to, to)] > 0, [&] {
                if (!side) look_at_joint_triples(from, to);
                work_ += each_new_pair(side ? step_->came : step_->gone, side ? step_->had : step_->left, from, to,
                                       [&](Code a, Code b) { add_twin(a, b, 1); });
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
    void add_twin(Code a, Code b, int32_t change) {
        int32_t& sum = twin_change_[both(a, b)];
        if (!sum) touched_twins_.push_back({a, b});
        sum += change;
    }
    void add_jointly(Code other, int32_t change) {
        if (!joint_change_[other] && std::find(jointly_.begin(), jointly_.end(), other) == jointly_.end())
            jointly_.push_back(other);
        joint_change_[other] += change;
    }
    // Sets with both labels of a move, for one person: rows that begin to hold both, and rows that no longer do.
    void look_at_joint_triples(Code from, Code to) {
        Bits *before = &step_->joint, *after = &step_->then_joint;
        for (int32_t change : {1, -1}) {
            changed_.resize(before->size());
            for (Code w = 0; w < step_->person->words; ++w) changed_[w] = (*after)[w] & ~(*before)[w];
            with_a_ = *before;
            each_changed(changed_, with_a_, [&](int64_t i, int64_t stop, Words some) {
                for (; i < stop; ++i)
                    if (label_[i] != from && label_[i] != to && !meet(with_a_, *step_->person, i, some))
                        add_jointly(label_[i], change);
            });
            std::swap(before, after);
        }
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
        relabel(node, from, to);
        work_ += held_[node + 1] - held_[node];
    }

    // Whether no rare set contains the labels so far (the first and those up to `last`) and some more.
    bool safe_with(const std::vector<Code>& rows, Code first, Code last, int64_t labels, int64_t& left) {
        std::vector<int64_t> support(slots_, 0);
        PersonsByLabel persons;
        persons.prepare(slots_, rows_);
        for (Code row : rows) {
            left -= length_[row], work_ += length_[row];
            for (int64_t i = labels_from(row); i < labels_to(row); ++i)
                persons.add(support[label_[i]], label_[i], rows_.weight[row], rows_.person(row));
        }
        if (left < 0) return false;
        for (Code other = last + 1; other < slots_; ++other) {
            if (other == first || !support[other]) continue;
            if (support[other] < k_) return false;
            if (labels + 1 >= m_) continue;
            std::vector<Code> both;
            for (Code row : rows)
                if (holds(row, other)) both.push_back(row);
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
    int64_t work_ = 0;
    std::vector<int32_t> pairs_, cube_;  // supports
    std::vector<int64_t> rare_;
    std::unordered_map<int64_t, size_t> place_of_rare_;
    std::vector<int64_t> stamp_;
    int64_t clock_ = 0;
    std::vector<Remembered> needed_, rare_with_;
    std::vector<uint8_t> turn_;
    std::vector<int64_t> marked_;
    int64_t mark_ = 0;
    int64_t less_ = 0, more_ = 0, joint_ = 0;  // the current move
    std::vector<int32_t> change_[2], joint_change_, twin_change_;
    std::vector<Code> touched_[2], jointly_;
    std::vector<std::pair<Code, Code>> touched_twins_;
    std::vector<Triple> triples_;
    Bits changed_, with_a_;
};

}  // namespace shoal
