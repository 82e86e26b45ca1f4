// Clusters of rows that are close together. Each seed in turn takes the unused rows that cost least with it, until there are
// k persons. Each remaining row then joins the cluster that costs least with it.
//
// The unused rows are stored in columns, which are rebuilt when a quarter of them is used. For each seed, an attribute adds
// its costs to those of a block of rows: by a table of the cost of each code with the seed or, if that would be long, from
// positions. A heap keeps the best. Rows come in ascending order, so later ones with an equal cost are not better.
//
// Threads: as in nearest_groups.hpp, lists for several seeds are made at a time, longer than what a seed takes. Rows that
// others take meanwhile only shorten a list; the remaining rows are still the nearest. A list with too few persons is made
// again, twice as long. Memory: proportional to the data.
#pragma once

#include <deque>

#include "core/parallel.hpp"
#include "search/clusters/scale.hpp"

namespace shoal {

class Former {
public:
    // Persons: by row, as in RowsView; null: nobody has several rows.
    Former(std::vector<const Code*> codes, const Code* persons, int64_t rows, const std::vector<Scale>& scales, const Tick& tick)
        : codes_(std::move(codes)), view_{nullptr, nullptr, rows, persons}, rows_(rows), scales_(scales), cluster_(rows, -1),
          slot_(rows), tick_(tick), tick_in_time_([this](double) { tell(); }) {
        for (int64_t row = 0; row < rows; ++row) {
            Code person = view_.person(row);
            if (person >= static_cast<Code>(rows_left_.size())) rows_left_.resize(person + 1, 0);
            unused_persons_ += person == NOBODY || !rows_left_[person]++;
        }
        seen_.assign(rows_left_.size(), 0);
        build();
    }

    // Returns the cluster of each row. There are at least k persons; `order` has all rows.
    std::vector<int64_t> run(const int64_t* order, int64_t k, int threads) {
        threads = worker_count(threads, rows_ / k);
        std::vector<Worker> workers(threads);
        int64_t each = (rows_ + unused_persons_ - 1) / unused_persons_;  // rows of a person
        auto reach = static_cast<size_t>(std::min(rows_, each * (threads == 1 ? k - 1 : 2 * k + 16)));
        auto width = static_cast<size_t>(threads == 1 ? 1 : 4 * threads);
        std::deque<Waiting> window;
        std::vector<int64_t> members;
        int64_t clusters = 0;
        for (int64_t next = 0; unused_persons_ >= k;) {
            for (; window.size() < width && next < rows_; ++next)
                if (cluster_[order[next]] < 0) window.push_back({order[next], reach, {}});
            share_ = 1 - static_cast<double>(unused_) / static_cast<double>(rows_);
            tell();
            list(window, k, workers);
            for (; !window.empty(); window.pop_front()) {
                const Waiting& first = window.front();
                if (cluster_[first.seed] >= 0) continue;
                if (unused_persons_ < k || !gather(first, k, members)) break;
                for (int64_t row : members) use(row, clusters);
                ++clusters;
            }
            if (4 * unused_ < 3 * slots()) build();
        }
        join(clusters);
        return cluster_;
    }

private:
    static constexpr int64_t kBlock = 512;
    static constexpr Code kTable = 512;  // longer tables do not stay in the innermost cache
    static constexpr int64_t kGone = int64_t{1} << 62;

    // An attribute of the unused rows: codes to look up in a table, or positions.
    struct Column {
        bool by_position;
        std::vector<Code> code;
        std::vector<int64_t> position;
    };
    struct Waiting {
        int64_t seed;
        size_t reach;  // length of its list
        std::vector<int64_t> near;  // rows, the nearest first
    };
    struct Worker {
        std::vector<int64_t> cost = std::vector<int64_t>(kBlock);
        std::vector<std::vector<int64_t>> table;  // by attribute
        std::vector<std::pair<int64_t, int64_t>> best;  // heap of (cost, row), the worst on top
    };

    int64_t slots() const { return static_cast<int64_t>(row_.size()); }

    // Reports progress and allows interruption, but not too often, and only in the calling thread.
    void tell() {
        auto now = std::chrono::steady_clock::now();
        if (now - told_ < std::chrono::milliseconds(50)) return;
        told_ = now;
        tick_(share_);
    }

    // Builds the columns of the unused rows.
    void build() {
        row_.clear();
        for (int64_t row = 0; row < rows_; ++row) {
            if (cluster_[row] >= 0) continue;
            slot_[row] = slots();
            row_.push_back(row);
        }
        unused_ = slots();
        gone_.assign(row_.size(), 0);
        columns_.resize(scales_.size());
        for (size_t a = 0; a < scales_.size(); ++a) {
            Column& column = columns_[a];
            column.by_position = scales_[a].along() && scales_[a].codes() > kTable;
            column.code.clear();
            column.position.clear();
            for (int64_t row : row_) {
                if (column.by_position) column.position.push_back(scales_[a].position(codes_[a][row]));
                if (!column.by_position || scales_[a].missing() >= 0) column.code.push_back(codes_[a][row]);
            }
        }
    }

    void use(int64_t row, int64_t cluster) {
        cluster_[row] = cluster;
        gone_[slot_[row]] = kGone;
        --unused_;
        Code person = view_.person(row);
        unused_persons_ -= person == NOBODY || !--rows_left_[person];
    }

