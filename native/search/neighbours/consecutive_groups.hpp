// Splits rows into consecutive groups of k to 2k - 1 with the fewest flips that make the rows of each group equal (Sort APX
// Cover). A group of g rows costs min(c, g - c) for every item that c of the rows have.
//
// From each start, a group grows row by row, and its cost with it: an item in more than half of the rows costs one more for
// every row without it. Blocks of starts are measured in parallel and then relaxed in order. Time: (2k - 1) times the data.
// Memory: two numbers for each row, the items of each thread, and a block.
#pragma once

#include <limits>

#include "core/parallel.hpp"

namespace shoal {

// Used for one run.
class ConsecutiveGroups {
public:
    ConsecutiveGroups(RowsView view, Code labels, int64_t k) : view_(view), labels_(labels), k_(k) {}

    // Returns the least cost. The ends of the groups are in ends().
    int64_t run(int threads, const Tick& tick) {
        int64_t n = view_.rows;
        constexpr int64_t never = std::numeric_limits<int64_t>::max();
        std::vector<int64_t> best(n + 1, never), rows(n + 1, 0);  // up to each row: cost, rows of the last group
        best[0] = 0;
        int64_t block = std::clamp<int64_t>((int64_t{1} << 20) / k_, 1, n);
        threads = worker_count(threads, block);
        std::vector<Worker> workers(threads);
        for (Worker& worker : workers) worker.count.assign(labels_, 0);
        std::vector<int64_t> costs(block * std::min(k_, n - k_ + 1));
        double share = 0;
        std::chrono::steady_clock::time_point told;
        Tick overall = [&](double) { tick(share); };
        for (int64_t from = 0, to = 0; from <= n - k_; from = std::max(k_, to)) {  // no group starts at 1 .. k - 1
            to = from ? std::min(from + block, n - k_ + 1) : 1;
            int64_t some = std::max<int64_t>(1, 4096 / k_), tasks = (to - from + some - 1) / some;
            share = static_cast<double>(from) / static_cast<double>(n);
            auto now = std::chrono::steady_clock::now();
            if (now - told > std::chrono::milliseconds(50)) {
                told = now;
                tick(share);
            }
            auto busy = static_cast<int>(std::min<int64_t>(threads, tasks));
            parallel(tasks, busy, overall, [&](int w, int64_t task, Pulse& pulse) {
                for (int64_t s = from + task * some; s < std::min(to, from + (task + 1) * some); ++s)
                    grow(workers[w], s, costs.data() + (s - from) * longest(0), pulse);
            });
            for (int64_t s = from; s < to; ++s)
                for (int64_t more = 0; more < longest(s); ++more) {
                    int64_t cost = best[s] + costs[(s - from) * longest(0) + more], end = s + k_ + more;
                    if (cost > best[end]) continue;  // among equal ones the last is the shortest
                    best[end] = cost;
                    rows[end] = k_ + more;
                }
        }
        for (int64_t end = n; end > 0; end -= rows[end]) ends_.push_back(end);
        std::reverse(ends_.begin(), ends_.end());
        return best[n];
    }
    const std::vector<int64_t>& ends() const { return ends_; }

private:
    struct Worker {
        std::vector<int64_t> count;  // by item
        std::vector<int64_t> having;  // number of items in 0, 1, .. rows
    };

    // The number of sizes that a group starting at a row may have.
    int64_t longest(int64_t start) const { return std::min(k_, view_.rows - start - k_ + 1); }

    // Computes the costs of the groups of k, k + 1, .. rows from a start.
    void grow(Worker& worker, int64_t start, int64_t* costs, Pulse& pulse) const {
        int64_t rows = k_ - 1 + longest(start), cost = 0, most = labels_;  // most: items in at least half of the rows
        worker.having.assign(rows + 2, 0);
        worker.having[0] = labels_;
        for (int64_t g = 1; g <= rows; ++g) {
            pulse.beat(0);
            int64_t half = (g + 1) / 2;
            if (g % 2) most -= worker.having[half - 1];
            cost += most;  // the new row lacks them; those that it has are corrected below
            const Code *item = view_.begin(start + g - 1), *end = view_.end(start + g - 1);
            for (; item != end; ++item) {
                int64_t c = worker.count[*item]++;
                --worker.having[c];
                ++worker.having[c + 1];
                most += c + 1 == half;
                cost += 2 * c + 2 <= g ? 1 : 2 * c >= g ? -1 : 0;
            }
            if (g >= k_) costs[g - k_] = cost;
        }
        const Code* end = view_.end(start + rows - 1);
        for (const Code* item = view_.begin(start); item != end; ++item) worker.count[*item] = 0;
    }

    RowsView view_;
    Code labels_;
    int64_t k_;
    std::vector<int64_t> ends_;
};

}  // namespace shoal
