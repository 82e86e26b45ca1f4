// Raises a cut until no combination of labels violates the model, for criteria that are not monotone under generalization:
// l^m-diversity (repair_diversity.hpp) and k^m with negative knowledge (repair_negative.hpp); Terrovitis et al. 2011, s.5.
//
// Rounds run to a fixed point. A round lists the violations at the cut in preorder of the count-tree (labels by falling
// support, ties lower id; a violation is not extended). Then it repairs them in that order. A violation that still has all
// its labels in the cut is repaired by the cheapest way to raise them. Raising may cause new violations, which only a new
// search finds. They contain a label that the last round raised; other combinations have not changed.
//
// Time: enumerating the label sets that occur, once for each size and again around raised labels; a repair examines the ways
// one by one. Memory: proportional to the expanded rows plus the violations of a round, whose number is limited.
#pragma once

#include "core/parallel.hpp"
#include "search/cheapest_raise.hpp"
#include "search/distinct.hpp"
#include "search/persons.hpp"

namespace shoal {

// Checks for an interruption on the calling thread.
struct Interrupts {
    std::atomic<bool> never{false};
    Pulse pulse;
    explicit Interrupts(const Tick& tick) : pulse(tick, never, true) {}
};

// The distinct rows, and for every node of the hierarchy (including the root) the rows that hold items below it.
//
// The first groups may be leading: their rows come first, with all other rows of the same persons. Among these, and among the
// others, rows are sorted by person, and by group within a person.
class Records {
public:
    Rows rows;  // each starts with its group, followed by its leaves

    // Rows without leaves are kept if they count.
    Records(const RowsView& view, const std::vector<Code>& group, Code leading, const Tree& tree, bool keep_empty,
            const Tick& tick)
        : leading_(leading) {
        Interrupts interrupts(tick);
        for (int64_t r = 0; r < view.rows; ++r) {
            interrupts.pulse.beat(0.0);
            if (!view.size(r) && !keep_empty) continue;
            rows.items.push_back(group[r]);
            rows.items.insert(rows.items.end(), view.begin(r), view.end(r));
            Code person = view.person(r);
            rows.close_row(1, person);
            if (person == NOBODY || group[r] >= leading) continue;
            if (person >= static_cast<Code>(leads_.size())) leads_.resize(person + 1, 0);
            leads_[person] = 1;
        }
        rows = arranged(rows);
        total_ = persons_of(rows);
        support_.assign(tree.nodes, 0);
        starts_.assign(tree.nodes + 1, 0);
        PersonsByLabel persons;
        persons.prepare(tree.nodes, rows);
        each_node(tree, interrupts, [&](Code u, int64_t r) {
            persons.add(support_[u], u, rows.weight[r], rows.person(r));
            ++starts_[u + 1];
        });
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        holders_.resize(starts_.back());
        std::vector<int64_t> fill(starts_.begin(), starts_.end() - 1);
        each_node(tree, interrupts, [&](Code u, int64_t r) { holders_[fill[u]++] = static_cast<int32_t>(r); });
        // A bitmap is no larger than the list of a node that is in more than one row of 32.
        bits_.resize(tree.nodes);
        for (Code u = 0; u < tree.nodes; ++u) {
            if ((end(u) - begin(u)) * 32 <= rows.size()) continue;
            bits_[u].assign((rows.size() + 63) / 64, 0);
            for (const int32_t* r = begin(u); r != end(u); ++r) bits_[u][*r >> 6] |= 1ULL << (*r & 63);
        }
    }

    // Distinct rows, each with its group in front, in the order of the records.
    Rows arranged(const Rows& some) const {
        Rows sorted = distinct(some);
        if (sorted.persons.empty()) return sorted;  // they are in order of groups
        Rows out;
        for (bool first : {true, false})
            for (int64_t r = 0; r < sorted.size(); ++r) {
                if (leads(sorted, r) != first) continue;
                out.items.insert(out.items.end(), sorted.begin(r), sorted.end(r));
                out.close_row(sorted.weight[r], sorted.person(r));
            }
        return out;
    }
    // Whether a row, or another row of the same person, is of a leading group.
    bool leads(const Rows& some, int64_t row) const {
        Code person = some.person(row);
        return *some.begin(row) < leading_ || (person != NOBODY && person < static_cast<Code>(leads_.size()) && leads_[person]);
    }

