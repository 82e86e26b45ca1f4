// Exact nearest neighbours, assigned greedily: each seed in turn takes the nearest unused rows (Hamming distance of the item
// sets, then the lower row number). `deferred` rows are taken only after the others have run out.
//
// Equal rows that are equally deferred are one set. Sets are sorted by number of items and stored in chunks
// (overlap_index.hpp), which compute the key of each set: its distance minus the size of the seed. Chunks with sizes near
// that of the seed come first. As soon as no remaining size can be near enough, the search ends. In a chunk, blocks of keys
// that are all too high are skipped.
//
// Threads: lists of near rows are made for many seeds at a time, each somewhat longer than what the seed will take. Rows that
// other seeds take meanwhile only shorten a list; the remaining rows are still the nearest. A seed with too few rows left
// gets a new list. So neither the number of threads nor the number of lists changes the result. Memory: proportional to the
// data.
#pragma once

#include <deque>

#include "core/parallel.hpp"
#include "search/neighbours/overlap_index.hpp"

namespace shoal {

// Used for one run. Key: a signed type that can hold three times the size of the longest row.
template <class Key>
class NearestGroups {
public:
    NearestGroups(RowsView view, Code labels, const uint8_t* deferred, int64_t longest, Way way, const Tick& tick)
        : view_(view), deferred_(deferred), longest_(longest), way_(way), used_(view.rows, 0), set_of_(view.rows), tick_(tick),
          tick_in_time_([this](double) { tell(); }) {
        rank_items(labels);
        tell();
        merge();
        tell();
        build();
    }

    // Returns one group after the other: a seed and the `take` rows that it takes.
    std::vector<int64_t> run(const int64_t* seeds, int64_t count, int64_t take, int threads) {
        std::vector<int64_t> groups;
        threads = worker_count(threads, count);
        std::vector<Worker> workers(threads);
        reach_ = static_cast<size_t>(std::min(view_.rows, 2 * take + 16));
        auto widest = std::clamp<int64_t>((int64_t{1} << 22) / (2 * take + 16), 1, 512);
        int64_t next = 0, width = std::min<int64_t>(widest, 16 * int64_t{threads});
        std::deque<Waiting> window;
        for (unused_ = view_.rows;;) {
            for (; static_cast<int64_t>(window.size()) < width && next < count; ++next)
                if (!used_[seeds[next]]) window.push_back({seeds[next], {}});
            if (window.empty()) return groups;
            share_ = static_cast<double>(next - static_cast<int64_t>(window.size())) / static_cast<double>(count);
            tell();
            list(window, std::min<size_t>(width, window.size()), take, workers);
            int64_t done = 0;
            for (; !window.empty(); window.pop_front()) {
                const Waiting& first = window.front();
                if (used_[first.seed]) continue;
                if (unused_ <= take) return groups;
                if (left(first, take) < take) break;
                groups.push_back(first.seed);
                for (auto row = first.near.begin(); groups.size() % (take + 1); ++row)
                    if (!used_[*row]) groups.push_back(*row);
                for (auto row = groups.end() - (take + 1); row != groups.end(); ++row) use(*row);
                ++done;
            }
            width = std::clamp<int64_t>(2 * done, std::min<int64_t>(2 * int64_t{threads}, widest), widest);
            if (4 * live_ < 3 * indexed_) build();
        }
    }

private:
    static constexpr int64_t kBlock = OverlapIndex<Key>::kBlock;

    struct Part {
        bool deferred;
        int64_t shortest, longest;
        std::vector<int64_t> set;
        std::vector<int64_t> low;  // for each block of sets: no unused row has a lower number
        OverlapIndex<Key> chunk;
    };
    struct Waiting {
        int64_t seed;
        std::vector<int64_t> near;  // rows, the nearest first
    };
    struct Worker {
        std::vector<Key> key = std::vector<Key>(OverlapIndex<Key>::kMost);
        std::vector<Code> ranks;  // items of the seed
        std::vector<std::pair<int64_t, int64_t>> best;  // heap of (key, row), the worst on top
        std::vector<std::pair<int64_t, const Part*>> order;  // by the least key that they may contain
    };

    int64_t size(int64_t set) const { return view_.size(rows_[start_[set]]); }
    bool deferred(int64_t set) const { return deferred_[rows_[start_[set]]]; }

    // Reports progress and allows interruption, but not too often, and only in the calling thread.
    void tell() {
        auto now = std::chrono::steady_clock::now();
        if (now - told_ < std::chrono::milliseconds(50)) return;
        told_ = now;
        tick_(share_);
    }

    // Ranks items by falling support, so that frequent ones share words.
    void rank_items(Code labels) {
        std::vector<int64_t> support(labels, 0);
        for (int64_t e = 0; e < view_.indptr[view_.rows]; ++e) ++support[view_.items[e]];
        std::vector<Code> item(labels);
        std::iota(item.begin(), item.end(), 0);
        std::stable_sort(item.begin(), item.end(), [&](Code a, Code b) { return support[a] > support[b]; });
        rank_.resize(labels);
        for (Code r = 0; r < labels; ++r) {
            rank_[item[r]] = r;
            occurring_ += support[item[r]] > 0;
        }
    }

