// The supports, up to k, of all sets of at most three labels of a cut and of the nodes above it, in dense tables.
//
// A search under k^m-anonymity asks for supports below k only. One byte for each possible set is enough while k is below 256,
// and the rows are not needed again.
//
// A row holds many more sets of nodes than sets of labels of the cut. Most of them need no visit: if k persons have a set, they
// have every set of nodes above it. So the count of a row starts at each of its sets of labels of the cut, goes up one step at a
// time, and stops at a set that already has k persons. A node of the row is reached only from the first label below it, and a
// set of nodes only by one path: first the last node rises, then the middle one, then the first. So no row counts twice.
//
// Every count is right in the end, whatever the order of the steps of different rows (docs/internals/theory.md#set-tables). So
// threads share the tables, and sets of three are counted by their first label: those of a label are close together in memory.
//
// Time: that of the sets of labels of the cut in all rows, and at most k steps for each set of nodes. Memory: one byte for each
// possible set, and four more if persons have several rows.
#pragma once

#include "core/parallel.hpp"

namespace shoal {

class SetTable {
public:
    // label_of[leaf]: the label of the cut above it, NONE if no row has the leaf. parent[label]: the label above it, NONE if that
    // is the root. Labels are numbered in preorder. k: below 256.
    SetTable(std::vector<Code> label_of, std::vector<Code> parent, int64_t k, int size, bool persons)
        : label_of_(std::move(label_of)), k_(static_cast<uint8_t>(k)), size_(size), labels_(static_cast<Code>(parent.size())) {
        if (size < 1 || size > 3) throw std::invalid_argument("sets of 1 to 3 labels are wanted");
        if (k < 1 || k > UINT8_MAX) throw std::invalid_argument("k must be from 1 to 255");
        for (Code label : label_of_)
            if (label < NONE || label >= labels_) throw std::invalid_argument("an item has no label");
        end_.resize(parent.size());
        path_.assign(1, 0);
        for (Code label = 0; label < labels_; ++label) {
            if (parent[label] < NONE || parent[label] >= label) throw std::invalid_argument("labels must be in preorder");
            end_[label] = label + 1;
            for (Code node = label; node != NONE; node = parent[node]) {
                nodes_.push_back(node);
                end_[node] = label + 1;
            }
            path_.push_back(static_cast<int64_t>(nodes_.size()));
        }
        number_sets();
        for (int of = 0; of <= size; ++of) {
            count_[of] = std::vector<std::atomic<uint8_t>>(cells_[of]);
            if (persons) last_[of].assign(cells_[of], NOBODY);
        }
    }

    SetTable(const SetTable&) = delete;  // counts that threads share cannot be copied
    SetTable& operator=(const SetTable&) = delete;

    // Counts more rows. Their items must rise. The rows of a person must be consecutive, over all calls.
    void add(const RowsView& rows, int threads, const Tick& tick) {
        bool persons = !last_[0].empty();
        if (rows.persons && !persons) throw std::invalid_argument("persons were not announced");
        int64_t step = std::clamp<int64_t>(rows.rows / (4 * std::max<int64_t>(1, threads)), 1, MOST_ROWS);
        int64_t batches = (rows.rows + step - 1) / step;
        int workers = persons ? 1 : worker_count(threads, batches);
        std::vector<Batch> own(workers);
        parallel(batches, workers, tick, [&](int worker, int64_t task, Pulse& pulse) {
            Batch& batch = own[worker];
            double share = static_cast<double>(task) / static_cast<double>(batches);
            int64_t first = task * step;
            read(rows, first, std::min(rows.rows, first + step), batch);
            bool by_label = size_ == 3 && !persons;
            if (workers > 1 && by_label) count_by_label<true>(batch, pulse, share);
            else if (by_label) count_by_label<false>(batch, pulse, share);
            else if (workers > 1) count_by_row<true>(rows, first, batch, pulse, share);
            else count_by_row<false>(rows, first, batch, pulse, share);
        });
    }

    // All counts, one size after the other, for another process.
    std::vector<uint8_t> cells() const {
        std::vector<uint8_t> all;
        for (const auto& some : count_)
            for (const auto& count : some) all.push_back(count.load(std::memory_order_relaxed));
        return all;
    }

