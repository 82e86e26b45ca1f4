// Merges clusters two at a time, and finds the best partner of a cluster: by the cost of the union (column_norm.hpp), by the
// distance of its item sets (cluster_diameter.hpp), or by the sum of both ranks, if the total cost stays within a limit.
//
// Living clusters are stored in columns, by ascending number. The columns are rebuilt when a quarter of them is dead. The
// costs of unions with one cluster are computed for all others at once. For the sum of ranks, only the first few by either
// are sorted, and more of them only until no other can be better. Memory: proportional to the data.
#pragma once

#include <set>

#include "core/parallel.hpp"
#include "search/clusters/cluster_diameter.hpp"
#include "search/clusters/column_norm.hpp"
#include "search/clusters/scale.hpp"

namespace shoal {

class Merging {
public:
    enum class How { cost, distance, both };

    // codes: by attribute, of each row; cluster_of: 0, 1, .. Without a norm, a cluster costs its number of rows.
    Merging(const std::vector<const Code*>& codes, std::vector<Scale> scales, RowsView view, Code labels,
            const int64_t* cluster_of, ColumnNorm norm, int threads)
        : size_(sizes(cluster_of, view.rows)), scales_(std::move(scales)), norm_(std::move(norm)), threads_(threads),
          own_(size_.size()), into_(size_.size()), slot_(size_.size()), alive_(static_cast<int64_t>(size_.size())),
          diameters_(view, labels, cluster_of, alive_) {
        for (size_t a = 0; a < scales_.size(); ++a) {
            extents_.emplace_back(scales_[a], initial());
            for (int64_t row = 0; row < view.rows; ++row) extents_[a].add(cluster_of[row], codes[a][row]);
        }
        std::iota(into_.begin(), into_.end(), 0);
        for (int64_t c = 0; c < initial(); ++c) {
            own_[c] = cost(c);
            total_ += size_[c] * own_[c];
            waiting_.insert({own_[c], c});
        }
        build();
    }

    int64_t total() const { return total_; }
    int64_t alive() const { return alive_; }
    int64_t seed() const { return waiting_.empty() ? -1 : waiting_.begin()->second; }
    void set_aside(int64_t c) { waiting_.erase({own_[check(c)], c}); }

    // The costs of unions with c, by initial number; -1 for all others.
    std::vector<int64_t> costs_with(int64_t c) {
        measure(check(c));
        return by_number<int64_t>(c, [&](int64_t slot) { return cost_[slot]; });
    }
    // The totals after merging, in the same way.
    std::vector<int64_t> totals_with(int64_t c) {
        measure(check(c));
        return by_number<int64_t>(c, [&](int64_t slot) { return total_with(c, slot); });
    }
    // The distances within the unions, in the same way.
    std::vector<double> distances_with(int64_t c) {
        spread(check(c));
        return by_number<double>(c, [&](int64_t slot) { return distance_[slot]; });
    }

    // The best partner of a cluster, or -1.
    int64_t nearest(int64_t c, How how, int64_t limit) {
        measure(check(c));
        int64_t slot = -1;
        if (how == How::cost) slot = cheapest(c, limit);
        if (how == How::distance) slot = closest(c, limit);
        if (how == How::both) slot = balanced(c, limit);
        return slot < 0 ? -1 : number_[slot];
    }

    void merge(int64_t c, int64_t p) {
        if (check(c) == check(p)) throw std::invalid_argument("a cluster cannot be merged with itself");
        if (c > p) std::swap(c, p);
        set_aside(c);
        set_aside(p);
        total_ -= size_[c] * own_[c] + size_[p] * own_[p];
        for (Extents& extents : extents_) extents.merge(c, p);
        size_[c] += size_[p];
        own_[c] = cost(c);
        total_ += size_[c] * own_[c];
        waiting_.insert({own_[c], c});
        into_[p] = c;
        diameters_.merge(c, p);
        living_[slot_[p]] = 0;
        fill(c);
        --alive_;
        if (4 * alive_ < 3 * slots()) build();
    }

    // The current cluster of each initial cluster.
    std::vector<int64_t> result() const {
        std::vector<int64_t> now(into_);
        for (int64_t c = 0; c < initial(); ++c) now[c] = now[now[c]];  // a cluster only becomes part of a lower number
        return now;
    }

private:
    static constexpr int64_t kChunk = 1024;  // number of clusters that a thread compares at a time
    static constexpr int64_t kThreads = 8 * kChunk;  // with fewer clusters, threads do not pay
    static constexpr int64_t kFirst = 128;  // number of clusters that are sorted at first

    // An attribute of the living clusters: the ends as codes to look up or, along a line, as positions; or a bit for each
    // value.
    struct Column {
        std::vector<Code> lo, hi;
        std::vector<int64_t> from, to;
        std::vector<uint64_t> bits;
    };
    using Ranked = std::vector<std::pair<int64_t, int64_t>>;  // key, slot

