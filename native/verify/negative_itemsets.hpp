// Rare facts, for k^m with negative knowledge: combinations of present labels (P) and absent labels (N), at most m together,
// that match rows of 1..k-1 persons. If every row is a different person, they are counted by inclusion-exclusion: match(P, N)
// is the sum over the parts S of N of (-1)^|S| sup(P + S), with supports from intersections of row lists. That does not hold
// for persons with several rows. They are counted directly, in the rows with P and without N.
//
// The search goes by number of facts and ends with the first number that fails. So whenever combinations of f facts are
// examined, all smaller ones match 0 or at least k rows. A failing one has, for every part N' of N and every y in the rest of
// N:
//   match(P, N') >= k, and taken(y) = match(P + y, N') >= 1, so y occurs with P and (by rows) is not implied by it;
//   match(P, N') - the sum of taken(y) over the rest of N <= match(P, N) < k.
// P is visited depth-first over the sets that occur, and N over labels by falling taken(), as far as the last line allows.
// Until taken() is counted, its value for a part of N' is an upper bound. No failing combination is missed. Work is split by
// the first label of P. Cost: for |N| <= 1, f times the sets of f labels in all rows. More absent labels only matter for a P
// of which they leave almost no rows.
#pragma once

#include "core/parallel.hpp"
#include "verify/rare_itemsets.hpp"

namespace shoal {

struct RareNegativeItemset {
    std::vector<Code> present, absent;  // ascending
    int64_t count;  // number of rows that match
    bool operator<(const RareNegativeItemset& other) const {
        if (count != other.count) return count < other.count;
        if (present != other.present) return present < other.present;
        return absent < other.absent;
    }
};

class NegativeItemsetCounter {
public:
    using Result = Findings<RareNegativeItemset>;

