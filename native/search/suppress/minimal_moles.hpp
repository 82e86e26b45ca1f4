// Minimal moles, for MM: sets of at most p labels that occur in rows of fewer than k persons, or such that more than an
// allowed share of their rows have the same private value, while no proper subset violates the model.
//
// A set of sufficient support may be a mole while its supersets are none, so frequent sets are no guide. The search goes size
// by size. The moles of smaller sizes are known and kept in a trie. Depth-first, a set is extended only by labels that
// complete no mole with it. So every violation at the current size is a minimal mole. Labels come by rising support. Rows are
// reduced to labels that may extend the set they hold. Work is split by first label. Moles are listed in this order of
// labels, whatever the number of threads.
//
// Cost: for each size, the time to enumerate the sets of one label less that contain no mole, with their rows.
#pragma once

#include "core/parallel.hpp"
#include "search/distinct.hpp"
#include "search/persons.hpp"

namespace shoal {

class MoleMiner {
public:
    struct Breach {
        int64_t k, part, whole;
        bool rare(int64_t support) const { return support < k; }
        bool told(int64_t holders, int64_t support) const { return holders * whole > support * part; }
    };
    struct TooMany : std::exception {};

    MoleMiner(RowsView view, Code labels, RowsView values, Code secrets, Breach breach, int64_t most)
        : labels_(labels), secrets_(secrets), breach_(breach), most_(most) {
        std::vector<int64_t> support(labels, 0);
        for (int64_t e = 0; e < view.indptr[view.rows]; ++e) ++support[view.items[e]];
        label_of_.resize(labels);
        std::iota(label_of_.begin(), label_of_.end(), 0);
        std::stable_sort(label_of_.begin(), label_of_.end(), [&](Code a, Code b) { return support[a] < support[b]; });
        std::vector<Code> rank(labels);
        for (Code r = 0; r < labels; ++r) rank[label_of_[r]] = r;
        Rows joined;  // ranks, then private values shifted behind them
        for (int64_t r = 0; r < view.rows; ++r) {
            if (!view.size(r)) continue;
            auto start = joined.items.size();
            for (const Code* item = view.begin(r); item != view.end(r); ++item) joined.items.push_back(rank[*item]);
            std::sort(joined.items.begin() + start, joined.items.end());
            for (const Code* value = values.begin(r); value != values.end(r); ++value) joined.items.push_back(labels + *value);
            joined.close_row(1, view.person(r));
        }
        rows_ = distinct(joined);
        for (int64_t r = 0; r < rows_.size(); ++r) {
            split_.push_back(std::lower_bound(rows_.begin(r), rows_.end(r), labels) - rows_.items.data());
            base_.items.insert(base_.items.end(), rows_.items.begin() + rows_.indptr[r], rows_.items.begin() + split_[r]);
            base_.close(r);
        }
    }

    // Returns flat lists of the moles of 1, 2, .. labels, at most p. Throws TooMany if there are more than the limit.
    const std::vector<std::vector<Code>>& run(int p, int threads, const Tick& tick) {
        for (int size = 1; size <= p && look(size, threads, tick); ++size)
            if (size == 1) leave_out_single();
            else if (size < p) grow_trie();
        while (!moles_.empty() && moles_.back().empty()) moles_.pop_back();
        for (auto& moles : moles_)
            for (Code& label : moles) label = label_of_[label];
        return moles_;
    }

private:
    // Rows that hold a set, reduced to the labels that may extend it.
    struct Part {
        std::vector<int64_t> start{0};
        std::vector<Code> items;
        std::vector<int64_t> row;  // index into rows_