    // Finds the rows of its list that a seed takes: unused ones, until there are k persons. Returns false if there are fewer.
    bool gather(const Waiting& waiting, int64_t k, std::vector<int64_t>& members) {
        members.clear();
        ++looks_;
        int64_t persons = 0;
        auto add = [&](int64_t row) {
            members.push_back(row);
            Code person = view_.person(row);
            persons += person == NOBODY || seen_[person] != looks_;
            if (person != NOBODY) seen_[person] = looks_;
        };
        add(waiting.seed);
        for (auto row = waiting.near.begin(); row != waiting.near.end() && persons < k; ++row)
            if (cluster_[*row] < 0) add(*row);
        return persons == k;
    }

    // Makes new lists for the seeds that need one.
    void list(std::deque<Waiting>& window, int64_t k, std::vector<Worker>& workers) {
        std::vector<Waiting*> wanted;
        std::vector<int64_t> members;
        for (Waiting& waiting : window) {
            if (cluster_[waiting.seed] >= 0 || gather(waiting, k, members)) continue;
            if (view_.persons && !waiting.near.empty()) waiting.reach = std::min(2 * waiting.reach, static_cast<size_t>(rows_));
            wanted.push_back(&waiting);
        }
        auto tasks = static_cast<int64_t>(wanted.size());
        bool small = tasks * slots() < 1 << 17;  // too small for threads
        auto threads = small ? 1 : std::min<int64_t>(tasks, static_cast<int64_t>(workers.size()));
        parallel(tasks, static_cast<int>(threads), tick_in_time_,
                 [&](int w, int64_t task, Pulse& pulse) { nearest(workers[w], *wanted[task], pulse); });
    }

    // Finds the unused rows nearest to a seed.
    void nearest(Worker& worker, Waiting& waiting, Pulse& pulse) const {
        worker.table.resize(scales_.size());
        for (size_t a = 0; a < scales_.size(); ++a)
            if (!columns_[a].by_position) scales_[a].against(codes_[a][waiting.seed], worker.table[a]);
        auto& best = worker.best;
        best.clear();
        int64_t worst = kGone;
        for (int64_t from = 0; from < slots(); from += kBlock) {
            pulse.beat(0);
            int64_t count = std::min(kBlock, slots() - from);
            std::copy_n(gone_.data() + from, count, worker.cost.data());
            for (size_t a = 0; a < scales_.size(); ++a) add(a, from, count, waiting.seed, worker);
            for (int64_t i = 0; i < count; ++i) {
                if (worker.cost[i] >= worst || row_[from + i] == waiting.seed) continue;
                if (best.size() == waiting.reach) {
                    std::pop_heap(best.begin(), best.end());
                    best.pop_back();
                }
                best.push_back({worker.cost[i], row_[from + i]});
                std::push_heap(best.begin(), best.end());
                if (best.size() == waiting.reach) worst = best.front().first;
            }
        }
        std::sort_heap(best.begin(), best.end());
        waiting.near.clear();
        for (const auto& [cost, row] : best) waiting.near.push_back(row);
    }

    // Adds the cost of an attribute for a block of rows, each with the seed.
    void add(size_t a, int64_t from, int64_t count, int64_t seed, Worker& worker) const {
        const Column& column = columns_[a];
        const Scale& scale = scales_[a];
        int64_t* cost = worker.cost.data();
        const Code* code = column.code.data() + from;
        const int64_t* position = column.position.data() + from;
        if (!column.by_position) {
            const int64_t* table = worker.table[a].data();
            for (int64_t i = 0; i < count; ++i) cost[i] += table[code[i]];
            return;
        }
        Code own = codes_[a][seed], missing = scale.missing();
        int64_t at = scale.position(own), whole = scale.whole();
        if (missing < 0) {
            for (int64_t i = 0; i < count; ++i) cost[i] += std::abs(position[i] - at);
        } else if (own == missing) {
            for (int64_t i = 0; i < count; ++i) cost[i] += code[i] == missing ? 0 : whole;
        } else {
            for (int64_t i = 0; i < count; ++i) cost[i] += code[i] == missing ? whole : std::abs(position[i] - at);
        }
    }

    // Adds each remaining row to the cluster that costs least with it.
    void join(int64_t clusters) {
        std::vector<Extents> extents;
        for (const Scale& scale : scales_) extents.emplace_back(scale, clusters);
        auto grow = [&](int64_t row) {
            for (size_t a = 0; a < extents.size(); ++a) extents[a].add(cluster_[row], codes_[a][row]);
        };
        for (int64_t row = 0; row < rows_; ++row)
            if (cluster_[row] >= 0) grow(row);
        for (int64_t row = 0; row < rows_; ++row) {
            if (cluster_[row] >= 0) continue;
            tell();
            int64_t least = std::numeric_limits<int64_t>::max();
            for (int64_t c = 0; c < clusters; ++c) {
                int64_t cost = 0;
                for (size_t a = 0; a < extents.size(); ++a) cost += extents[a].cost_with(scales_[a], c, codes_[a][row]);
                if (cost >= least) continue;
                least = cost;
                cluster_[row] = c;
            }
            grow(row);
        }
    }

    std::vector<const Code*> codes_;  // by attribute
    RowsView view_;  // persons only
    int64_t rows_;
    const std::vector<Scale>& scales_;
    std::vector<int64_t> cluster_;  // by row; -1: unused
    std::vector<int64_t> slot_, row_;  // place of a row in the columns; row at a place
    std::vector<int64_t> gone_;  // by slot: what to add to its costs, which excludes used rows
    std::vector<Column> columns_;
    int64_t unused_ = 0, unused_persons_ = 0;
    std::vector<int64_t> rows_left_;  // by person: unused rows
    std::vector<int64_t> seen_;  // by person: the last check that counted it
    int64_t looks_ = 0;
    const Tick& tick_;
    Tick tick_in_time_;
    double share_ = 0;
    std::chrono::steady_clock::time_point told_;
};

}  // namespace shoal
