// Disclosing sets, for l^m-diversity and (h,k,p)-coherence: label sets of given sizes (possibly including the empty set) such
// that more than an allowed share of the rows with all of them have the same sensitive value.
//
// There is no Apriori property: a set whose subsets are all safe may fail, at any support. So every set in some row with a
// sensitive value (or in at least a given number of them) is counted, depth-first. Other sets are skipped with all their
// supersets. The most frequent sensitive value is only determined if too many rows have any value at all. The search goes
// size by size and ends with the first size that fails. Work is split by first label. Equal rows (labels and values) are
// merged. If persons have several rows, persons are counted: rows are then sorted by person, with and without values mixed.
// Cost: for each size s, the sum over rows of (labels of the row that sensitive rows have, choose s).
#pragma once

#include "core/parallel.hpp"
#include "verify/rare_itemsets.hpp"

namespace shoal {

struct Disclosure {
    std::vector<Code> codes;  // ascending
    Code sensitive;  // the most frequent value in these rows (ties: the lowest code)
    int64_t support;  // persons with a row that has all labels
    int64_t together;  // of these, persons with one that also has the sensitive value

    bool operator<(const Disclosure& other) const {  // the worst first; counts are below 2^31, so products are exact
        int64_t mine = together * other.support, theirs = other.together * support;
        if (mine != theirs) return mine > theirs;
        if (support != other.support) return support > other.support;
        return codes < other.codes;
    }
};

struct Share {
    int64_t part, of;
    bool exceeded(int64_t together, int64_t support) const { return together * of > support * part; }
};

class DisclosureCounter {
public:
    using Result = Findings<Disclosure>;

    DisclosureCounter(RowsView view, Code labels, RowsView values, Code sensitive, Share allowed, int64_t least, size_t keep)
        : allowed_(allowed), least_(least), keep_(keep), given_(view.rows), total_(all_persons(view)), labels_(labels),
          sensitive_(sensitive), shared_(view.persons != nullptr) {
        std::vector<char> linked(labels, 0);  // labels in some row with a sensitive value: no others are examined
        for (int64_t r = 0; r < view.rows; ++r)
            if (values.size(r))
                for (const Code* item = view.begin(r); item != view.end(r); ++item) linked[*item] = 1;
        Rows joined;  // labels, then sensitive values shifted behind them; rows with values first, or all by person
        std::vector<int64_t> order = by_person(view);
        for (bool with : {true, false})
            for (int64_t r : order) {
                if (shared_ ? !with : (values.size(r) > 0) != with) continue;
                for (const Code* item = view.begin(r); item != view.end(r); ++item)
                    if (linked[*item]) joined.items.push_back(*item);
                for (const Code* value = values.begin(r); value != values.end(r); ++value)
                    joined.items.push_back(labels + *value);
                joined.close_row(1, view.person(r));
                if (with) holders_.push_back(r);
            }
        rows_ = merge_equal(joined, class_of_);
        starts_.assign(labels + 1, 0);
        for (int64_t r = 0; r < rows_.size(); ++r) {
            const Code* split = std::lower_bound(rows_.begin(r), rows_.end(r), labels);
            split_.push_back(split - rows_.items.data());
            if (split != rows_.end(r) || shared_) with_value_ = r + 1;
            for (const Code* item = rows_.begin(r); item != split; ++item) ++starts_[*item + 1];
            all_.push_back({r, rows_.indptr[r]});
        }
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        places_.resize(starts_.back());
        std::vector<int64_t> fill(starts_.begin(), starts_.end() - 1);
        for (int64_t r = 0; r < rows_.size(); ++r)
            for (int64_t e = rows_.indptr[r]; e < split_[r]; ++e) places_[fill[rows_.items[e]]++] = {r, e + 1};
    }

    // checked: the sets of all sizes examined; violations and witnesses: of the smallest size that has any.
    Result run(int first, int last, int threads, const Tick& tick) {
        Result total;
        for (int size = first; size <= last && total_; ++size) {
            Result found = count(size, threads, tick);
            total.merge(found, keep_);
            if (total.violations || !found.checked) break;  // too few rows with a sensitive value have so many labels
        }
        std::sort(total.witnesses.begin(), total.witnesses.end());
        return total;
    }