    NegativeItemsetCounter(RowsView view, Code labels, int64_t k, size_t keep)
        : k_(k), keep_(keep), total_(all_persons(view)), labels_(labels), shared_(view.persons != nullptr) {
        Rows all = copy_by_person(view);
        std::vector<int64_t> class_of;
        rows_ = merge_equal(all, class_of);
        count_empty(all);
        starts_.assign(labels + 1, 0);
        support_.assign(labels, 0);
        for (Code item : rows_.items) ++starts_[item + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        places_.resize(rows_.items.size());
        std::vector<int64_t> fill(starts_.begin(), starts_.end() - 1);
        LatestByLabel latest;
        latest.prepare(labels, shared_);
        for (int64_t r = 0; r < rows_.size(); ++r) {
            all_.push_back({r, rows_.indptr[r]});
            for (int64_t e = rows_.indptr[r]; e < rows_.indptr[r + 1]; ++e) {
                int64_t& support = support_[rows_.items[e]];
                places_[fill[rows_.items[e]]++] = {r, e + 1};
                support += latest.adds(rows_.items[e], support, rows_.weight[r], rows_.person(r));
            }
        }
    }

    // checked: the combinations counted, of all numbers of facts; violations and witnesses: of the last number.
    Result run(int m, int threads, const Tick& tick) {
        Result total;
        for (int facts = 1; facts <= m && !total.violations; ++facts) total.merge(count(facts, threads, tick), keep_);
        std::sort(total.witnesses.begin(), total.witnesses.end());
        return total;
    }

private:
    struct Place {
        int64_t row;
        int64_t next;  // index into rows_.items of the labels after the last label of P
    };
    struct Option {  // a label that may be absent
        Code label;
        int64_t taken;  // number of matching rows with the label: exact, or an upper bound
        int64_t list;  // start of its rows in Worker::lists
        bool operator<(const Option& other) const { return taken != other.taken ? taken > other.taken : label < other.label; }
    };
    struct Level {
        std::vector<int64_t> count;  // persons with P and this label
        std::vector<int64_t> always;  // of them, those whose rows with P all have it; only if persons have several rows
        std::vector<int64_t> here;  // rows of the current person with P and this label
        LatestByLabel latest;
        std::vector<int64_t> slot;  // of the labels whose rows are wanted, counted from 1; else 0
        std::vector<Code> touched, follow;
        std::vector<int64_t> start;
        std::vector<Place> places;
    };
    struct Worker {
        Result found;
        std::vector<Code> present, absent;
        std::vector<Level> levels;  // by the size of P
        // The rows of one P, numbered from 0: their weights, and for each label that may be absent the rows that have it.
        std::vector<int64_t> weight, begin, lists;
        std::vector<Code> person;  // of each row
        std::vector<int32_t> excluded;  // number of labels of N in each row, if persons have several rows
        std::vector<std::vector<Option>> options;  // by the size of N, as the next two
        std::vector<std::vector<char>> has;  // whether a row has that label of N
        std::vector<std::vector<int64_t>> both;  // rows of a list that do
    };

    Result count(int facts, int threads, const Tick& tick) {
        int64_t tasks = facts == 1 ? 1 : 1 + static_cast<int64_t>(labels_);  // the empty P, then each first label
        threads = worker_count(threads, tasks);
        std::vector<Worker> workers(threads);
        for (auto& worker : workers) {
            worker.levels.resize(facts);
            worker.options.resize(facts + 1);
            worker.has.resize(facts);
            worker.both.resize(facts);
        }
        parallel(tasks, threads, tick, [&](int w, int64_t task, Pulse& pulse) {
            Worker& worker = workers[w];
            worker.present.clear();
            if (!task) {
                visit(worker, all_.data(), all_.data() + all_.size(), total_, facts, pulse, 0);
            } else if (support_[task - 1]) {
                worker.present.push_back(static_cast<Code>(task - 1));
                visit(worker, places_.data() + starts_[task - 1], places_.data() + starts_[task], support_[task - 1], facts,
                      pulse, static_cast<double>(task) / tasks);
            }
        });
        Result total;
        for (const auto& worker : workers) total.merge(worker.found, keep_);
        return total;
    }

    // Visits one P, whose rows are given: all N for it and, unless it is empty, the sets that begin with it.
    void visit(Worker& worker, const Place* from, const Place* to, int64_t support, int facts, Pulse& pulse, double share) {
        pulse.beat(share);
        auto size = static_cast<int>(worker.present.size());
        Level& level = worker.levels[size];
        auto& count = level.count;
        if (count.empty()) {
            count.assign(labels_, 0);
            level.slot.assign(labels_, 0);
        }
        level.latest.prepare(labels_, shared_);
        level.touched.clear();
        for (const Place* p = from; p != to; ++p) {
            int64_t weight = rows_.weight[p->row];
            Code person = rows_.person(p->row);
            for (int64_t e = rows_.indptr[p->row]; e < rows_.indptr[p->row + 1]; ++e) {
                Code item = rows_.items[e];
                if (!count[item]) level.touched.push_back(item);
                count[item] += level.latest.adds(item, count[item], weight, person);
            }
        }
        if (shared_ && size + 1 == facts) count_always(level, from, to, worker.present.empty());
        for (Code label : worker.present) count[label] = 0;
        if (size + 1 == facts) {
            for (Code label : level.touched)
                one_more(worker, label, support - (shared_ ? level.always[label] : count[label]), count[label]);
        } else {
            auto options = options_of(level, support, facts - size);
            if (!options.empty()) {
                list_rows(worker, level, from, to, options);
                choose(worker, support, facts - size, options.data(), options.data() + options.size(), pulse, share);
            }
            if (size) deal(level, worker.present.back(), from, to);
            for (size_t t = 0; size && t < level.follow.size(); ++t) {
                worker.present.push_back(level.follow[t]);
                visit(worker, level.places.data() + level.start[t], level.places.data() + level.start[t + 1],
                      count[level.follow[t]], facts, pulse, share);
                worker.present.pop_back();
            }
        }
        for (Code label : level.touched) count[label] = 0;
    }

    // Rows without any label are dropped when equal rows are merged. For persons with several rows, it matters who has one.
    void count_empty(const Rows& all) {
        Latest latest;
        for (int64_t r = 0; shared_ && r < all.size(); ++r) {
            if (all.length(r)) continue;
            if (all.person(r) == NOBODY) ++empty_alone_;
            else if (latest.adds(1, all.person(r))) empty_.push_back(all.person(r));
        }
    }
    bool has_empty(Code person) const { return std::binary_search(empty_.begin(), empty_.end(), person); }

    // Counts for each label the persons whose rows with P all have it: they are not left without it.
    void count_always(Level& level, const Place* from, const Place* to, bool all_rows) const {
        level.always.resize(labels_);
        level.here.resize(labels_, 0);
        for (Code label : level.touched) level.always[label] = 0;
        std::vector<Code> met;
        for (const Place* p = from; p != to;) {
            Code person = rows_.person(p->row);
            const Place* end = p + 1;
            while (person != NOBODY && end != to && rows_.person(end->row) == person) ++end;
            bool another = all_rows && person != NOBODY && has_empty(person);  // a row that has no label at all
            met.clear();
            for (const Place* q = p; q != end && !another; ++q)
                for (const Code* item = rows_.begin(q->row); item != rows_.end(q->row); ++item)
                    if (!level.here[*item]++) met.push_back(*item);
            for (Code label : met) {
                if (level.here[label] == end - p) level.always[label] += rows_.weight[p->row];
                level.here[label] = 0;
            }
            p = end;
        }
    }

    // The last fact: P without the label; and P with the label, unless that set is visited elsewhere.
    void one_more(Worker& worker, Code label, int64_t without, int64_t count) const {
        if (!count) return;  // a label of P
        worker.absent.push_back(label);
        tally(worker, without);
        worker.absent.pop_back();
        if (!worker.present.empty() && label < worker.present.back()) return;
        worker.present.push_back(label);
        tally(worker, count);
        worker.present.pop_back();
    }

    // Copies every row of P to all labels that follow the last one of P in it.
    void deal(Level& level, Code last, const Place* from, const Place* to) const {
        level.follow.clear();
        for (Code label : level.touched)
            if (label > last) {
                level.follow.push_back(label);
                level.slot[label] = static_cast<int64_t>(level.follow.size());
            }
        level.start.assign(level.follow.size() + 1, 0);
        for (const Place* p = from; p != to; ++p)
            for (int64_t e = p->next; e < rows_.indptr[p->row + 1]; ++e) ++level.start[level.slot[rows_.items[e]]];
        std::partial_sum(level.start.begin(), level.start.end(), level.start.begin());
        level.places.resize(level.start.back());
        std::vector<int64_t> fill(level.start.begin(), level.start.end() - 1);
        for (const Place* p = from; p != to; ++p)
            for (int64_t e = p->next; e < rows_.indptr[p->row + 1]; ++e)
                level.places[fill[level.slot[rows_.items[e]] - 1]++] = {p->row, e + 1};
        for (Code label : level.follow) level.slot[label] = 0;
    }

    // The labels that may be absent with P, by falling support; none if too few for a violation.
    std::vector<Option> options_of(const Level& level, int64_t support, int wanted) const {
        std::vector<Option> options;
        for (Code label : level.touched)
            if (int64_t taken = level.count[label]; taken && (shared_ || taken < support)) options.push_back({label, taken, 0});
        std::sort(options.begin(), options.end());
        while (!options.empty() && out_of_reach(support, wanted, options.front(), options.back())) options.pop_back();
        if (static_cast<int>(options.size()) < wanted) options.clear();
        return options;
    }

    // Whether no violation is left with this option and others that take no more rows than the first.
    bool out_of_reach(int64_t left, int wanted, const Option& first, const Option& option) const {
        return left - option.taken - (wanted - 1) * first.taken >= k_;
    }

    // Numbers the rows of P and lists those that have each option.
    void list_rows(Worker& worker, Level& level, const Place* from, const Place* to, std::vector<Option>& options) const {
        for (size_t o = 0; o < options.size(); ++o) {
            options[o].list = static_cast<int64_t>(o);
            level.slot[options[o].label] = options[o].list + 1;
        }
        worker.weight.clear();
        worker.person.clear();
        worker.begin.assign(options.size() + 1, 0);
        for (const Place* p = from; p != to; ++p) {
            worker.weight.push_back(rows_.weight[p->row]);
            worker.person.push_back(rows_.person(p->row));
            for (const Code* item = rows_.begin(p->row); item != rows_.end(p->row); ++item)
                if (int64_t slot = level.slot[*item]) ++worker.begin[slot];
        }
        std::partial_sum(worker.begin.begin(), worker.begin.end(), worker.begin.begin());
        worker.lists.resize(worker.begin.back());
        std::vector<int64_t> fill(worker.begin.begin(), worker.begin.end() - 1);
        for (const Place* p = from; p != to; ++p)
            for (const Code* item = rows_.begin(p->row); item != rows_.end(p->row); ++item)
                if (int64_t slot = level.slot[*item]) worker.lists[fill[slot - 1]++] = p - from;
        for (const Option& option : options) level.slot[option.label] = 0;
        if (shared_) worker.excluded.assign(worker.weight.size(), 0);
        for (auto& has : worker.has)
            if (has.size() < worker.weight.size()) has.resize(worker.weight.size(), 0);
    }

    // Tries all ways to add `wanted` of the options, sorted by falling bounds, to N, which leaves `left` rows of P.
    void choose(Worker& worker, int64_t left, int wanted, const Option* from, const Option* to, Pulse& pulse, double share) {
        pulse.beat(share);
        size_t depth = worker.absent.size();
        auto& options = worker.options[depth];
        options.clear();
        for (const Option* o = from; o != to && !out_of_reach(left, wanted, *from, *o); ++o) {
            const int64_t* begin = worker.lists.data() + worker.begin[o->list];
            const int64_t* end = worker.lists.data() + worker.begin[o->list + 1];
            int64_t taken = !depth ? o->taken : shared_ ? persons(worker, begin, end) : match(worker, begin, end, 0);
            if (wanted == 1) {
                worker.absent.push_back(o->label);
                tally(worker, shared_ ? persons_without(worker, begin, end) : left - taken);
                worker.absent.pop_back();
            } else if (taken && (shared_ || taken < left)) {
                options.push_back({o->label, taken, o->list});
            }
        }
        if (wanted == 1) return;
        std::sort(options.begin(), options.end());
        for (size_t i = 0; i + wanted <= options.size(); ++i) {
            const Option& option = options[i];
            if (out_of_reach(left, wanted, option, option)) break;
            auto& has = worker.has[depth];
            const int64_t* begin = worker.lists.data() + worker.begin[option.list];
            const int64_t* end = worker.lists.data() + worker.begin[option.list + 1];
            int64_t rest = shared_ ? persons_without(worker, begin, end) : left - option.taken;
            if (!rest) continue;  // no person is left
            for (const int64_t* row = begin; row != end; ++row) has[*row] = 1;
            for (const int64_t* row = begin; shared_ && row != end; ++row) ++worker.excluded[*row];
            worker.absent.push_back(option.label);
            choose(worker, rest, wanted - 1, options.data() + i + 1, options.data() + options.size(), pulse, share);
            worker.absent.pop_back();
            for (const int64_t* row = begin; shared_ && row != end; ++row) --worker.excluded[*row];
            for (const int64_t* row = begin; row != end; ++row) has[*row] = 0;
        }
    }

    // Counts the persons of some rows of P that have no label of N.
    static int64_t persons(const Worker& worker, const int64_t* from, const int64_t* to) {
        int64_t found = 0;
        Latest latest;
        for (const int64_t* row = from; row != to; ++row)
            if (!worker.excluded[*row]) found += latest.adds(worker.weight[*row], worker.person[*row]);
        return found;
    }

    // Counts the persons with a row of P that has no label of N and is not in the list, whose rows have one more label.
    int64_t persons_without(Worker& worker, const int64_t* from, const int64_t* to) const {
        for (const int64_t* row = from; row != to; ++row) ++worker.excluded[*row];
        bool nothing_known = worker.present.empty();  // rows without any label match, too
        int64_t found = nothing_known ? empty_alone_ + static_cast<int64_t>(empty_.size()) : 0;
        Latest latest;
        for (size_t row = 0; row < worker.weight.size(); ++row) {
            Code person = worker.person[row];
            if (worker.excluded[row] || (nothing_known && person != NOBODY && has_empty(person))) continue;
            found += latest.adds(worker.weight[row], person);
        }
        for (const int64_t* row = from; row != to; ++row) --worker.excluded[*row];
        return found;
    }

    // Inclusion-exclusion: rows of the list without the labels of N from the at-th on = all - those with the at-th.
    int64_t match(Worker& worker, const int64_t* from, const int64_t* to, size_t at) const {
        const char* has = worker.has[at].data();
        if (at + 1 == worker.absent.size()) {
            int64_t all = 0, with = 0;
            for (const int64_t* row = from; row != to; ++row) {
                all += worker.weight[*row];
                with += has[*row] ? worker.weight[*row] : 0;
            }
            return all - with;
        }
        auto& both = worker.both[at];
        both.clear();
        for (const int64_t* row = from; row != to; ++row)
            if (has[*row]) both.push_back(*row);
        int64_t with = both.empty() ? 0 : match(worker, both.data(), both.data() + both.size(), at + 1);
        return match(worker, from, to, at + 1) - with;
    }

    void tally(Worker& worker, int64_t count) const {
        ++worker.found.checked;
        if (count <= 0 || count >= k_) return;
        RareNegativeItemset fact{worker.present, worker.absent, count};
        std::sort(fact.absent.begin(), fact.absent.end());
        worker.found.report(std::move(fact), keep_);
    }

    int64_t k_;
    size_t keep_;
    int64_t total_;  // persons, also those without any label
    Code labels_;
    bool shared_;  // whether some person has several rows
    int64_t empty_alone_ = 0;  // persons whose only row has no label
    std::vector<Code> empty_;  // persons with several rows, one of which has no label; ascending
    Rows rows_;
    std::vector<int64_t> starts_, support_;
    std::vector<Place> places_, all_;
};

}  // namespace shoal