    // Adds what another table has counted in rows of other persons. Counts below k are exact, so their sums are, too.
    void merge_cells(const uint8_t* more, int64_t size) {
        int64_t own = 0;
        for (const auto& some : count_) own += static_cast<int64_t>(some.size());
        if (size != own) throw std::invalid_argument("the tables differ");
        for (auto& some : count_)
            for (auto& count : some) {
                int sum = count.load(std::memory_order_relaxed) + *more++;
                count.store(static_cast<uint8_t>(std::min<int>(k_, sum)), std::memory_order_relaxed);
            }
    }

    // The support of a set of labels, none above another, ascending: exact below k, and k otherwise. Of no labels: the persons with
    // a row that has labels.
    int64_t support(const Code* set, int of) const {
        int64_t cell = of == 0 ? 0 : of == 1 ? set[0] : of == 2 ? pair(set[0], set[1]) : triple(set[0], set[1]) + set[2];
        return count_[of][cell].load(std::memory_order_relaxed);
    }

    bool related(Code a, Code b) const { return a < b ? b < end_[a] : a < end_[b]; }
    Code labels() const { return labels_; }
    int size() const { return size_; }
    int64_t k() const { return k_; }

private:
    static constexpr Code NONE = -1;
    static constexpr int64_t MOST_ROWS = 1 << 15;  // of a batch, which a thread takes at a time
    struct Batch {
        std::vector<Code> labels;  // of each row, ascending, with NONE before the first row and after each
        std::vector<int64_t> start;  // by label: where its places start
        std::vector<uint32_t> places;  // in `labels`, by label
    };
    struct Label {
        const Code* path;  // the label and the nodes above it
        int height;  // how many of these are above no earlier label of the row
    };

    // The sets of two labels are sorted by the first label, then the second; those of three likewise.
    void number_sets() {
        int64_t pairs = 0;
        for (Code label = 0; label < labels_; ++label) {
            pairs_.push_back(pairs - label - 1);
            pairs += labels_ - 1 - label;
        }
        int64_t triples = 0;
        for (Code label = 0; label < labels_; ++label) {
            int64_t after = labels_ - 1 - label;
            triples_.push_back(triples - (pairs_[label] + label + 1 + after));  // the pairs of labels up to this one
            triples += after * (after - 1) / 2;
        }
        cells_[0] = 1;
        cells_[1] = labels_;
        cells_[2] = pairs;
        cells_[3] = triples;
    }
    int64_t pair(Code a, Code b) const { return pairs_[a] + b; }
    int64_t triple(Code a, Code b) const { return triples_[a] + pairs_[b]; }  // plus the third label

    void read(const RowsView& rows, int64_t from, int64_t to, Batch& batch) const {
        batch.labels.assign(1, NONE);
        for (int64_t r = from; r < to; ++r) {
            for (const Code* item = rows.begin(r); item != rows.end(r); ++item) {
                if (*item < 0 || *item >= static_cast<Code>(label_of_.size()))
                    throw std::invalid_argument("an item has no label");
                Code label = label_of_[*item];
                if (label == batch.labels.back()) continue;
                if (label < batch.labels.back()) throw std::invalid_argument("items must rise and have labels");
                batch.labels.push_back(label);
            }
            batch.labels.push_back(NONE);
        }
        if (batch.labels.size() > UINT32_MAX) throw std::length_error("too many labels in a batch of rows");
    }

    template <bool Shared>
    void count_by_label(Batch& batch, Pulse& pulse, double share) {
        const std::vector<Code>& labels = batch.labels;
        batch.start.assign(labels_ + 1, 0);
        for (size_t at = 1; at < labels.size(); ++at) {
            if (labels[at] != NONE) ++batch.start[labels[at] + 1];
            else if (labels[at - 1] != NONE) meet<Shared>(0, 0, NOBODY);
        }
        std::partial_sum(batch.start.begin(), batch.start.end(), batch.start.begin());
        batch.places.resize(batch.start.back());
        for (size_t at = 0; at < labels.size(); ++at)
            if (labels[at] != NONE) batch.places[batch.start[labels[at]]++] = static_cast<uint32_t>(at);
        for (uint32_t at : batch.places) {
            pulse.beat(share);
            count_from<Shared>(labels.data() + at, NOBODY);
        }
    }

    // For small tables, and for persons, who are counted right only if their rows follow each other.
    template <bool Shared>
    void count_by_row(const RowsView& rows, int64_t row, const Batch& batch, Pulse& pulse, double share) {
        const std::vector<Code>& labels = batch.labels;
        for (size_t at = 1; at < labels.size(); ++at) {
            pulse.beat(share);
            Code person = rows.person(row);
            if (labels[at] != NONE) {
                count_from<Shared>(labels.data() + at, person);
                continue;
            }
            if (labels[at - 1] != NONE) meet<Shared>(0, 0, person);
            ++row;
        }
    }

