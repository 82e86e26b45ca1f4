// Frequent itemsets of a list of rows, of all sizes, and how many rows of another list hold each. For measures that compare
// the itemsets of two lists.
//
// A depth-first projection over rows that are renumbered by rising support and merged. Work is split by first label. Each
// part writes its own list, and lists are joined in the order of labels, so threads cannot change the result.
#pragma once

#include <memory>

#include "core/parallel.hpp"
#include "measure/support_order.hpp"

namespace shoal {

class ItemsetMiner {
public:
    struct TooMany : std::exception {};
    struct Result {
        std::vector<int32_t> sizes;
        std::vector<Code> items;  // one set after the other, each ascending
        std::vector<int64_t> first, second;  // supports
    };

    ItemsetMiner(RowsView first, RowsView second, Code labels, int64_t least, int64_t most)
        : rows_(first, second, labels, least), least_(std::max<int64_t>(1, least)), most_(most) {}

    Result run(int threads, const Tick& tick) {
        int64_t tasks = rows_.labels();
        threads = worker_count(threads, tasks);
        std::vector<Worker> workers(threads);
        std::vector<Result> found(tasks);
        parallel(tasks, threads, tick, [&](int w, int64_t task, Pulse& pulse) {
            auto label = static_cast<Code>(task);
            Worker& worker = workers[w];
            worker.out = &found[task];
            worker.prefix.assign(1, label);
            int64_t first = 0, second = 0;
            for (const OrderedPlace* p = rows_.from(label); p != rows_.to(label); ++p) {
                first += rows_.first(p->row);
                second += rows_.second(p->row);
            }
            extend(worker, rows_.from(label), rows_.to(label), first, second, pulse, static_cast<double>(task) / tasks);
        });
        Result all;
        for (Result& one : found) {
            append(all.sizes, one.sizes);
            append(all.items, one.items);
            append(all.first, one.first);
            append(all.second, one.second);
            one = {};
        }
        return all;
    }

private:
    struct Level {
        std::vector<int64_t> first, second;  // by label: supports, later slots
        std::vector<Code> touched;
        std::vector<int64_t> start, fill, firsts, seconds;
        std::vector<OrderedPlace> places;
    };
    struct Worker {
        Result* out = nullptr;
        std::vector<Code> prefix;
        std::vector<std::unique_ptr<Level>> levels;
    };

    template <class T>
    static void append(std::vector<T>& to, const std::vector<T>& from) {
        to.insert(to.end(), from.begin(), from.end());
    }

    void tell(Worker& worker, int64_t first, int64_t second) {
        if (++told_ > most_) throw TooMany();
        Result& out = *worker.out;
        size_t start = out.items.size();
        for (Code rank : worker.prefix) out.items.push_back(rows_.label(rank));
        std::sort(out.items.begin() + start, out.items.end());
        out.sizes.push_back(static_cast<int32_t>(worker.prefix.size()));
        out.first.push_back(first);
        out.second.push_back(second);
    }

    // Reports the prefix, then all its extensions.
    void extend(Worker& worker, const OrderedPlace* from, const OrderedPlace* to, int64_t first, int64_t second, Pulse& pulse,
                double share) {
        pulse.beat(share);
        tell(worker, first, second);
        if (worker.levels.size() < worker.prefix.size()) worker.levels.push_back(std::make_unique<Level>());
        Level& level = *worker.levels[worker.prefix.size() - 1];
        if (level.first.empty()) {
            level.first.assign(rows_.labels(), 0);
            level.second.assign(rows_.labels(), 0);
        }
        level.touched.clear();
        for (const OrderedPlace* p = from; p != to; ++p) {
            int64_t one = rows_.first(p->row), other = rows_.second(p->row);
            for (int64_t e = p->next; e < rows_.end(p->row); ++e) {
                Code item = rows_.item(e);
                if (!level.first[item] && !level.second[item]) level.touched.push_back(item);
                level.first[item] += one;
                level.second[item] += other;
            }
        }
        std::sort(level.touched.begin(), level.touched.end());
        size_t open = 0;
        level.firsts.clear();
        level.seconds.clear();
        for (Code item : level.touched) {
            int64_t slot = 0;
            if (level.first[item] >= least_) {
                level.firsts.push_back(level.first[item]);
                level.seconds.push_back(level.second[item]);
                level.touched[open++] = item;
                slot = static_cast<int64_t>(open);
            }
            level.first[item] = slot;
            level.second[item] = 0;
        }
        level.touched.resize(open);
        if (!open) return;
        level.start.assign(open + 1, 0);
        for (const OrderedPlace* p = from; p != to; ++p)
            for (int64_t e = p->next; e < rows_.end(p->row); ++e)
                if (int64_t slot = level.first[rows_.item(e)]) ++level.start[slot];
        std::partial_sum(level.start.begin(), level.start.end(), level.start.begin());
        level.places.resize(level.start.back());
        level.fill.assign(level.start.begin(), level.start.end() - 1);
        for (const OrderedPlace* p = from; p != to; ++p)
            for (int64_t e = p->next; e < rows_.end(p->row); ++e)
                if (int64_t slot = level.first[rows_.item(e)]) level.places[level.fill[slot - 1]++] = {p->row, e + 1};
        for (Code item : level.touched) level.first[item] = 0;
        for (size_t t = 0; t < open; ++t) {
            worker.prefix.push_back(level.touched[t]);
            extend(worker, level.places.data() + level.start[t], level.places.data() + level.start[t + 1], level.firsts[t],
                   level.seconds[t], pulse, share);
            worker.prefix.pop_back();
        }
    }

    SupportOrder rows_;
    int64_t least_, most_;
    std::atomic<int64_t> told_{0};
};

}  // namespace shoal