        void clear() {
            start.resize(1);
            items.clear();
            row.clear();
        }
        void close(int64_t of) {
            start.push_back(static_cast<int64_t>(items.size()));
            row.push_back(of);
        }
        int64_t size() const { return static_cast<int64_t>(row.size()); }
    };
    struct Place {
        int64_t row;  // row of the part
        int64_t next;  // index into its items of the labels after the label
    };
    struct Dealt {  // for each label of a part, its places
        std::vector<Code> label;
        std::vector<int64_t> start;
        std::vector<Place> places;
    };
    struct Worker {
        std::vector<Code> prefix;
        std::vector<Part> parts;
        std::vector<Dealt> dealt;
        std::vector<int64_t> support, with;  // by label: persons of the part, and rows with a private value
        PersonsByLabel persons;
        std::vector<int64_t> slot, stamp;  // by label; stamp: the last turn in which it was excluded
        std::vector<Code> touched;
        std::vector<int64_t> together;  // by private value
        std::vector<Code> values;
        std::vector<int64_t> active{0};  // nodes of the trie for the sets of labels of the prefix
        std::vector<size_t> known;  // number of such nodes before each label of the prefix
        int64_t turn = 0;
    };

    // Finds all moles of a size. Returns false if no sets of that size are left.
    bool look(int size, int threads, const Tick& tick) {
        size_ = size;
        int64_t tasks = size == 1 ? 1 : labels_;
        Dealt first;
        Worker scratch = fresh();
        if (size > 1) {
            count(scratch, base_);
            deal(scratch, base_, first);
            tasks = static_cast<int64_t>(first.label.size());
        }
        threads = worker_count(threads, tasks);
        std::vector<Worker> workers;
        for (int w = 0; w < threads; ++w) workers.push_back(fresh());
        std::vector<std::vector<Code>> found(tasks);
        std::atomic<bool> looked{false};
        parallel(tasks, threads, tick, [&](int w, int64_t task, Pulse& pulse) {
            Worker& worker = workers[w];
            double share = static_cast<double>(task) / static_cast<double>(tasks);
            if (size == 1) {
                worker.prefix.clear();
                count(worker, base_);
                judge(worker, base_, found[task]);
                looked = base_.size() > 0;
            } else {
                if (follow(worker, base_, first, task, 1)) {
                    looked = true;
                    walk(worker, 1, found[task], pulse, share);
                }
                retrace(worker);
            }
        });
        moles_.emplace_back();
        for (const auto& some : found) moles_.back().insert(moles_.back().end(), some.begin(), some.end());
        return looked;
    }

    Worker fresh() const {
        Worker worker;
        worker.parts.resize(size_);
        worker.dealt.resize(size_);
        for (auto* one : {&worker.support, &worker.with, &worker.slot, &worker.stamp}) one->assign(labels_, 0);
        worker.together.assign(secrets_, 0);
        worker.persons.prepare(labels_, rows_);
        return worker;
    }

    // Examines the extensions of the prefix, whose rows are in parts[depth].
    void walk(Worker& worker, int depth, std::vector<Code>& found, Pulse& pulse, double share) {
        pulse.beat(share);
        const Part& part = worker.parts[depth];
        count(worker, part);
        if (depth + 1 == size_) {
            judge(worker, part, found);
            return;
        }
        Dealt& dealt = worker.dealt[depth];
        deal(worker, part, dealt);
        for (size_t t = 0; t < dealt.label.size(); ++t) {
            if (follow(worker, part, dealt, t, depth + 1)) walk(worker, depth + 1, found, pulse, share);
            retrace(worker);
        }
    }

    void count(Worker& worker, const Part& part) const {
        worker.touched.clear();
        for (int64_t r = 0; r < part.size(); ++r) {
            int64_t row = part.row[r], weight = rows_.weight[row];
            int64_t secret = split_[row] < rows_.indptr[row + 1] ? weight : 0;
            for (int64_t e = part.start[r]; e < part.start[r + 1]; ++e) {
                Code label = part.items[e];
                if (!worker.support[label]) worker.touched.push_back(label);
                worker.persons.add(worker.support[label], label, weight, rows_.person(row));
                worker.with[label] += secret;
            }
        }
        std::sort(worker.touched.begin(), worker.touched.end());
    }

