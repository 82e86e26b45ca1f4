// For each row, the least number of persons who have some set of 1, 2, .. m of its labels in a row: the number of candidates
// that remain for an attacker who knows these labels.
//
// The search goes size by size. A row is done if some set occurs in it alone, or if it has no more labels: larger sets change
// nothing. So only sets within rows that are not done are counted. Labels are renumbered by rising support, equal rows are
// merged, and work is split by first label. The result is a minimum, so threads cannot change it.
#pragma once

#include "core/parallel.hpp"
#include "measure/support_order.hpp"

namespace shoal {

class MinSupports {
public:
    MinSupports(RowsView view, Code labels)
        : rows_(view, RowsView{empty_, nullptr, 0}, labels, 1), everybody_(persons_of(view)), least_(rows_.size(), everybody_),
          given_(view.rows) {}

    // Returns [size - 1], for each given row the least support of a set of at most `size` of its labels; all persons if it
    // has none.
    std::vector<int64_t> run(int m, int threads, const Tick& tick) {
        std::vector<int64_t> out;
        out.reserve(static_cast<size_t>(m) * given_);
        for (int size = 1; size <= m; ++size) {
            count(size, threads, tick);
            for (int64_t row = 0; row < given_; ++row)
                out.push_back(rows_.class_of()[row] < 0 ? everybody_ : least_[rows_.class_of()[row]]);
        }
        return out;
    }

private:
    struct Level {
        std::vector<int64_t> count;
        std::vector<Code> touched;
        std::vector<int64_t> start, fill;
        std::vector<Code> last;  // by slot: the person counted last
        std::vector<OrderedPlace> places;
    };
    struct Worker {
        std::vector<Level> levels;
        std::vector<int64_t> least;
    };

    void count(int size, int threads, const Tick& tick) {
        open_.assign(rows_.size(), 0);
        bool some = false;
        for (int64_t r = 0; r < rows_.size(); ++r) some |= open_[r] = least_[r] > 1 && rows_.end(r) - rows_.begin(r) >= size;
        if (!some) return;
        int64_t tasks = rows_.labels();
        threads = worker_count(threads, tasks);
        std::vector<Worker> workers(threads);
        for (Worker& worker : workers) {
            worker.levels.resize(size);
            worker.least = least_;
        }
        parallel(tasks, threads, tick, [&](int w, int64_t task, Pulse& pulse) {
            auto label = static_cast<Code>(task);
            const OrderedPlace *from = rows_.from(label), *to = rows_.to(label);
            if (size > 1) return extend(workers[w], from, to, 2, size, pulse, static_cast<double>(task) / tasks);
            int64_t support = 0;
            Code last = NOBODY;
            for (const OrderedPlace* p = from; p != to; ++p) meet(support, last, p->row);
            for (const OrderedPlace* p = from; p != to; ++p) lower(workers[w].least[p->row], support);
        });
        for (const Worker& worker : workers)
            for (int64_t r = 0; r < rows_.size(); ++r) lower(least_[r], worker.least[r]);
    }

    static void lower(int64_t& least, int64_t support) { least = std::min(least, support); }

    // Adds a row to a support, unless the last one was of the same person. Rows are sorted by person.
    void meet(int64_t& support, Code& last, int64_t row) const {
        Code person = rows_.person(row);
        if (person == NOBODY || person != last) support += rows_.first(row);
        last = person;
    }

    static int64_t persons_of(const RowsView& view) {
        std::vector<Code> several;
        for (int64_t r = 0; r < view.rows; ++r)
            if (view.person(r) != NOBODY) several.push_back(view.person(r));
        auto alone = view.rows - static_cast<int64_t>(several.size());
        std::sort(several.begin(), several.end());
        return alone + (std::unique(several.begin(), several.end()) - several.begin());
    }

    // Extends a prefix of `length` - 1 labels, up to `size`.
    void extend(Worker& worker, const OrderedPlace* from, const OrderedPlace* to, int length, int size, Pulse& pulse,
                double share) {
        pulse.beat(share);
        Level& level = worker.levels[length - 1];
        if (level.count.empty()) level.count.assign(rows_.labels(), 0);
        level.touched.clear();
        auto each = [&](const OrderedPlace* p, auto visit) {
            for (int64_t e = p->next; e < rows_.end(p->row); ++e) visit(rows_.item(e), e);
        };
        // Only labels in some row that is not done, and early enough for the labels that are still needed.
        for (const OrderedPlace* p = from; p != to; ++p)
            if (open_[p->row])
                for (int64_t e = p->next; e + (size - length) < rows_.end(p->row); ++e)
                    if (!level.count[rows_.item(e)]) {
                        level.count[rows_.item(e)] = static_cast<int64_t>(level.touched.size()) + 1;
                        level.touched.push_back(rows_.item(e));
                    }
        if (level.touched.empty()) return;
        level.start.assign(level.touched.size() + 1, 0);
        bool last = length == size;
        if (last) level.last.assign(level.touched.size() + 1, NOBODY);
        for (const OrderedPlace* p = from; p != to; ++p)
            each(p, [&](Code item, int64_t) {
                int64_t slot = level.count[item];
                if (!slot) return;
                if (last) meet(level.start[slot], level.last[slot], p->row);
                else ++level.start[slot];
            });
        if (last) {
            for (const OrderedPlace* p = from; p != to; ++p)
                if (open_[p->row])
                    each(p, [&](Code item, int64_t) { lower(worker.least[p->row], level.start[level.count[item]]); });
            for (Code item : level.touched) level.count[item] = 0;
            return;
        }
        std::partial_sum(level.start.begin(), level.start.end(), level.start.begin());
        level.places.resize(level.start.back());
        level.fill.assign(level.start.begin(), level.start.end() - 1);
        for (const OrderedPlace* p = from; p != to; ++p)
            each(p, [&](Code item, int64_t e) {
                if (int64_t slot = level.count[item]) level.places[level.fill[slot - 1]++] = {p->row, e + 1};
            });
        for (Code item : level.touched) level.count[item] = 0;
        for (size_t t = 0; t < level.touched.size(); ++t)
            extend(worker, level.places.data() + level.start[t], level.places.data() + level.start[t + 1], length + 1, size,
                   pulse, share);
    }

    static constexpr int64_t empty_[1] = {0};
    SupportOrder rows_;
    int64_t everybody_;
    std::vector<int64_t> least_;
    std::vector<uint8_t> open_;
    int64_t given_;
};

}  // namespace shoal
