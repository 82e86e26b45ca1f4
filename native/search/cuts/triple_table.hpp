// The rare sets of three labels in rows, by a byte for each possible set. This is faster than depth-first counting if there are many
// rows of few labels: a row visits its sets by three nested loops, and nothing is copied.
//
// Counts stop at k. Each thread has its own table, and the tables are added up: the order of the rows does not matter.
#pragma once

#include "core/parallel.hpp"
#include "search/cut.hpp"

namespace shoal {

class TripleTable {
public:
    // `labels`: how many codes there are. Rows of persons who have several rows cannot be counted.
    TripleTable(const Rows& rows, Code labels, int64_t k, int threads) : rows_(rows), k_(k), rank_(labels, -1) {
        std::vector<int64_t> support(labels, 0);
        for (Code u : rows.items) ++support[u];
        for (Code u = 0; u < labels; ++u)
            if (support[u]) labels_.push_back(u);
        // Frequent labels first, so that the cells of frequent sets are close together.
        std::stable_sort(labels_.begin(), labels_.end(), [&](Code a, Code b) { return support[a] > support[b]; });
        for (size_t i = 0; i < labels_.size(); ++i) rank_[labels_[i]] = static_cast<Code>(i);
        auto chunks = (rows.size() + CHUNK - 1) / CHUNK;
        threads_ = worker_count(std::min<int64_t>(threads, MOST / std::max<int64_t>(1, cells())), chunks);
    }

    // Whether the table is small enough, and not much larger than what it counts.
    bool pays() const {
        if (!rows_.persons.empty() || k_ > UINT8_MAX || cells() > MOST) return false;
        int64_t sets = 0;
        for (int64_t r = 0; r < rows_.size() && sets * PAYS < cells(); ++r) sets += choose3(rows_.length(r));
        return sets * PAYS >= cells();
    }

    // Calls report(worker, set, support) for every set of three labels in 1..k-1 rows, from so many workers.
    template <class Report>
    void each_rare(int workers, const Tick& tick, Report report) const {
        std::vector<std::vector<uint8_t>> counts(threads_, std::vector<uint8_t>(cells(), 0));
        auto chunks = (rows_.size() + CHUNK - 1) / CHUNK;
        parallel(chunks, threads_, tick, [&](int w, int64_t chunk, Pulse& pulse) {
            std::vector<Code> row;
            for (int64_t r = chunk * CHUNK; r < std::min(rows_.size(), (chunk + 1) * CHUNK); ++r) count(r, row, counts[w], pulse);
        });
        auto n = static_cast<int64_t>(labels_.size());
        parallel(std::max<int64_t>(0, n - 2), workers, tick, [&](int w, int64_t task, Pulse& pulse) {
            int64_t c = task + 2, cell = choose3(c);
            for (int64_t b = 1; b < c; ++b) {
                pulse.beat(static_cast<double>(c) / static_cast<double>(n));
                for (int64_t a = 0; a < b; ++a, ++cell) {
                    int64_t found = 0;
                    for (const auto& some : counts) found += some[cell];
                    if (!found || found >= k_) continue;
                    Set set{labels_[a], labels_[b], labels_[c]};
                    std::sort(set.begin(), set.end());
                    report(w, std::move(set), found);
                }
            }
        });
    }

private:
    static constexpr int64_t MOST = int64_t{1} << 27;  // bytes of all tables
    static constexpr int64_t PAYS = 4;  // cells for each set in a row
    static constexpr int64_t CHUNK = 1024;  // rows of a task

    static int64_t choose3(int64_t n) { return n * (n - 1) * (n - 2) / 6; }  // also the first cell of sets up to label n
    int64_t cells() const { return choose3(static_cast<int64_t>(labels_.size())); }

    void count(int64_t r, std::vector<Code>& row, std::vector<uint8_t>& counts, Pulse& pulse) const {
        row.clear();
        for (const Code* u = rows_.begin(r); u != rows_.end(r); ++u) row.push_back(rank_[*u]);
        std::sort(row.begin(), row.end());
        int64_t weight = std::min(rows_.weight[r], k_);
        for (size_t c = 2; c < row.size(); ++c) {
            pulse.beat(static_cast<double>(r) / static_cast<double>(rows_.size()));
            for (size_t b = 1; b < c; ++b) {
                uint8_t* line = counts.data() + choose3(row[c]) + int64_t{row[b]} * (row[b] - 1) / 2;
                for (size_t a = 0; a < b; ++a) line[row[a]] = static_cast<uint8_t>(std::min(k_, line[row[a]] + weight));
            }
        }
    }

    const Rows& rows_;
    int64_t k_;
    std::vector<Code> rank_, labels_;  // by label; by rank
    int threads_ = 1;
};

}  // namespace shoal