    // Merges equal rows that are equally deferred into a set. Its rows ascend.
    void merge() {
        struct Row {
            uint64_t hash;
            int64_t row;
        };
        std::vector<Row> rows(view_.rows);
        for (int64_t r = 0; r < view_.rows; ++r) {
            uint64_t hash = deferred_[r];
            for (const Code* item = view_.begin(r); item != view_.end(r); ++item) {
                hash = (hash ^ static_cast<uint64_t>(*item)) * 0x9e3779b97f4a7c15u;
                hash ^= hash >> 32;
            }
            rows[r] = {hash, r};
        }
        tell();
        auto compare = [&](int64_t a, int64_t b) {  // negative, 0 or positive, by the content of the rows
            if (deferred_[a] != deferred_[b]) return deferred_[a] < deferred_[b] ? -1 : 1;
            if (view_.size(a) != view_.size(b)) return view_.size(a) < view_.size(b) ? -1 : 1;
            auto [x, y] = std::mismatch(view_.begin(a), view_.end(a), view_.begin(b));
            return x == view_.end(a) ? 0 : *x < *y ? -1 : 1;
        };
        uint64_t compared = 0;
        std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
            if (!(++compared & 0xfffff)) tell();
            if (a.hash != b.hash) return a.hash < b.hash;
            int order = compare(a.row, b.row);
            return order ? order < 0 : a.row < b.row;
        });
        tell();
        for (int64_t r = 0; r < view_.rows; ++r) {
            if (!r || rows[r].hash != rows[r - 1].hash || compare(rows[r - 1].row, rows[r].row)) start_.push_back(r);
            rows_.push_back(rows[r].row);
            set_of_[rows[r].row] = static_cast<int64_t>(start_.size()) - 1;
        }
        head_ = start_;
        live_ = static_cast<int64_t>(start_.size());
        start_.push_back(view_.rows);
        where_.resize(live_);
    }

    // Builds parts of the sets that still have unused rows.
    void build() {
        struct Set {
            int64_t size, row, set;  // deferred ones are larger than any other
            bool operator<(const Set& other) const { return size != other.size ? size < other.size : row < other.row; }
        };
        std::vector<Set> sorted;
        for (int64_t set = 0; set < static_cast<int64_t>(head_.size()); ++set)
            if (head_[set] < start_[set + 1])
                sorted.push_back({size(set) + (deferred(set) ? longest_ + 1 : 0), rows_[head_[set]], set});
        tell();
        std::sort(sorted.begin(), sorted.end());
        tell();
        std::vector<int64_t> order;
        for (const Set& one : sorted) order.push_back(one.set);
        indexed_ = live_;
        parts_.clear();
        for (auto from = order.begin(), to = from; from != order.end(); from = to) {
            while (to != order.end() && to - from < OverlapIndex<Key>::kMost && deferred(*to) == deferred(*from)) ++to;
            std::vector<int64_t> first;
            for (auto set = from; set != to; ++set) first.push_back(rows_[start_[*set]]);
            OverlapIndex<Key> chunk(view_, first, rank_, occurring_, way_);
            parts_.push_back({deferred(*from), size(*from), size(to[-1]), {from, to}, {}, std::move(chunk)});
            Part& part = parts_.back();
            part.low.assign(part.chunk.blocks(), view_.rows);
            for (int64_t i = 0; i < part.chunk.sets(); ++i) {
                part.low[i / kBlock] = std::min(part.low[i / kBlock], rows_[head_[part.set[i]]]);
                where_[part.set[i]] = {static_cast<int64_t>(parts_.size()) - 1, i};
            }
            tell();
        }
    }

    // Marks a row as used. A set without unused rows is removed.
    void use(int64_t row) {
        used_[row] = 1;
        --unused_;
        int64_t set = set_of_[row];
        while (head_[set] < start_[set + 1] && used_[rows_[head_[set]]]) ++head_[set];
        auto [part, i] = where_[set];
        if (head_[set] == start_[set + 1] && parts_[part].chunk.drop(i)) --live_;
    }

    // Counts the rows of its list that a seed may still take, up to `take`.
    int64_t left(const Waiting& waiting, int64_t take) const {
        int64_t found = 0;
        for (auto row = waiting.near.begin(); row != waiting.near.end() && found < take; ++row) found += !used_[*row];
        return found;
    }

    // Makes new lists for those of the first seeds that need one.
    void list(std::deque<Waiting>& window, size_t first, int64_t take, std::vector<Worker>& workers) {
        std::vector<Waiting*> wanted;
        for (size_t w = 0; w < first; ++w)
            if (!used_[window[w].seed] && left(window[w], take) < take) wanted.push_back(&window[w]);
        auto tasks = static_cast<int64_t>(wanted.size());
        bool small = tasks * indexed_ < 1 << 18;  // too small for threads
        auto threads = small ? 1 : std::min<int64_t>(tasks, static_cast<int64_t>(workers.size()));
        parallel(tasks, static_cast<int>(threads), tick_in_time_,
                 [&](int w, int64_t task, Pulse& pulse) { nearest(workers[w], *wanted[task], pulse); });
    }

    // Finds the unused rows nearest to a seed.
    void nearest(Worker& worker, Waiting& waiting, Pulse& pulse) const {
        worker.best.clear();
        worker.order.clear();
        worker.ranks.clear();
        int64_t size = view_.size(waiting.seed);
        for (const Code* item = view_.begin(waiting.seed); item != view_.end(waiting.seed); ++item)
            worker.ranks.push_back(rank_[*item]);
        std::sort(worker.ranks.begin(), worker.ranks.end());
        for (const Part& part : parts_) {
            int64_t least = std::max<int64_t>({0, part.shortest - size, size - part.longest}) - size;
            worker.order.push_back({least + behind(part), &part});
        }
        std::sort(worker.order.begin(), worker.order.end());
        for (const auto& [least, part] : worker.order) {
            if (worker.best.size() == reach_ && least > worker.best.front().first) break;
            int64_t steps = part->chunk.measure(worker.ranks, worker.key.data());
            for (; steps >= 0; steps -= OverlapIndex<Key>::kMost) pulse.beat(0);
            pick(worker, *part, waiting.seed);
        }
        std::sort_heap(worker.best.begin(), worker.best.end());
        waiting.near.clear();
        for (const auto& [key, row] : worker.best) waiting.near.push_back(row);
    }
    // The offset of the keys of deferred sets: more than any two others differ by.
    int64_t behind(const Part& part) const { return part.deferred ? 4 * longest_ + 1 : 0; }

    // Adds the rows of a part that are among the nearest, by the keys of its sets.
    void pick(Worker& worker, const Part& part, int64_t seed) const {
        auto& best = worker.best;
        auto full = [&] { return best.size() == reach_; };
        auto limit = [&](int64_t low) {  // the highest key of interest if no row is below `low`
            if (!full()) return static_cast<Key>(longest_);
            auto [key, row] = best.front();
            return static_cast<Key>(std::clamp(key - behind(part) - (low >= row), -longest_ - 1, longest_));
        };
        for (size_t block = 0; block < part.low.size(); ++block) {
            const Key* key = worker.key.data() + block * kBlock;
            Key most = limit(part.low[block]);
            Key any = 0;
            for (int64_t i = 0; i < kBlock; ++i) any |= static_cast<Key>(key[i] <= most);
            if (!any) continue;
            for (int64_t i = 0; i < kBlock; ++i) {
                if (key[i] > most) continue;
                int64_t set = part.set[block * kBlock + i];
                for (int64_t at = head_[set]; at < start_[set + 1]; ++at) {
                    std::pair<int64_t, int64_t> one{key[i] + behind(part), rows_[at]};
                    if (full() && one > best.front()) break;
                    if (used_[one.second] || one.second == seed) continue;
                    if (full()) {
                        std::pop_heap(best.begin(), best.end());
                        best.pop_back();
                    }
                    best.push_back(one);
                    std::push_heap(best.begin(), best.end());
                }
                most = limit(part.low[block]);
            }
        }
    }

    RowsView view_;
    const uint8_t* deferred_;
    int64_t longest_;
    Way way_;
    std::vector<Code> rank_;  // by item
    int64_t occurring_ = 0;
    std::vector<int64_t> rows_, start_, head_;  // rows by set; of each set: the start of its rows, and the first unused one
    std::vector<char> used_;
    std::vector<int64_t> set_of_;  // by row
    std::vector<std::pair<int64_t, int64_t>> where_;  // by set: part, and place in it
    std::vector<Part> parts_;
    int64_t live_ = 0, indexed_ = 0, unused_ = 0;  // sets with unused rows, sets in parts, rows
    size_t reach_ = 0;  // length of a list
    const Tick& tick_;
    Tick tick_in_time_;
    double share_ = 0;
    std::chrono::steady_clock::time_point told_;
};

// Returns each seed that forms a group, followed by the rows that it takes.
inline std::vector<int64_t> nearest_groups(RowsView view, Code labels, const int64_t* seeds, int64_t count,
                                           const uint8_t* deferred, int64_t take, Way way, int threads, const Tick& tick) {
    int64_t longest = 0;
    for (int64_t r = 0; r < view.rows; ++r) longest = std::max(longest, view.size(r));
    auto with = [&](auto key) {
        return NearestGroups<decltype(key)>(view, labels, deferred, longest, way, tick).run(seeds, count, take, threads);
    };
    if (longest <= 40) return with(int8_t{});
    if (longest <= 10000) return with(int16_t{});
    return with(int32_t{});
}

}  // namespace shoal