    // For each row, the size of the smallest set of 1..m of its labels that discloses a value of this row; 0: none.
    std::vector<uint8_t> smallest(int m, int threads, const Tick& tick) {
        marks_.assign(with_value_, 0);
        for (int size = 1; size <= m; ++size)
            if (!count(size, threads, tick).checked) break;
        std::vector<uint8_t> smallest(given_, 0);
        for (size_t at = 0; at < holders_.size(); ++at)
            if (class_of_[at] >= 0) smallest[holders_[at]] = marks_[class_of_[at]];
        return smallest;
    }

private:
    struct Place {
        int64_t row;
        int64_t next;  // index into rows_.items of the labels after the last label of the prefix
    };
    struct Level {
        std::vector<int64_t> with, without;  // rows with the prefix and this label, with and without a sensitive value;
        // or persons, with such a row and a value, and with any such row
        LatestByLabel latest_with, latest_without;
        std::vector<int64_t> slot;  // of the labels whose rows are wanted, counted from 1; else 0
        std::vector<Code> touched, wanted;
        std::vector<int64_t> start;
        std::vector<Place> places;
    };
    struct Worker {
        Result found;
        std::vector<Code> prefix;
        std::vector<Level> levels;
        std::vector<int64_t> together;  // by sensitive value
        LatestByLabel latest;
        std::vector<Code> values;
        std::vector<uint8_t> told;  // by row with sensitive values: whether a set of the current size discloses one
    };

    Result count(int size, int threads, const Tick& tick) {
        int64_t tasks = size < 2 ? 1 : labels_;
        threads = worker_count(threads, tasks);
        std::vector<Worker> workers(threads);
        for (auto& worker : workers) {
            worker.levels.resize(size);
            worker.together.assign(sensitive_, 0);
            worker.latest.prepare(sensitive_, shared_);
            worker.told.assign(marks_.size(), 0);
        }
        parallel(tasks, threads, tick, [&](int w, int64_t task, Pulse& pulse) {
            Worker& worker = workers[w];
            if (size == 0) {
                ++worker.found.checked;
                weigh(worker, all_.data(), all_.data() + with_value_, total_);
            } else if (size == 1) {
                extend(worker, all_.data(), all_.data() + all_.size(), size, pulse, 0);
            } else {
                worker.prefix.assign(1, static_cast<Code>(task));
                extend(worker, places_.data() + starts_[task], places_.data() + starts_[task + 1], size, pulse,
                       static_cast<double>(task) / tasks);
            }
        });
        Result total;
        for (const auto& worker : workers) {
            total.merge(worker.found, keep_);
            for (size_t row = 0; row < marks_.size(); ++row)
                if (worker.told[row] && !marks_[row]) marks_[row] = static_cast<uint8_t>(size);
        }
        return total;
    }

    void extend(Worker& worker, const Place* from, const Place* to, int size, Pulse& pulse, double share) {
        pulse.beat(share);
        Level& level = worker.levels[worker.prefix.size()];
        auto &with = level.with, &without = level.without;
        if (with.empty()) {
            with.assign(labels_, 0);
            without.assign(labels_, 0);
            level.slot.assign(labels_, 0);
            level.latest_with.prepare(labels_, shared_);
            level.latest_without.prepare(labels_, shared_);
        }
        const Place* plain = std::partition_point(from, to, [&](const Place& p) { return p.row < with_value_; });
        level.touched.clear();
        for (const Place* p = from; p != plain; ++p) {
            if (shared_ && split_[p->row] == rows_.indptr[p->row + 1]) continue;  // without a value
            int64_t weight = rows_.weight[p->row];
            Code person = rows_.person(p->row);
            for (int64_t e = p->next; e < split_[p->row]; ++e) {
                Code item = rows_.items[e];
                if (!with[item]) level.touched.push_back(item);
                with[item] += level.latest_with.adds(item, with[item], weight, person);
            }
        }
        if (least_ > 1)
            level.touched.erase(std::remove_if(level.touched.begin(), level.touched.end(),
                                               [&](Code item) {
                                                   bool few = with[item] < least_;
                                                   if (few) with[item] = 0;
                                                   return few;
                                               }),
                                level.touched.end());
        if (level.touched.empty()) return;
        for (const Place* p = shared_ ? from : plain; p != to; ++p) {
            int64_t weight = rows_.weight[p->row];
            Code person = rows_.person(p->row);
            for (int64_t e = p->next; e < split_[p->row]; ++e)
                if (Code item = rows_.items[e]; with[item])
                    without[item] += level.latest_without.adds(item, without[item], weight, person);
        }
        auto support = [&](Code item) { return shared_ ? without[item] : with[item] + without[item]; };
        bool last = static_cast<int>(worker.prefix.size()) + 1 == size;
        if (last) worker.found.checked += static_cast<int64_t>(level.touched.size());
        level.wanted.clear();
        for (Code item : level.touched)
            if (!last || allowed_.exceeded(with[item], support(item))) {
                level.wanted.push_back(item);
                level.slot[item] = static_cast<int64_t>(level.wanted.size());
            }
        if (!level.wanted.empty()) deal(level, from, last ? plain : to);
        for (size_t t = 0; t < level.wanted.size(); ++t) {
            Code item = level.wanted[t];
            const Place* first = level.places.data() + level.start[t];
            const Place* end = level.places.data() + level.start[t + 1];
            worker.prefix.push_back(item);
            if (last) weigh(worker, first, end, support(item));
            else extend(worker, first, end, size, pulse, share);
            worker.prefix.pop_back();
        }
        for (Code item : level.touched) with[item] = without[item] = level.slot[item] = 0;
    }

