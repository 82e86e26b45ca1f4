// The distance of the item sets of clusters: the largest distance of any two (BTD in Poulis et al. 2013).
//
// Two sets of s items together, c of which are in both, have the distance (s - 2c + 1)(s - c) / (c + 1): it grows with s,
// falls with c, and is at most s(s + 1). The different sets of a cluster are sorted by falling size, so a walk along pairs
// ends when no remaining size can beat the best one, usually after the first pair. A set that is too small to beat the
// distance of its own cluster, even with the largest set of all, is dropped. Memory: proportional to the data.
#pragma once

#include <utility>

#include "core/rows.hpp"

namespace shoal {

class ClusterDiameters {
public:
    ClusterDiameters(RowsView view, Code labels, const int64_t* cluster_of, int64_t clusters)
        : mark_(labels, 0), sets_(clusters), own_(clusters, 0.0) {
        std::vector<int64_t> order(view.rows);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            if (view.size(a) != view.size(b)) return view.size(a) > view.size(b);
            return std::lexicographical_compare(view.begin(a), view.end(a), view.begin(b), view.end(b));
        });
        for (int64_t r : order) {
            auto last = static_cast<int64_t>(start_.size()) - 2;
            if (last < 0 || !std::equal(view.begin(r), view.end(r), begin(last), end(last))) {
                items_.insert(items_.end(), view.begin(r), view.end(r));
                start_.push_back(static_cast<int64_t>(items_.size()));
            }
            auto set = static_cast<Code>(start_.size() - 2);
            std::vector<Code>& sets = sets_[cluster_of[r]];
            if (sets.empty() || sets.back() != set) sets.push_back(set);
        }
        for (int64_t c = 0; c < clusters; ++c) {
            if (sets_[c].empty()) continue;
            int64_t most = size(sets_[c][0]);
            own_[c] = distance(2 * most, most);
            mark(c);
            own_[c] = farthest(c, c);
            unmark(c);
            trim(c);
        }
    }

    double own(int64_t c) const { return own_[c]; }

    // The distance within the union of two clusters, the first of which is marked; or, sooner, one that is `enough`.
    double together(int64_t c, int64_t p, double enough = kNever) const { return farthest(c, p, enough); }

    // Adds the second cluster to the first.
    void merge(int64_t c, int64_t p) {
        mark(c);
        own_[c] = farthest(c, p);
        unmark(c);
        std::vector<Code> both;
        both.reserve(sets_[c].size() + sets_[p].size());
        std::set_union(sets_[c].begin(), sets_[c].end(), sets_[p].begin(), sets_[p].end(), std::back_inserter(both));
        sets_[c] = std::move(both);
        sets_[p] = {};
        trim(c);
    }

    // Called before and after a cluster is compared with others: marks for each item which of its largest sets contain it.
    void mark(int64_t c) {
        for (size_t i = 0; i < std::min(kMarked, sets_[c].size()); ++i) {
            Code set = sets_[c][i];
            for (const Code* item = begin(set); item != end(set); ++item) mark_[*item] |= uint64_t{1} << i;
        }
    }
    void unmark(int64_t c) {
        for (size_t i = 0; i < std::min(kMarked, sets_[c].size()); ++i)
            for (const Code* item = begin(sets_[c][i]); item != end(sets_[c][i]); ++item) mark_[*item] = 0;
    }

private:
    static constexpr size_t kMarked = 64;
    static constexpr double kNever = 1e300;

    const Code* begin(int64_t set) const { return items_.data() + start_[set]; }
    const Code* end(int64_t set) const { return items_.data() + start_[set + 1]; }
    int64_t size(int64_t set) const { return start_[set + 1] - start_[set]; }

    static double distance(int64_t both, int64_t common) {
        return static_cast<double>((both - 2 * common + 1) * (both - common)) / static_cast<double>(common + 1);
    }
    static double bound(int64_t both) { return distance(both, 0); }

    double farthest(int64_t c, int64_t p, double enough = kNever) const {
        double best = std::max(own_[c], own_[p]);
        const std::vector<Code>&a = sets_[c], &b = sets_[p];
        if (a.empty() || b.empty()) return best;
        for (size_t i = 0; i < a.size() && best < enough; ++i) {
            int64_t size_a = size(a[i]);
            if (bound(size_a + size(b[0])) <= best) break;
            for (size_t j = c == p ? i + 1 : 0; j < b.size(); ++j) {
                int64_t both = size_a + size(b[j]);
                if (bound(both) <= best) break;
                if (a[i] != b[j]) best = std::max(best, distance(both, common(a[i], i, b[j])));
            }
        }
        return best;
    }

    // Counts the items in both sets, the first of which is the i-th of the marked cluster.
    int64_t common(int64_t a, size_t i, int64_t b) const {
        int64_t found = 0;
        if (i < kMarked) {
            for (const Code* item = begin(b); item != end(b); ++item) found += mark_[*item] >> i & 1;
            return found;
        }
        const Code *x = begin(a), *y = begin(b);
        while (x != end(a) && y != end(b)) {
            Code left = *x, right = *y;
            found += left == right;
            x += left <= right;
            y += right <= left;
        }
        return found;
    }

    // Drops the sets that cannot matter any more.
    void trim(int64_t c) {
        std::vector<Code>& sets = sets_[c];
        while (!sets.empty() && bound(size(0) + size(sets.back())) <= own_[c]) sets.pop_back();
    }

    std::vector<int64_t> start_{0};  // the different sets, by falling size
    std::vector<Code> items_;
    std::vector<uint64_t> mark_;  // by item
    std::vector<std::vector<Code>> sets_;  // by cluster, ascending: by falling size
    std::vector<double> own_;  // by cluster: its distance
};

}  // namespace shoal