    const int32_t* begin(Code u) const { return holders_.data() + starts_[u]; }
    const int32_t* end(Code u) const { return holders_.data() + starts_[u + 1]; }
    int64_t support(Code u) const { return support_[u]; }  // persons
    int64_t total() const { return total_; }  // persons
    bool has_persons() const { return !rows.persons.empty(); }  // some person has several rows
    bool holds(int32_t row, Code u) const {
        if (!bits_[u].empty()) return bits_[u][row >> 6] >> (row & 63) & 1;
        return std::binary_search(begin(u), end(u), row);
    }
    bool holds_all(int32_t row, const std::vector<Code>& nodes) const {
        return std::all_of(nodes.begin(), nodes.end(), [&](Code u) { return holds(row, u); });
    }
    bool holds_any(int32_t row, const std::vector<Code>& nodes) const {
        return std::any_of(nodes.begin(), nodes.end(), [&](Code u) { return holds(row, u); });
    }
    // Removes the node that the fewest rows hold from the list.
    Code take_rarest(std::vector<Code>& nodes) const {
        auto fewer = [&](Code a, Code b) { return end(a) - begin(a) < end(b) - begin(b); };
        auto at = std::min_element(nodes.begin(), nodes.end(), fewer);
        Code rarest = *at;
        nodes.erase(at);
        return rarest;
    }

private:
    template <class Visit>
    void each_node(const Tree& tree, Interrupts& interrupts, Visit visit) const {
        std::vector<int64_t> seen(tree.nodes, -1);
        for (int64_t r = 0; r < rows.size(); ++r) {
            interrupts.pulse.beat(0.0);
            for (const Code* leaf = rows.begin(r) + 1; leaf != rows.end(r); ++leaf)
                for (Code u = *leaf; u >= 0 && seen[u] != r; u = tree.parent[u]) {
                    seen[u] = r;
                    visit(u, r);
                }
        }
    }

    Code leading_;
    std::vector<uint8_t> leads_;  // by person
    int64_t total_ = 0;
    std::vector<int64_t> support_, starts_;
    std::vector<int32_t> holders_;
    std::vector<std::vector<uint64_t>> bits_;
};

// The labels of a cut that occur, in count-tree order, and the rows at the cut.
struct AtCut {
    std::vector<Code> order;  // nodes
    std::vector<uint8_t> fresh;  // by rank: was not there in the last round
    Rows rows;  // in the order of the records; each starts with its group, followed by ranks, ascending

    // Contains only the rows that hold a fresh label, unless all rows are wanted; or none, if the support of labels is
    // enough.
    AtCut(const Records& records, const Cut& cut, const std::vector<uint8_t>& is_fresh, bool all_rows, bool any_rows,
          const Tick& tick) {
        Interrupts interrupts(tick);
        const Tree& tree = cut.tree;
        for (Code u = 0; u < tree.nodes; ++u)
            if (cut.in(u) && records.support(u)) order.push_back(u);
        std::stable_sort(order.begin(), order.end(), [&](Code a, Code b) { return records.support(a) > records.support(b); });
        std::vector<Code> rank(tree.nodes, -1);
        for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<Code>(i);
        for (Code leaf = 0; leaf < tree.leaves; ++leaf) rank[leaf] = rank[cut.node_of(leaf)];
        std::vector<uint8_t> wanted(records.rows.size(), all_rows);
        for (Code u : order) {
            fresh.push_back(is_fresh[u]);
            if (is_fresh[u] && !all_rows)
                for (const int32_t* r = records.begin(u); r != records.end(u); ++r) wanted[*r] = 1;
        }
        Rows found;
        for (int64_t r = 0; r < records.rows.size() && any_rows; ++r) {
            if (!wanted[r]) continue;
            interrupts.pulse.beat(0.0);
            const Code* row = records.rows.begin(r);
            found.items.push_back(*row);
            auto start = static_cast<int64_t>(found.items.size());
            while (++row != records.rows.end(r)) found.items.push_back(rank[*row]);
            std::sort(found.items.begin() + start, found.items.end());
            found.items.erase(std::unique(found.items.begin() + start, found.items.end()), found.items.end());
            found.close_row(records.rows.weight[r], records.rows.person(r));
        }
        rows = records.arranged(found);
    }
};

// The places of every label in the rows at a cut, label by label, each in order of rows.
struct Place {
    int64_t row;
    int64_t next;  // the labels after the last label of the prefix in the row
};
struct Occurrences {
    std::vector<int64_t> starts;
    std::vector<Place> places;

    explicit Occurrences(const AtCut& at) : starts(at.order.size() + 1, 0) {
        const Rows& rows = at.rows;
        for (int64_t r = 0; r < rows.size(); ++r)
            for (int64_t e = rows.indptr[r] + 1; e < rows.indptr[r + 1]; ++e) ++starts[rows.items[e] + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        places.resize(starts.back());
        std::vector<int64_t> fill(starts.begin(), starts.end() - 1);
        for (int64_t r = 0; r < rows.size(); ++r)
            for (int64_t e = rows.indptr[r] + 1; e < rows.indptr[r + 1]; ++e) places[fill[rows.items[e]]++] = {r, e + 1};
    }
};

// Clears the rows but keeps their memory.
inline void clear(Rows& rows) {
    rows.indptr.resize(1);
    rows.items.clear();
    rows.weight.clear();
    rows.persons.clear();
}

// A combination: nodes in count-tree order, the absent ones last and written ~u.
using Combination = std::vector<Code>;

// The violations with one first label, in preorder, as a flat list. At most `limit` are listed; full: the list ended there.
struct Breaches {
    std::vector<Code> labels;
    std::vector<int64_t> ends;
    int64_t limit = 0;
    bool full = false;