    static std::vector<int64_t> sizes(const int64_t* cluster_of, int64_t rows) {
        std::vector<int64_t> counts;
        for (int64_t row = 0; row < rows; ++row) {
            if (cluster_of[row] >= static_cast<int64_t>(counts.size())) counts.resize(cluster_of[row] + 1, 0);
            ++counts[cluster_of[row]];
        }
        return counts;
    }
    int64_t initial() const { return static_cast<int64_t>(into_.size()); }
    int64_t slots() const { return static_cast<int64_t>(number_.size()); }

    // Returns the cluster itself if it is alive.
    int64_t check(int64_t c) const {
        if (c < 0 || c >= initial() || into_[c] != c) throw std::invalid_argument("no such cluster, or it was merged");
        return c;
    }

    int64_t cost(int64_t c) const {
        if (norm_.by_size()) return size_[c];
        int64_t sum = 0;
        for (size_t a = 0; a < scales_.size(); ++a) sum = norm_.with(sum, a, extents_[a].cost(scales_[a], c));
        return norm_.of(sum);
    }

    // Builds the columns of the living clusters.
    void build() {
        number_.clear();
        for (int64_t c = 0; c < initial(); ++c) {
            if (into_[c] != c) continue;
            slot_[c] = slots();
            number_.push_back(c);
        }
        living_.assign(number_.size(), 1);
        slot_size_.resize(number_.size());
        slot_share_.resize(number_.size());
        columns_.resize(scales_.size());
        for (size_t a = 0; a < scales_.size(); ++a) {
            columns_[a].lo.resize(number_.size());
            columns_[a].hi.resize(number_.size());
            columns_[a].from.resize(scales_[a].along() ? number_.size() : 0);
            columns_[a].to.resize(scales_[a].along() ? number_.size() : 0);
            columns_[a].bits.resize(scales_[a].words() * number_.size());
        }
        for (int64_t c : number_) fill(c);
    }
    void fill(int64_t c) {
        int64_t slot = slot_[c];
        slot_size_[slot] = size_[c];
        slot_share_[slot] = size_[c] * own_[c];
        for (size_t a = 0; a < scales_.size(); ++a) {
            columns_[a].lo[slot] = extents_[a].lo(c);
            columns_[a].hi[slot] = extents_[a].hi(c);
            std::copy_n(extents_[a].bits(c), scales_[a].words(), columns_[a].bits.begin() + slot * scales_[a].words());
            if (!scales_[a].along()) continue;
            columns_[a].from[slot] = scales_[a].position(extents_[a].lo(c));
            columns_[a].to[slot] = scales_[a].position(extents_[a].hi(c));
        }
    }

    // Computes the costs of unions with c, by slot.
    void measure(int64_t c) {
        if (norm_.by_size()) {
            cost_ = slot_size_;
            for (int64_t& one : cost_) one += size_[c];
            return;
        }
        cost_.assign(number_.size(), 0);
        if (norm_.is_sum()) {
            for (size_t a = 0; a < scales_.size(); ++a) add(a, c);
            return;
        }
        sum_.assign(number_.size(), 0);
        for (size_t a = 0; a < scales_.size(); ++a) {
            add(a, c);
            for (int64_t i = 0; i < slots(); ++i) sum_[i] = norm_.with(sum_[i], a, cost_[i]);
            cost_.assign(number_.size(), 0);
        }
        for (int64_t i = 0; i < slots(); ++i) cost_[i] = norm_.of(sum_[i]);
    }
    // Adds the costs of unions with c in one attribute, by slot.
    void add(size_t a, int64_t c) {
        const Scale& scale = scales_[a];
        const Column& column = columns_[a];
        Code lo = extents_[a].lo(c), hi = extents_[a].hi(c), missing = scale.missing();
        int64_t count = slots(), whole = scale.whole();
        if (scale.by_number()) {
            const uint64_t *own = extents_[a].bits(c), *other = column.bits.data();
            for (int64_t i = 0; i < count; ++i, other += scale.words()) cost_[i] += scale.cost(own, other);
        } else if (!scale.along()) {
            scale.spread(lo, hi, table_);
            int64_t own = scale.cost(lo, hi);
            for (int64_t i = 0; i < count; ++i) cost_[i] += std::max(own, std::max(table_[column.lo[i]], table_[column.hi[i]]));
        } else if (missing >= 0 && hi == missing) {
            for (int64_t i = 0; i < count; ++i) cost_[i] += lo == missing && column.lo[i] == missing ? 0 : whole;
        } else {
            int64_t from = scale.position(lo), to = scale.position(hi);
            for (int64_t i = 0; i < count; ++i) {
                int64_t wide = std::max(to, column.to[i]) - std::min(from, column.from[i]);
                cost_[i] += missing >= 0 && column.hi[i] == missing ? whole : wide;
            }
        }
    }

