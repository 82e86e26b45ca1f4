// Clauses of two literals that every safe sibling grouping satisfies (search/chain_bound.py has the idea and the proof).
//
// The children of each node have positions. A literal (u, a) says that the block of u contains a sibling of u at position a
// or later, or more than the parent of u. A base is a node v with its siblings before b. For each node u that a row holds
// together with v, the largest a is found such that fewer than k persons have a row that meets both the base and u or a
// sibling before a.
#pragma once

#include <limits>

#include "core/rows.hpp"

namespace shoal {

class MergeChains {
public:
    // order[start[p]..start[p + 1]) are the children of p by position.
    MergeChains(RowsView view, std::vector<Code> parent, std::vector<Code> span, std::vector<int64_t> start,
                std::vector<Code> order, int64_t k)
        : parent_(std::move(parent)), span_(std::move(span)), start_(std::move(start)), order_(std::move(order)), begin_(1),
          rows_(parent_.size()), position_(parent_.size()), k_(static_cast<size_t>(k)), first_(parent_.size(), END),
          second_(parent_.size(), END), seen_(view.rows), clauses_(parent_.size()) {
        if (view.persons) persons_.assign(view.persons, view.persons + view.rows);
        for (size_t p = 0; p + 1 < start_.size(); ++p)
            for (int64_t at = start_[p]; at < start_[p + 1]; ++at) position_[order_[at]] = static_cast<Code>(at - start_[p]);
        for (int64_t row = 0; row < view.rows; ++row) {
            for (const Code* item = view.begin(row); item != view.end(row); ++item)
                for (Code node = *item; node >= 0 && (rows_[node].empty() || rows_[node].back() != row); node = parent_[node]) {
                    rows_[node].push_back(static_cast<Code>(row));
                    nodes_.push_back(node);
                }
            begin_.push_back(static_cast<int64_t>(nodes_.size()));
        }
        for (Table& table : tables_) table.slot.assign(parent_.size(), -1);
    }

    // One clause for four numbers u, a, v, b: one of the two literals holds. If a node is -1, the other literal must hold.
    struct Result {
        std::vector<Code> clauses;
        int64_t done = 0;  // number of bases
        int64_t looked = 0;  // number of nodes examined within rows
    };

    // Examines the bases (nodes[i], reaches[i]) until `work` is done, with `each` clauses for each u over all runs. Bases
    // with the same parent and reach must be consecutive. The root as a base represents all rows.
    Result run(const Code* nodes, const Code* reaches, int64_t count, int64_t each, int64_t work) {
        Result out;
        looked_ = 0;
        each_ = each;
        Code q = -2, b = 0;
        for (; out.done < count && looked_ < work; ++out.done) {
            Code v = nodes[out.done];
            bool other = parent_[v] != q || reaches[out.done] != b;
            q = parent_[v];
            if (other && (b > 0 || reaches[out.done] > 0)) {
                b = reaches[out.done];
                clear(before_);
                std::fill(seen_.begin(), seen_.end(), 0);
                for (Code at = 0; at < b; ++at)
                    for (Code row : rows_[order_[start_[q] + at]])
                        if (!seen_[row]) {
                            seen_[row] = 1;
                            visit(row, before_, q, q, b);
                        }
            }
            base(v, q, b, out.clauses);
        }
        clear(before_);
        std::fill(seen_.begin(), seen_.end(), 0);
        out.looked = looked_;
        return out;
    }

private:
    static constexpr Code END = std::numeric_limits<Code>::max();
    struct Near {
        Code position, who;
    };
    struct Slot {
        Code node;
        size_t count;  // persons with a row that holds the node and meets the others, up to k
        std::vector<Code> held;  // those persons, while fewer than k
        std::vector<Near> tops;  // by person: the first of its children that is held; the least of these, ascending
    };
    struct Table {
        std::vector<Code> slot;  // by node
        std::vector<Slot> slots;
        size_t used = 0;
        Slot& at(Code node) {
            if (slot[node] < 0) {
                slot[node] = static_cast<Code>(used);
                if (used == slots.size()) slots.emplace_back();
                Slot& fresh = slots[used++];
                fresh.node = node, fresh.count = 0;
                fresh.held.clear();
                fresh.tops.clear();
            }
            return slots[slot[node]];
        }
        const Slot* find(Code node) const { return slot[node] < 0 ? nullptr : &slots[slot[node]]; }
    };
    static void clear(Table& table) {
        for (size_t s = 0; s < table.used; ++s) table.slot[table.slots[s].node] = -1;
        table.used = 0;
    }

    bool covers(int64_t node, int64_t other) const {
        return span_[2 * node] <= span_[2 * other] && span_[2 * other + 1] <= span_[2 * node + 1];
    }

    // A number for the person of a row; negative for a person with no other row.
    Code who(Code row) const { return persons_.empty() || persons_[row] == NOBODY ? -1 - row : persons_[row]; }
    static bool among(const std::vector<Code>& some, Code who) { return std::find(some.begin(), some.end(), who) != some.end(); }

    void count(Slot& slot, Code row) {
        if (slot.count == k_) return;
        Code person = who(row);
        if (person >= 0 && among(slot.held, person)) return;
        if (++slot.count < k_) slot.held.push_back(person);
    }