    // Finds the counted labels that make a mole of the prefix. Clears the counts.
    void judge(Worker& worker, const Part& part, std::vector<Code>& found) {
        std::vector<Code> asked;  // frequent labels with enough private values: check which value
        for (Code label : worker.touched)
            if (!breach_.rare(worker.support[label]) && breach_.told(worker.with[label], worker.support[label])) {
                asked.push_back(label);
                worker.slot[label] = static_cast<int64_t>(asked.size());
            }
        if (!asked.empty()) {
            std::vector<std::vector<int64_t>> holders(asked.size());
            for (int64_t r = 0; r < part.size(); ++r) {
                int64_t row = part.row[r];
                if (split_[row] == rows_.indptr[row + 1]) continue;
                for (int64_t e = part.start[r]; e < part.start[r + 1]; ++e)
                    if (int64_t slot = worker.slot[part.items[e]]) holders[slot - 1].push_back(row);
            }
            for (size_t t = 0; t < asked.size(); ++t)
                worker.slot[asked[t]] = told(worker, holders[t], worker.support[asked[t]]) ? -1 : 0;
        }
        for (Code label : worker.touched) {
            if (breach_.rare(worker.support[label]) || worker.slot[label] < 0) {
                if (listed_.fetch_add(1) >= most_) throw TooMany();
                found.insert(found.end(), worker.prefix.begin(), worker.prefix.end());
                found.push_back(label);
            }
            worker.support[label] = worker.with[label] = worker.slot[label] = 0;
        }
    }

    // Whether one private value has too large a share of the support; `holders` are the rows that have any value.
    bool told(Worker& worker, const std::vector<int64_t>& holders, int64_t support) const {
        worker.values.clear();
        bool found = false;
        for (int64_t row : holders)
            for (int64_t e = split_[row]; e < rows_.indptr[row + 1]; ++e) {
                Code value = rows_.items[e] - labels_;
                if (!worker.together[value]) worker.values.push_back(value);
                worker.together[value] += rows_.weight[row];
                found |= breach_.told(worker.together[value], support);
            }
        for (Code value : worker.values) worker.together[value] = 0;
        return found;
    }

    // Finds the places of the counted labels. Clears the counts.
    void deal(Worker& worker, const Part& part, Dealt& dealt) const {
        dealt.label = worker.touched;
        dealt.start.assign(dealt.label.size() + 1, 0);
        for (size_t t = 0; t < dealt.label.size(); ++t) {
            Code label = dealt.label[t];
            worker.support[label] = worker.with[label] = 0;
            worker.slot[label] = static_cast<int64_t>(t);
        }
        for (Code label : part.items) ++dealt.start[worker.slot[label] + 1];
        std::partial_sum(dealt.start.begin(), dealt.start.end(), dealt.start.begin());
        dealt.places.resize(dealt.start.back());
        for (size_t t = 0; t < dealt.label.size(); ++t) worker.slot[dealt.label[t]] = dealt.start[t];
        for (int64_t r = 0; r < part.size(); ++r)
            for (int64_t e = part.start[r]; e < part.start[r + 1]; ++e) dealt.places[worker.slot[part.items[e]]++] = {r, e + 1};
        for (Code label : dealt.label) worker.slot[label] = 0;
    }

