// Counts the persons with sets of a given number of labels, depth-first, for searches. A rare set is reported, not extended.
#pragma once

#include "core/parallel.hpp"
#include "search/persons.hpp"

namespace shoal {

class SetCounter {
public:
    // Labels are in the given order in every set, and the first label of a set is among the first `starters` of the order.
    SetCounter(const Rows& rows, std::vector<Code> order, int64_t starters, Code labels, int64_t k)
        : order_(std::move(order)), starters_(starters), k_(k) {
        std::vector<Code> rank(labels, -1);
        for (size_t i = 0; i < order_.size(); ++i) rank[order_[i]] = static_cast<Code>(i);
        for (int64_t r = 0; r < rows.size(); ++r) {
            auto start = rows_.indptr.back();
            for (const Code* u = rows.begin(r); u != rows.end(r); ++u)
                if (rank[*u] >= 0) rows_.items.push_back(rank[*u]);
            std::sort(rows_.items.begin() + start, rows_.items.end());
            rows_.close_row(rows.weight[r], rows.person(r));
        }
        starts_.assign(order_.size() + 1, 0);
        for (Code i : rows_.items) ++starts_[i + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        places_.resize(rows_.items.size());
        std::vector<int64_t> fill(starts_.begin(), starts_.end() - 1);
        for (int64_t r = 0; r < rows_.size(); ++r)
            for (int64_t e = rows_.indptr[r]; e < rows_.indptr[r + 1]; ++e) places_[fill[rows_.items[e]]++] = {r, e + 1};
    }

    // Calls report(worker, set, support) for every rare set of exactly `size` labels whose prefixes in the order are
    // frequent.
    template <class Report>
    void run(int size, int threads, const Tick& tick, Report report) const {
        std::vector<Worker> workers(threads);
        for (auto& worker : workers) worker.levels.resize(size);
        parallel(starters_, threads, tick, [&](int w, int64_t first, Pulse& pulse) {
            const Place* from = places_.data() + starts_[first];
            const Place* to = places_.data() + starts_[first + 1];
            if (from == to) return;
            Worker& worker = workers[w];
            worker.prefix.assign(1, static_cast<Code>(first));
            Persons holders;
            for (const Place* p = from; p != to; ++p) holders.add(rows_, p->row);
            int64_t support = holders.count();
            auto told = [&](Code last, int64_t found) {
                std::vector<Code> set;
                for (Code i : worker.prefix) set.push_back(order_[i]);
                if (last >= 0) set.push_back(order_[last]);
                std::sort(set.begin(), set.end());
                report(w, std::move(set), found);
            };
            if (size == 1) {
                if (support < k_) told(-1, support);
            } else if (support >= k_) {
                extend(worker, from, to, size, pulse, static_cast<double>(first) / starters_, told);
            }
        });
    }

private:
    struct Place {
        int64_t row;
        int64_t next;  // the labels after the last label of the prefix
    };
    struct Level {
        std::vector<int64_t> count, start;
        PersonsByLabel persons;
        std::vector<Code> touched;
        std::vector<Place> places;
    };
    struct Worker {
        std::vector<Code> prefix;
        std::vector<Level> levels;
    };

    template <class Told>
    void extend(Worker& worker, const Place* from, const Place* to, int size, Pulse& pulse, double share, Told& told) const {
        pulse.beat(share);
        auto depth = worker.prefix.size();
        bool last = static_cast<int>(depth) + 1 == size;
        Level& level = worker.levels[depth - 1];
        auto& count = level.count;
        if (count.empty()) count.assign(order_.size(), 0);
        level.persons.prepare(order_.size(), rows_);
        level.touched.clear();
        for (const Place* p = from; p != to; ++p) {
            int64_t weight = rows_.weight[p->row];
            Code person = rows_.person(p->row);
            for (int64_t e = p->next; e < rows_.indptr[p->row + 1]; ++e) {
                Code i = rows_.items[e];
                if (!count[i]) level.touched.push_back(i);
                level.persons.add(count[i], i, weight, person);
            }
        }
        if (last) {
            for (Code i : level.touched) {
                if (count[i] < k_) told(i, count[i]);
                count[i] = 0;
            }
            return;
        }
        // One pass copies every row to all labels that extend the prefix in it.
        int64_t frequent = 0;
        for (Code i : level.touched) {
            if (count[i] < k_) {
                count[i] = 0;
                continue;
            }
            level.touched[frequent] = i;
            count[i] = ++frequent;  // from here on: slot + 1
        }
        level.touched.resize(frequent);
        level.start.assign(frequent + 1, 0);
        for (const Place* p = from; p != to; ++p)
            for (int64_t e = p->next; e + 1 < rows_.indptr[p->row + 1]; ++e)
                if (int64_t slot = count[rows_.items[e]]) ++level.start[slot];
        std::partial_sum(level.start.begin(), level.start.end(), level.start.begin());
        level.places.resize(level.start.back());
        std::vector<int64_t> fill(level.start.begin(), level.start.end() - 1);
        for (const Place* p = from; p != to; ++p)
            for (int64_t e = p->next; e + 1 < rows_.indptr[p->row + 1]; ++e)
                if (int64_t slot = count[rows_.items[e]]) level.places[fill[slot - 1]++] = {p->row, e + 1};
        for (Code i : level.touched) count[i] = 0;
        for (int64_t t = 0; t < frequent; ++t) {
            if (level.start[t] == level.start[t + 1]) continue;
            worker.prefix.push_back(level.touched[t]);
            extend(worker, level.places.data() + level.start[t], level.places.data() + level.start[t + 1], size, pulse, share,
                   told);
            worker.prefix.pop_back();
        }
    }

    std::vector<Code> order_;
    int64_t starters_;
    int64_t k_;
    Rows rows_;
    std::vector<int64_t> starts_;
    std::vector<Place> places_;
};

}  // namespace shoal