    void insert(std::vector<Near>& tops, Near near) {
        if (tops.size() == 2 * k_ && tops.back().position <= near.position) return;
        if (near.who >= 0) {
            auto same = std::find_if(tops.begin(), tops.end(), [&](const Near& other) { return other.who == near.who; });
            if (same != tops.end() && same->position <= near.position) return;
            if (same != tops.end()) tops.erase(same);
        }
        if (tops.size() == 2 * k_) tops.pop_back();
        size_t at = tops.size();
        tops.push_back(near);
        for (; at > 0 && tops[at - 1].position > near.position; --at) tops[at] = tops[at - 1];
        tops[at] = near;
    }

    // Finds the first two positions held, by parent; without nodes above v.
    void find_first(Code row, Code v) {
        looked_ += begin_[row + 1] - begin_[row];
        for (int64_t i = begin_[row]; i < begin_[row + 1]; ++i) {
            Code node = nodes_[i], p = parent_[node], at = position_[node];
            if (p < 0 || covers(node, v)) continue;
            if (at < first_[p]) second_[p] = first_[p], first_[p] = at;
            else if (at < second_[p]) second_[p] = at;
        }
    }
    void forget_first(Code row) {
        for (int64_t i = begin_[row]; i < begin_[row + 1]; ++i) first_[nodes_[i]] = second_[nodes_[i]] = END;
    }

    // Counts a row that holds v or, if v is q, siblings before b. Each of these meets only the others.
    void visit(Code row, Table& table, Code v, Code q, Code b) {
        find_first(row, v);
        bool single = v == q && second_[q] >= b;
        for (int64_t i = begin_[row]; i < begin_[row + 1]; ++i) {
            Code node = nodes_[i];
            Slot& here = table.at(node);
            if (!(single && parent_[node] == q && position_[node] < b)) count(here, row);
            Code least = single && node == q ? second_[q] : first_[node];
            if (least < END) insert(here.tops, {least, who(row)});
        }
        forget_first(row);
    }

    void base(Code v, Code q, Code b, std::vector<Code>& out) {
        for (Code row : rows_[v]) {
            if (!seen_[row]) {
                visit(row, own_, v, q, b);
                continue;
            }
            for (int64_t i = begin_[row]; i < begin_[row + 1]; ++i) own_.at(nodes_[i]);
            find_first(row, v);
            if (position_[v] >= b && second_[q] >= b) {  // the only sibling before b meets v
                count(own_.at(order_[start_[q] + first_[q]]), row);
                insert(own_.at(q).tops, {first_[q], who(row)});
            }
            forget_first(row);
        }
        size_t from = out.size();
        for (size_t s = 0; s < own_.used; ++s) {
            Code u = own_.slots[s].node, p = parent_[u];
            if (p < 0 || covers(u, v) || (q >= 0 && covers(v, u))) continue;
            if (clauses_[u] >= each_) continue;
            Code a = largest(u, p);
            if (a == -1) continue;
            if (p == q && b > position_[u]) a = std::min(a, position_[v]);
            if (a < END) {
                ++clauses_[u];
                for (Code value : {u, a, q < 0 ? Code(-1) : v, b}) out.push_back(value);
            } else if (q >= 0 && covers(p, v)) {  // no merge of u helps
                out.resize(from);
                for (Code value : {Code(-1), Code(0), v, b}) out.push_back(value);
                break;
            }
        }
        clear(own_);
    }

    // The largest a for u; END if all siblings are too few; -1 if k persons meet the base and u.
    Code largest(Code u, Code p) {
        const Slot *one = own_.find(u), *other = before_.find(u);
        if (one->count == k_ || (other && other->count == k_)) return -1;
        held_ = one->held;
        if (other)
            for (Code person : other->held)
                if (person < 0 || !among(one->held, person)) held_.push_back(person);
        if (held_.size() >= k_) return -1;
        static const std::vector<Near> none;
        const std::vector<Near>& left = own_.find(p)->tops;
        const Slot* there = before_.find(p);
        const std::vector<Near>& right = there ? there->tops : none;
        size_t need = k_ - held_.size(), i = 0, j = 0;
        while (i < left.size() || j < right.size()) {
            bool take = j == right.size() || (i < left.size() && left[i].position <= right[j].position);
            const Near& near = take ? left[i++] : right[j++];
            if (among(held_, near.who)) continue;
            if (--need == 0) return near.position;
            if (near.who >= 0) held_.push_back(near.who);  // counted once
        }
        return END;
    }

    std::vector<Code> parent_, span_;
    std::vector<int64_t> start_;
    std::vector<Code> order_;
    std::vector<int64_t> begin_;  // start of each row in nodes_
    std::vector<Code> nodes_;  // nodes that the row holds, including internal ones
    std::vector<std::vector<Code>> rows_;  // of each node
    std::vector<Code> persons_;  // of each row; empty: nobody has several
    std::vector<Code> position_;
    size_t k_;
    std::vector<Code> first_, second_;  // by node: the lowest positions of its children in the row
    std::vector<uint8_t> seen_;  // rows that hold a sibling before b
    Table tables_[2];
    Table &before_ = tables_[0], &own_ = tables_[1];
    std::vector<Code> held_;  // persons counted for one u
    std::vector<int64_t> clauses_;  // by node u
    int64_t each_ = 0, looked_ = 0;
};

}  // namespace shoal