    // Extends the prefix by a label: its rows, reduced to labels that complete no mole, go to parts[depth]. Returns false if
    // no row is long enough. Undone by retrace.
    bool follow(Worker& worker, const Part& from, const Dealt& dealt, size_t t, int depth) const {
        Code label = dealt.label[t];
        worker.prefix.push_back(label);
        ++worker.turn;
        auto known = worker.active.size();
        worker.known.push_back(known);
        for (size_t a = 0; a < known; ++a) {
            int64_t node = child(worker.active[a], label);
            if (node < 0) continue;
            worker.active.push_back(node);
            int64_t first = first_[node], last = first_[node + 1];
            if (last - first <= 8 * static_cast<int64_t>(dealt.label.size() - t)) {
                for (int64_t c = first; c < last; ++c)
                    if (leaf(c)) worker.stamp[node_label_[c]] = worker.turn;
            } else {
                for (size_t u = t + 1; u < dealt.label.size(); ++u) {
                    int64_t c = child(node, dealt.label[u]);
                    if (c >= 0 && leaf(c)) worker.stamp[dealt.label[u]] = worker.turn;
                }
            }
        }
        Part& part = worker.parts[depth];
        part.clear();
        for (int64_t p = dealt.start[t]; p < dealt.start[t + 1]; ++p) {
            const Place& place = dealt.places[p];
            auto start = part.items.size();
            for (int64_t e = place.next; e < from.start[place.row + 1]; ++e)
                if (worker.stamp[from.items[e]] != worker.turn) part.items.push_back(from.items[e]);
            if (part.items.size() - start < static_cast<size_t>(size_ - depth))
                part.items.resize(start);  // too short for a set of the current size
            else part.close(from.row[place.row]);
        }
        return part.size() > 0;
    }

    // Removes the last label of the prefix.
    void retrace(Worker& worker) const {
        worker.prefix.pop_back();
        worker.active.resize(worker.known.back());
        worker.known.pop_back();
    }

    int64_t child(int64_t node, Code label) const {
        auto from = node_label_.begin() + first_[node], to = node_label_.begin() + first_[node + 1];
        auto at = std::lower_bound(from, to, label);
        return at != to && *at == label ? at - node_label_.begin() : -1;
    }
    bool leaf(int64_t node) const { return first_[node] == first_[node + 1]; }

    void leave_out_single() {
        std::vector<char> gone(labels_, 0);
        for (Code label : moles_[0]) gone[label] = 1;
        Part left;
        for (int64_t r = 0; r < base_.size(); ++r) {
            for (int64_t e = base_.start[r]; e < base_.start[r + 1]; ++e)
                if (!gone[base_.items[e]]) left.items.push_back(base_.items[e]);
            left.close(base_.row[r]);
        }
        base_ = std::move(left);
    }

    // Builds a trie of the known moles of two or more labels, breadth-first: a node for each prefix, with the last label as a
    // leaf.
    void grow_trie() {
        struct Mole {
            const Code *from, *to;
        };
        struct Range {
            int64_t from, to;
            int depth;
        };
        std::vector<Mole> moles;
        for (size_t size = 2; size <= moles_.size(); ++size)
            for (size_t at = 0; at < moles_[size - 1].size(); at += size) {
                const Code* from = moles_[size - 1].data() + at;
                moles.push_back({from, from + size});
            }
        std::sort(moles.begin(), moles.end(),
                  [](const Mole& a, const Mole& b) { return std::lexicographical_compare(a.from, a.to, b.from, b.to); });
        node_label_.assign(1, -1);
        first_.assign(1, 1);
        std::vector<Range> ranges{{0, static_cast<int64_t>(moles.size()), 0}};
        for (size_t node = 0; node < ranges.size(); ++node) {
            auto [from, to, depth] = ranges[node];
            for (int64_t at = from; at < to && moles[at].from + depth < moles[at].to;) {
                Code label = moles[at].from[depth];
                int64_t end = at;
                while (end < to && moles[end].from[depth] == label) ++end;
                node_label_.push_back(label);
                ranges.push_back({at, end, depth + 1});
                at = end;
            }
            first_.push_back(static_cast<int64_t>(node_label_.size()));
        }
    }

    Code labels_, secrets_;
    Breach breach_;
    int64_t most_;
    int size_ = 0;  // of the current sets
    std::vector<Code> label_of_;  // by rank; internally, labels are ranks
    Rows rows_;
    std::vector<int64_t> split_;  // index into rows_.items of each row's first private value
    Part base_;  // all rows, without labels that are moles by themselves
    std::vector<std::vector<Code>> moles_;
    std::atomic<int64_t> listed_{0};
    std::vector<Code> node_label_{-1};
    std::vector<int64_t> first_{1, 1};  // children of a node of the trie are first_[node] up to first_[node + 1]
};

}  // namespace shoal
