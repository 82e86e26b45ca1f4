// Rare itemsets: sets of at most m labels that 1..k-1 persons have in a row. The counting kernel of the verifiers.
//
// Labels are renumbered by rising support, and equal rows are merged with weights. A depth-first projection then extends
// frequent sets only: a rare set is reported and not extended, because all its supersets are rare too. Work is split by first
// label. If the rows of a prefix hold many of few labels, bitmaps take over, which count the same sets. Everything reported
// is a sum, a minimum or the smallest few under a total order, so threads cannot change it.
#pragma once

#include "core/parallel.hpp"
#include "verify/dense_rows.hpp"
#include "verify/findings.hpp"
#include "verify/merged_rows.hpp"
#include "verify/persons.hpp"

namespace shoal {

struct RareSet {
    std::vector<Code> codes;  // ascending
    int64_t support;
    bool operator<(const RareSet& other) const {
        if (codes.size() != other.codes.size()) return codes.size() < other.codes.size();
        if (support != other.support) return support < other.support;
        return codes < other.codes;
    }
};

using RareResult = Findings<RareSet>;  // checked: sets that occur and were counted; violations: the rare ones

class RareCounter {
public:
    RareCounter(RowsView view, Code labels, int64_t k, int m, size_t keep, bool mark)
        : k_(k), m_(m), keep_(keep), mark_(mark), support_(labels, 0), order_(by_person(view)) {
        LatestByLabel latest;
        latest.prepare(labels, view.persons != nullptr);
        for (int64_t r : order_)
            for (const Code* item = view.begin(r); item != view.end(r); ++item)
                support_[*item] += latest.adds(*item, support_[*item], 1, view.person(r));
        label_of_.resize(labels);
        std::iota(label_of_.begin(), label_of_.end(), 0);
        std::stable_sort(label_of_.begin(), label_of_.end(), [&](Code a, Code b) { return support_[a] < support_[b]; });
        std::vector<Code> rank(labels);
        for (Code r = 0; r < labels; ++r) rank[label_of_[r]] = r;
        if (mark_) smallest_.assign(view.rows, 0);

        // Rare single labels are reported here and removed from the rows: no superset of them is extended.
        for (Code label = 0; label < labels; ++label) {
            if (support_[label] == 0) continue;
            ++singles_.checked;
            if (support_[label] < k_) singles_.report({{label}, support_[label]}, keep_);
        }
        Rows frequent;
        for (int64_t r : order_) {
            size_t start = frequent.items.size();
            for (const Code* item = view.begin(r); item != view.end(r); ++item) {
                if (support_[*item] >= k_) frequent.items.push_back(rank[*item]);
                else if (mark_) smallest_[r] = 1;
            }
            std::sort(frequent.items.begin() + start, frequent.items.end());
            frequent.close_row(1, view.person(r));
        }
        rows_ = merge_equal(frequent, class_of_);
        starts_.assign(labels + 1, 0);
        for (Code item : rows_.items) ++starts_[item + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        places_.resize(rows_.items.size());
        std::vector<int64_t> fill(starts_.begin(), starts_.end() - 1);
        for (int64_t r = 0; r < rows_.size(); ++r)
            for (int64_t e = rows_.indptr[r]; e < rows_.indptr[r + 1]; ++e) places_[fill[rows_.items[e]]++] = {r, e + 1};
    }

    // Examines all sizes at once; or size by size, ending with the first that has a rare set. Then all rare sets of that size
    // are reported, and a file that fails early is not counted further.
    RareResult run(int threads, const Tick& tick, bool first_size_only = false) {
        int most = m_;
        for (m_ = first_size_only ? 1 : most;; ++m_) {
            RareResult total = count(threads, tick);
            if (m_ == most || (first_size_only && total.violations)) return total;
        }
    }

    // For each row, the size of its smallest rare subset; 0: none. Available after run(), if requested.
    const std::vector<uint8_t>& smallest() const { return smallest_; }

private:
    RareResult count(int threads, const Tick& tick) {
        RareResult total = singles_;
        if (m_ > 1) {
            auto tasks = static_cast<int64_t>(label_of_.size());
            threads = worker_count(threads, tasks);
            std::vector<Worker> workers(threads);
            for (auto& worker : workers) worker.prepare(m_, mark_ ? rows_.size() : 0);
            parallel(tasks, threads, tick, [&](int w, int64_t task, Pulse& pulse) {
                auto first = static_cast<Code>(task);
                if (starts_[first] == starts_[first + 1]) return;
                Worker& worker = workers[w];
                worker.prefix.assign(1, first);
                extend(worker, places_.data() + starts_[first], places_.data() + starts_[first + 1], pulse,
                       static_cast<double>(task) / tasks);
            });
            for (auto& worker : workers) {
                total.merge(worker.rare, keep_);
                for (size_t c = 0; c < worker.smallest.size(); ++c) {
                    auto size = worker.smallest[c];
                    auto& best = workers[0].smallest[c];
                    if (size && (!best || size < best)) best = size;
                }
            }
            if (mark_)
                for (size_t at = 0; at < order_.size(); ++at)
                    if (uint8_t& size = smallest_[order_[at]]; !size && class_of_[at] >= 0)
                        size = workers[0].smallest[class_of_[at]];
        }
        std::sort(total.witnesses.begin(), total.witnesses.end());
        return total;
    }

    struct Place {
        int64_t row;
        int64_t next;  // index into rows_.items of the labels after the last label of the prefix
    };
    struct Level {
        std::vector<int64_t> count;
        LatestByLabel latest;
        std::vector<Code> touched;
        std::vector<int64_t> start;
        std::vector<Place> places;
        DenseRows::Bits holding;
    };
    struct Worker {
        RareResult rare;
        std::vector<Code> prefix;
        std::vector<Level> levels;
        std::vector<uint8_t> smallest;
        DenseRows dense;
        void prepare(int m, size_t classes) {
            levels.resize(m);
            smallest.assign(classes, 0);
        }
    };

    void extend(Worker& worker, const Place* from, const Place* to, Pulse& pulse, double share) {
        pulse.beat(share);
        auto size = static_cast<int>(worker.prefix.size()) + 1;
        Level& level = worker.levels[size - 2];
        auto& count = level.count;
        if (count.empty()) count.assign(label_of_.size(), 0);
        level.latest.prepare(label_of_.size(), !rows_.persons.empty());
        level.touched.clear();
        for (const Place* p = from; p != to; ++p) {
            int64_t weight = rows_.weight[p->row];
            Code person = rows_.person(p->row);
            for (int64_t e = p->next; e < rows_.indptr[p->row + 1]; ++e) {
                Code item = rows_.items[e];
                if (!count[item]) level.touched.push_back(item);
                count[item] += level.latest.adds(item, count[item], weight, person);
            }
        }
        worker.rare.checked += static_cast<int64_t>(level.touched.size());
        bool rare = false;
        for (Code item : level.touched)
            if (count[item] < k_) {
                rare = true;
                report(worker, item, count[item]);
            }
        if (rare && mark_) mark(worker, level, from, to, size);
        if (size < m_ && is_dense(level, from, to)) {
            extend_dense(worker, level, from, to, pulse, share);
        } else if (size < m_) {
            // One pass copies every row to all labels that will extend the prefix in it.
            level.start.assign(level.touched.size() + 1, 0);
            std::vector<int64_t> slot_of_touched(level.touched.size());
            int64_t total = 0;
            for (size_t t = 0; t < level.touched.size(); ++t) {
                Code item = level.touched[t];
                bool frequent = count[item] >= k_;
                count[item] = frequent ? static_cast<int64_t>(t) + 1 : 0;  // from here on: slot + 1
            }
            for (const Place* p = from; p != to; ++p)
                for (int64_t e = p->next; e < rows_.indptr[p->row + 1]; ++e)
                    if (int64_t slot = count[rows_.items[e]]) {
                        ++level.start[slot];
                        ++total;
                    }
            std::partial_sum(level.start.begin(), level.start.end(), level.start.begin());
            level.places.resize(total);
            std::copy(level.start.begin(), level.start.end() - 1, slot_of_touched.begin());
            for (const Place* p = from; p != to; ++p)
                for (int64_t e = p->next; e < rows_.indptr[p->row + 1]; ++e)
                    if (int64_t slot = count[rows_.items[e]]) level.places[slot_of_touched[slot - 1]++] = {p->row, e + 1};
            for (Code item : level.touched) count[item] = 0;
            for (size_t t = 0; t < level.touched.size(); ++t) {
                if (level.start[t] == level.start[t + 1]) continue;
                worker.prefix.push_back(level.touched[t]);
                extend(worker, level.places.data() + level.start[t], level.places.data() + level.start[t + 1], pulse, share);
                worker.prefix.pop_back();
            }
        } else {
            for (Code item : level.touched) count[item] = 0;
        }
    }

    // Whether the pairs of labels that follow are more than the words of bitmaps to examine for all of them. Then bitmaps
    // need no more than 8 bytes for each label of a row.
    bool is_dense(const Level& level, const Place* from, const Place* to) const {
        auto labels = static_cast<int64_t>(level.touched.size()), words = (to - from + 63) / 64;
        int64_t pairs = 0;
        for (const Place* p = from; p != to; ++p) {
            int64_t left = rows_.indptr[p->row + 1] - p->next;
            pairs += left * (left - 1) / 2;
        }
        return labels * (labels - 1) / 2 * (words + 2) <= pairs;
    }

    // Continues with bitmaps. All labels that follow the prefix were counted and are in level.touched.
    void extend_dense(Worker& worker, Level& level, const Place* from, const Place* to, Pulse& pulse, double share) {
        std::vector<Code> labels(level.touched);
        std::sort(labels.begin(), labels.end());
        std::vector<uint8_t> frequent;
        for (Code item : labels) frequent.push_back(level.count[item] >= k_);
        for (size_t slot = 0; slot < labels.size(); ++slot) level.count[labels[slot]] = static_cast<int64_t>(slot);
        worker.dense.clear(to - from, static_cast<int64_t>(labels.size()));
        for (const Place* p = from; p != to; ++p) {
            worker.dense.describe(p - from, rows_.weight[p->row], rows_.person(p->row));
            for (int64_t e = p->next; e < rows_.indptr[p->row + 1]; ++e) worker.dense.put(p - from, level.count[rows_.items[e]]);
        }
        for (Code item : labels) level.count[item] = 0;
        std::vector<Code> following(labels.size());
        std::iota(following.begin(), following.end(), 0);
        extend_bits(worker, worker.dense.all(), labels, following, frequent, from, pulse, share);
    }

    // The rows that hold the prefix, and the labels that follow it in one of them, including those in rows of k persons.
    void extend_bits(Worker& worker, const DenseRows::Bits& holding, const std::vector<Code>& labels,
                     const std::vector<Code>& following, const std::vector<uint8_t>& frequent, const Place* from, Pulse& pulse,
                     double share) {
        auto size = static_cast<int>(worker.prefix.size()) + 2;
        auto& both = worker.levels[size - 2].holding;
        std::vector<Code> next;
        std::vector<uint8_t> next_frequent;
        for (size_t at = 0; at + 1 < following.size(); ++at) {
            if (!frequent[at]) continue;
            pulse.beat(share);
            worker.dense.narrow(holding, following[at], both);
            worker.prefix.push_back(labels[following[at]]);
            next.clear();
            next_frequent.clear();
            for (size_t later = at + 1; later < following.size(); ++later) {
                int64_t support = worker.dense.persons(both, following[later], k_);
                if (!support) continue;
                ++worker.rare.checked;
                next.push_back(following[later]);
                next_frequent.push_back(support >= k_);
                if (support >= k_) continue;
                report(worker, labels[following[later]], support);
                if (mark_)
                    worker.dense.each(both, following[later], [&](int64_t row) {
                        auto& best = worker.smallest[from[row].row];
                        if (!best || size < best) best = static_cast<uint8_t>(std::min(size, 255));
                        return true;
                    });
            }
            if (size < m_) extend_bits(worker, both, labels, next, next_frequent, from, pulse, share);
            worker.prefix.pop_back();
        }
    }

    // Marks the rows that hold a rare set of this size, unless they hold a smaller one.
    void mark(Worker& worker, const Level& level, const Place* from, const Place* to, int size) const {
        for (const Place* p = from; p != to; ++p)
            for (int64_t e = p->next; e < rows_.indptr[p->row + 1]; ++e)
                if (level.count[rows_.items[e]] < k_) {
                    auto& best = worker.smallest[p->row];
                    if (!best || size < best) best = static_cast<uint8_t>(std::min(size, 255));
                    break;
                }
    }

    void report(Worker& worker, Code item, int64_t support) {
        RareSet set{{}, support};
        if (keep_) {  // building the set costs more than counting it
            size_t size = worker.prefix.size() + 1;
            const auto& kept = worker.rare.witnesses;
            bool full = kept.size() == keep_ && kept.front().codes.size() < size;
            if (!full) {
                for (Code rank : worker.prefix) set.codes.push_back(label_of_[rank]);
                set.codes.push_back(label_of_[item]);
                std::sort(set.codes.begin(), set.codes.end());
                worker.rare.report(std::move(set), keep_);
                return;
            }
        }
        ++worker.rare.violations;
    }

    int64_t k_;
    int m_;
    size_t keep_;
    bool mark_;
    std::vector<int64_t> support_;
    std::vector<int64_t> order_;  // of the given rows: by person
    std::vector<Code> label_of_;
    Rows rows_;
    std::vector<int64_t> class_of_;  // of each row in that order
    std::vector<int64_t> starts_;
    std::vector<Place> places_;
    RareResult singles_;
    std::vector<uint8_t> smallest_;
};

// For m = all: finds the distinct rows contained in rows of fewer than k persons. The first few, in lexicographic order, are
// thinned to minimal rare sets, for witnesses. With keep = 0 the first such row ends the search.
inline RareResult rare_rows(RowsView view, Code labels, int64_t k, size_t keep, const Tick& tick) {
    Rows all = copy_by_person(view);
    std::vector<int64_t> class_of;
    Rows rows = merge_equal(all, class_of);
    std::vector<int64_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return std::lexicographical_compare(rows.begin(a), rows.end(a), rows.begin(b), rows.end(b));
    });
    std::vector<std::vector<int64_t>> holders(labels);
    std::vector<int64_t> support(labels, 0);
    for (int64_t r = 0; r < rows.size(); ++r)
        for (const Code* item = rows.begin(r); item != rows.end(r); ++item) {
            holders[*item].push_back(r);
            support[*item] += rows.weight[r];
        }
    auto count = [&](const std::vector<Code>& set) {  // exact below k, else at least k
        Code rarest = *std::min_element(set.begin(), set.end(), [&](Code a, Code b) { return support[a] < support[b]; });
        int64_t holding = 0;
        Latest latest;
        for (int64_t r : holders[rarest]) {
            if (std::includes(rows.begin(r), rows.end(r), set.begin(), set.end()))
                holding += latest.adds(rows.weight[r], rows.person(r));
            if (holding >= k) break;
        }
        return holding;
    };
    RareResult result;
    std::atomic<bool> never{false};
    Pulse pulse(tick, never, true);
    int64_t before = -1;  // the previous row: the next one may be equal, of another person
    for (int64_t r : order) {
        pulse.beat(static_cast<double>(result.checked) / rows.size());
        if (before >= 0 && std::equal(rows.begin(r), rows.end(r), rows.begin(before), rows.end(before))) continue;
        before = r;
        ++result.checked;
        if (rows.weight[r] >= k) continue;
        std::vector<Code> set(rows.begin(r), rows.end(r));
        if (count(set) >= k) continue;
        if (!keep || result.violations >= static_cast<int64_t>(10 * keep)) {
            ++result.violations;
            if (!keep) break;
            continue;
        }
        for (size_t i = set.size(); i-- > 0 && set.size() > 1;) {
            std::vector<Code> thinner(set);
            thinner.erase(thinner.begin() + i);
            if (count(thinner) < k) set = std::move(thinner);
        }
        int64_t left = count(set);
        bool known = std::any_of(result.witnesses.begin(), result.witnesses.end(),
                                 [&](const RareSet& witness) { return witness.codes == set; });
        if (known) ++result.violations;
        else result.report({std::move(set), left}, keep);
    }
    std::sort(result.witnesses.begin(), result.witnesses.end());
    return result;
}

}  // namespace shoal