    // Counts the sets of a row that start with a label or a node above it. The rest of the row follows.
    template <bool Shared>
    void count_from(const Code* first, Code person) {
        if (!full(1, *first)) {
            Label one = label_at(first);
            for (int a = 0; a < one.height && meet<Shared>(1, one.path[a], person);) ++a;
        }
        if (size_ < 2) return;
        const std::atomic<uint8_t>* pairs = count_[2].data() + pairs_[*first];
        for (const Code* second = first + 1; *second != NONE; ++second)
            if (pairs[*second].load(std::memory_order_relaxed) < k_) count_above<Shared>(first, second, person);
        if (size_ < 3) return;
        Label one = label_at(first);
        for (const Code* second = first + 1; *second != NONE; ++second) {
            Label two = label_at(second);
            int most = apart(one, *second);
            const std::atomic<uint8_t>* triples = count_[3].data() + triple(*first, *second);
            for (const Code* third = second + 1; *third != NONE; ++third)
                if (triples[*third].load(std::memory_order_relaxed) < k_)
                    count_above<Shared>(one, most, two, apart(two, *third), label_at(third), person);
        }
    }

    Label label_at(const Code* at) const {
        const Code* path = nodes_.data() + path_[*at];
        auto steps = static_cast<int>(path_[*at + 1] - path_[*at]);
        int height = 1;
        while (height < steps && path[height] > at[-1]) ++height;
        return {path, height};
    }

    // How many nodes on the path of a label are not above a later label of the row.
    int apart(Label label, Code later) const {
        int steps = 1;
        while (steps < label.height && end_[label.path[steps]] <= later) ++steps;
        return steps;
    }

    template <bool Shared>
    void count_above(const Code* first, const Code* second, Code person) {
        Label one = label_at(first), two = label_at(second);
        int most = apart(one, *second);
        for (int b = 0; b < two.height; ++b) {
            if (!meet<Shared>(2, pair(*first, two.path[b]), person)) return;
            for (int a = 1; a < most && meet<Shared>(2, pair(one.path[a], two.path[b]), person);) ++a;
        }
    }

    // most, most_second: how many of the lowest nodes of the first and the second path are apart from the next label.
    template <bool Shared>
    void count_above(Label one, int most, Label two, int most_second, Label three, Code person) {
        for (int c = 0; c < three.height; ++c)
            for (int b = 0; b < most_second; ++b) {
                if (!meet<Shared>(3, triple(one.path[0], two.path[b]) + three.path[c], person)) {
                    if (b == 0) return;
                    break;
                }
                for (int a = 1; a < most && meet<Shared>(3, triple(one.path[a], two.path[b]) + three.path[c], person);) ++a;
            }
    }

    bool full(int of, int64_t cell) const { return count_[of][cell].load(std::memory_order_relaxed) >= k_; }

    // Counts a person for a set. Returns whether the person is new and fewer than k others were counted before.
    template <bool Shared>
    bool meet(int of, int64_t cell, Code person) {
        std::atomic<uint8_t>& count = count_[of][cell];
        uint8_t known = count.load(std::memory_order_relaxed);
        if (known >= k_) return false;
        if (person != NOBODY) {
            if (last_[of][cell] == person) return false;
            last_[of][cell] = person;
        }
        if (!Shared) {
            count.store(static_cast<uint8_t>(known + 1), std::memory_order_relaxed);
            return true;
        }
        while (!count.compare_exchange_weak(known, static_cast<uint8_t>(known + 1), std::memory_order_relaxed))
            if (known >= k_) return false;
        return true;
    }

    std::vector<Code> label_of_;
    uint8_t k_;
    int size_;
    Code labels_;
    std::vector<Code> nodes_;  // the paths from each label to below the root
    std::vector<int64_t> path_;  // where the path of each label starts
    std::vector<Code> end_;  // one past the last label below each
    std::vector<int64_t> pairs_, triples_;  // by label: the offset of the sets that it starts
    int64_t cells_[4] = {0, 0, 0, 0};
    std::vector<std::atomic<uint8_t>> count_[4];  // by size and set
    std::vector<Code> last_[4];  // by size and set: the person counted last
};

}  // namespace shoal