    // Copies every row to all wanted labels that follow the prefix in it.
    void deal(Level& level, const Place* from, const Place* to) const {
        level.start.assign(level.wanted.size() + 1, 0);
        for (const Place* p = from; p != to; ++p)
            for (int64_t e = p->next; e < split_[p->row]; ++e)
                if (int64_t slot = level.slot[rows_.items[e]]) ++level.start[slot];
        std::partial_sum(level.start.begin(), level.start.end(), level.start.begin());
        level.places.resize(level.start.back());
        std::vector<int64_t> fill(level.start.begin(), level.start.end() - 1);
        for (const Place* p = from; p != to; ++p)
            for (int64_t e = p->next; e < split_[p->row]; ++e)
                if (int64_t slot = level.slot[rows_.items[e]]) level.places[fill[slot - 1]++] = {p->row, e + 1};
    }

    // Finds the most frequent sensitive value of the rows with the prefix, and reports it if it is too frequent.
    void weigh(Worker& worker, const Place* from, const Place* to, int64_t support) const {
        worker.values.clear();
        for (const Place* p = from; p != to; ++p)
            for (int64_t e = split_[p->row]; e < rows_.indptr[p->row + 1]; ++e) {
                Code value = rows_.items[e] - labels_;
                if (!worker.together[value]) worker.values.push_back(value);
                int64_t& count = worker.together[value];
                if (shared_) count += worker.latest.adds(value, count, rows_.weight[p->row], rows_.person(p->row));
                else count += rows_.weight[p->row];
            }
        Code most = -1;
        for (Code value : worker.values) {
            int64_t more = most < 0 ? 1 : worker.together[value] - worker.together[most];
            if (more > 0 || (more == 0 && value < most)) most = value;
        }
        int64_t together = most < 0 ? 0 : worker.together[most];
        if (allowed_.exceeded(together, support)) {
            worker.found.report({worker.prefix, most, support, together}, keep_);
            if (!marks_.empty()) mark(worker, from, to, support);
        }
        for (Code value : worker.values) worker.together[value] = 0;
    }

    // Marks those of the rows that have a value which is too frequent among them.
    void mark(Worker& worker, const Place* from, const Place* to, int64_t support) const {
        for (const Place* p = from; p != to; ++p) {
            if (p->row >= with_value_ || marks_[p->row]) continue;
            for (int64_t e = split_[p->row]; e < rows_.indptr[p->row + 1]; ++e)
                if (allowed_.exceeded(worker.together[rows_.items[e] - labels_], support)) worker.told[p->row] = 1;
        }
    }

    Share allowed_;
    int64_t least_;  // rows with a sensitive value that a set must have to be examined
    size_t keep_;
    int64_t given_;  // number of rows, including those without any label
    int64_t total_;  // persons
    Code labels_, sensitive_;
    bool shared_;  // whether some person has several rows
    Rows rows_;
    std::vector<int64_t> split_;  // index into rows_.items of each row's first sensitive value
    int64_t with_value_ = 0;  // rows before this one have sensitive values, the others none
    std::vector<int64_t> holders_, class_of_;  // the given rows with sensitive values, and the row of rows_ that each became
    std::vector<uint8_t> marks_;  // by row with sensitive values; empty: not requested
    std::vector<int64_t> starts_;
    std::vector<Place> places_, all_;
};

}  // namespace shoal