    int64_t total_with(int64_t c, int64_t slot) const {
        return total_ - size_[c] * own_[c] - slot_share_[slot] + (size_[c] + slot_size_[slot]) * cost_[slot];
    }
    bool partner(int64_t c, int64_t slot) const { return living_[slot] && number_[slot] != c; }

    // Computes the distances of the items of unions with c, by slot.
    void spread(int64_t c) {
        distance_.resize(number_.size());
        diameters_.mark(c);
        auto compare = [&](int64_t from, int64_t to) {
            for (int64_t slot = from; slot < to; ++slot)
                if (living_[slot]) distance_[slot] = diameters_.together(c, number_[slot]);
        };
        if (threads_ == 1 || alive_ < kThreads) {
            compare(0, slots());
        } else {
            int64_t chunks = (slots() + kChunk - 1) / kChunk;
            parallel(
                chunks, worker_count(threads_, chunks), [](double) {},
                [&](int, int64_t chunk, Pulse&) { compare(chunk * kChunk, std::min(slots(), (chunk + 1) * kChunk)); });
        }
        diameters_.unmark(c);
    }

    template <class T, class Value>
    std::vector<T> by_number(int64_t c, Value value) const {
        std::vector<T> values(into_.size(), -1);
        for (int64_t slot = 0; slot < slots(); ++slot)
            if (partner(c, slot)) values[number_[slot]] = value(slot);
        return values;
    }

    int64_t cheapest(int64_t c, int64_t limit) const {
        int64_t best = -1;
        for (int64_t slot = 0; slot < slots(); ++slot)
            if ((best < 0 || cost_[slot] < cost_[best]) && partner(c, slot)) best = slot;
        return best < 0 || total_with(c, best) > limit ? -1 : best;
    }

    int64_t closest(int64_t c, int64_t limit) {
        int64_t best = -1;
        double least = std::numeric_limits<double>::max();
        diameters_.mark(c);
        for (int64_t slot = 0; slot < slots() && least > diameters_.own(c); ++slot) {
            if (!partner(c, slot) || diameters_.own(number_[slot]) >= least || total_with(c, slot) > limit) continue;
            double distance = diameters_.together(c, number_[slot], least);
            if (distance >= least) continue;
            least = distance;
            best = slot;
        }
        diameters_.unmark(c);
        return best;
    }

    int64_t balanced(int64_t c, int64_t limit) {
        bool any = false;
        for (int64_t slot = 0; slot < slots() && !any; ++slot) any = partner(c, slot) && total_with(c, slot) <= limit;
        if (!any) return -1;
        spread(c);
        Ranked by_cost, by_distance;
        for (int64_t slot = 0; slot < slots(); ++slot) {
            if (!partner(c, slot)) continue;
            int64_t bits;  // distances are not negative, so their bits have the same order
            std::memcpy(&bits, &distance_[slot], sizeof bits);
            by_cost.push_back({cost_[slot], slot});
            by_distance.push_back({bits, slot});
        }
        auto all = static_cast<int64_t>(by_cost.size());
        std::vector<int64_t> rank(number_.size(), all);
        std::pair<int64_t, int64_t> least{2 * all, 0};
        int64_t best = -1;
        for (int64_t known = 0, more = kFirst; least.first >= known && known < all; more *= 4) {
            int64_t to = std::min(all, known + more);
            order(by_cost, known, to);
            order(by_distance, known, to);
            for (int64_t u = known; u < to; ++u) rank[by_cost[u].second] = u;
            known = to;
            for (int64_t v = 0; v < known && v <= least.first; ++v) {
                int64_t slot = by_distance[v].second;
                std::pair<int64_t, int64_t> sum{rank[slot] + v, rank[slot]};
                if (rank[slot] == all || sum >= least || total_with(c, slot) > limit) continue;
                least = sum;
                best = slot;
            }
        }
        return best;
    }
    // Sorts the entries from one place to another; those before are sorted already.
    static void order(Ranked& ranked, int64_t from, int64_t to) {
        if (to < static_cast<int64_t>(ranked.size())) std::nth_element(ranked.begin() + from, ranked.begin() + to, ranked.end());
        std::sort(ranked.begin() + from, ranked.begin() + to);
    }

    std::vector<int64_t> size_;  // by number, as own_, into_ and slot_
    std::vector<Scale> scales_;
    std::vector<Extents> extents_;  // by attribute
    ColumnNorm norm_;
    int threads_;
    std::vector<int64_t> own_, into_, slot_;  // cost of a cluster, the one it became part of or itself, its place
    int64_t total_ = 0, alive_;
    ClusterDiameters diameters_;
    std::set<std::pair<int64_t, int64_t>> waiting_;  // (cost, number) of those that are not set aside
    std::vector<int64_t> number_;  // by slot, as all below except table_
    std::vector<char> living_;
    std::vector<int64_t> slot_size_, slot_share_;  // rows, and their part of the total
    std::vector<Column> columns_;
    std::vector<int64_t> cost_, sum_, table_;  // of the latest cluster that was measured
    std::vector<double> distance_;
};

}  // namespace shoal