    void add(const Combination& found) {
        labels.insert(labels.end(), found.begin(), found.end());
        ends.push_back(static_cast<int64_t>(labels.size()));
        full = static_cast<int64_t>(ends.size()) >= limit;
    }
};

// The input and output of a round of a criterion.
struct Round {
    const Cut& cut;
    const std::vector<uint8_t>& fresh;  // nodes; combinations without any of them need not be checked again
    const std::set<Combination>& hopeless;  // violations that no raising repairs: neither listed nor extended
    int size;
    int64_t most;  // approximate limit on the violations listed
    int threads;
    const Tick& tick;

    std::vector<Breaches> found;  // in preorder when read one after the other
    std::vector<Code> unfinished;  // nodes that further violations start with
    int64_t counted = 0;  // number of label sets
};

// Criterion: search(round), and fine(target, present): whether the nodes satisfy it, where the first `present` ones are
// present and the others absent. Bounded: never raise to the root; violations that only the root could repair stay.
template <class Criterion>
class Repair {
public:
    Repair(Criterion& criterion, Tree tree, const Code* raised, int64_t n_raised, bool bounded, int64_t most, int threads,
           const Tick& tick)
        : cut_(tree), criterion_(criterion), bounded_(bounded), most_(most), threads_(threads), tick_(tick),
          pulse_(tick, cancelled_, true) {
        for (int64_t i = 0; i < n_raised; ++i) cut_.raise(raised[i], [](Code) {});
    }

    // Whether no combination of at most `size` labels violates the model any more. If not, one is unrepairable().
    bool run(int size) {
        std::vector<uint8_t> fresh(cut_.tree.nodes, 1);
        for (bool again = true; again;) {
            Round round{cut_, fresh, hopeless_, size, most_, threads_, tick_, {}, {}, 0};
            criterion_.search(round);
            counted_ = std::max(counted_, round.counted);
            std::fill(fresh.begin(), fresh.end(), 0);
            again = !round.unfinished.empty();
            for (Code u : round.unfinished) fresh[u] = 1;
            for (Breaches& breaches : round.found) {
                int64_t start = 0;
                for (int64_t end : breaches.ends) {
                    Combination breach(breaches.labels.begin() + start, breaches.labels.begin() + end);
                    start = end;
                    if (!standing(breach)) continue;
                    Set commits = cheapest(breach);
                    again |= !commits.empty();
                    if (commits.empty() && !bounded_) return unrepairable_ = breach, false;
                    if (commits.empty()) hopeless_.insert(breach);
                    else ++repairs_;
                    for (Code u : commits) {
                        cut_.raise(u, [](Code) {});
                        fresh[u] = 1;
                    }
                }
                breaches = Breaches();  // no longer needed
            }
        }
        return true;
    }

    std::vector<Code> raised() const { return cut_.raised(); }
    int64_t counted() const { return counted_; }
    int64_t repairs() const { return repairs_; }
    const Combination& unrepairable() const { return unrepairable_; }  // empty: nothing is

private:
    static Code node(Code label) { return label < 0 ? ~label : label; }

    bool standing(const Combination& breach) const {
        return std::all_of(breach.begin(), breach.end(), [&](Code u) { return !cut_.below(node(u)); });
    }

    // The nodes to raise the cut to so that this combination is fine; none if there is no way.
    Set cheapest(const Combination& breach) {
        std::vector<Code> labels;
        for (Code u : breach) labels.push_back(node(u));
        auto present = static_cast<size_t>(std::count_if(breach.begin(), breach.end(), [](Code u) { return u >= 0; }));
        Code top = cut_.tree.root() - bounded_;
        Ways ways(cut_, labels);
        for (ways.consider(labels); !ways.empty();) {
            pulse_.beat(1.0);
            Ways::Way best = ways.next();
            if (!best.commits.empty() && criterion_.fine(best.target, present)) return best.commits;
            ways.consider_above(best, top);
        }
        return {};
    }

    Cut cut_;
    Criterion& criterion_;
    bool bounded_;
    int64_t most_;
    int threads_;
    const Tick& tick_;
    std::atomic<bool> cancelled_{false};
    Pulse pulse_;
    std::set<Combination> hopeless_;
    Combination unrepairable_;
    int64_t counted_ = 0;
    int64_t repairs_ = 0;
};

}  // namespace shoal
