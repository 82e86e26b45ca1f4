// The pairs of nodes that 1..k-1 persons hold in a row: a complete table, as bits while that is small, else as sorted lists.
//
// Nodes are ranked by support, the rarest first. The rows of a node are gone through for the nodes above it in rank. Very frequent
// nodes are soon met k times by any other: they are at the end of the rows, and left out as soon as that is so.
#pragma once

#include "core/parallel.hpp"
#include "search/node_rows.hpp"

namespace shoal {

class PairTable {
public:
    // For the given nodes. Pairs of a node and its ancestor are left out.
    PairTable(const NodeRows& holders, const Tree& tree, std::vector<Code> nodes, int64_t k, int threads, const Tick& tick)
        : nodes_(std::move(nodes)), rank_(tree.nodes, -1) {
        std::sort(nodes_.begin(), nodes_.end(), [&](Code a, Code b) {
            auto of_a = holders.end(a) - holders.begin(a), of_b = holders.end(b) - holders.begin(b);
            return of_a != of_b ? of_a < of_b : a < b;
        });
        auto n = static_cast<int64_t>(nodes_.size());
        for (int64_t i = 0; i < n; ++i) rank_[nodes_[i]] = static_cast<Code>(i);
        words_ = n <= DENSE ? (n + 63) / 64 : 0;
        bits_.assign(n * words_, 0);
        lists_.resize(words_ ? 0 : n);
        Rows rows = ranked(holders);
        threads = worker_count(threads, n);
        std::vector<Counter> counters(threads);
        for (auto& counter : counters) counter.prepare(n, rows);
        parallel(n, threads, tick, [&](int w, int64_t i, Pulse& pulse) {
            pulse.beat(static_cast<double>(i) / static_cast<double>(n));
            auto at = static_cast<Code>(n - 1 - i);  // those with few others above them come last
            count(holders, tree, rows, at, k, counters[w]);
        });
    }

    // Whether a pair of nodes of the table is rare.
    bool rare(Code u, Code v) const {
        auto [i, j] = std::minmax(rank_[u], rank_[v]);
        if (words_) return bits_[i * words_ + (j >> 6)] >> (j & 63) & 1;
        return std::binary_search(lists_[i].begin(), lists_[i].end(), j);
    }

    // body(worker, u, v) for every rare pair.
    template <class Body>
    void each(int threads, const Tick& tick, Body body) const {
        auto n = static_cast<int64_t>(nodes_.size());
        parallel(n, threads, tick, [&](int w, int64_t i, Pulse& pulse) {
            pulse.beat(static_cast<double>(i) / static_cast<double>(n));
            for (int64_t word = 0; word < words_; ++word)
                for (uint64_t left = bits_[i * words_ + word]; left; left &= left - 1) {
                    int64_t j = word * 64;
                    for (uint64_t low = left & (~left + 1); low >>= 1;) ++j;
                    body(w, nodes_[i], nodes_[j]);
                }
            if (!words_)
                for (Code j : lists_[i]) body(w, nodes_[i], nodes_[j]);
        });
    }

private:
    static constexpr int64_t DENSE = 20'000;  // limit on the nodes for bits: 50 MB
    static constexpr int64_t FIRST = 32;  // rows of a node after which frequent nodes may be left out
    static constexpr size_t ALONE = 8;  // nodes that are looked up one by one, so that those above them can be left out
    static constexpr int64_t PAYS = 1024;  // rows for which that pays

    // What a worker needs to count the pairs of one node.
    struct Counter {
        std::vector<int64_t> count;  // by rank; all 0 between two nodes
        std::vector<Code> met;
        std::vector<Code> alone;
        PersonsByLabel persons;

        void prepare(int64_t n, const Rows& rows) {
            count.assign(n, 0);
            persons.prepare(n, rows);
        }
    };

    // The rows as ranks, ascending.
    Rows ranked(const NodeRows& holders) const {
        Rows rows;
        rows.indptr.assign(holders.expanded.size() + 1, 0);
        for (Code u : nodes_)
            for (const int32_t* r = holders.begin(u); r != holders.end(u); ++r) ++rows.indptr[*r + 1];
        std::partial_sum(rows.indptr.begin(), rows.indptr.end(), rows.indptr.begin());
        rows.items.resize(rows.indptr.back());
        std::vector<int64_t> fill(rows.indptr.begin(), rows.indptr.end() - 1);
        for (Code u : nodes_)
            for (const int32_t* r = holders.begin(u); r != holders.end(u); ++r) rows.items[fill[*r]++] = rank_[u];
        rows.weight = holders.expanded.weight;
        rows.persons = holders.expanded.persons;
        return rows;
    }

    void count(const NodeRows& holders, const Tree& tree, const Rows& rows, Code i, int64_t k, Counter& own) {
        Code u = nodes_[i], stop = static_cast<Code>(nodes_.size());  // ranks from here on are settled
        own.met.clear();
        own.alone.clear();
        int64_t left = holders.end(u) - holders.begin(u), check = left - FIRST;
        for (const int32_t* r = holders.begin(u); r != holders.end(u) && stop > i + 1; ++r, --left) {
            const Code* end = rows.end(*r);
            for (const Code* v = std::upper_bound(rows.begin(*r), end, i); v != end && *v < stop; ++v) {
                if (!own.count[*v]) own.met.push_back(*v);
                own.persons.add(own.count[*v], *v, rows.weight[*r], rows.person(*r));
            }
            if (left > check) continue;
            for (; stop > i + 1; --stop) {
                if (own.count[stop - 1] >= k || tree.related(u, nodes_[stop - 1])) continue;
                if (left < PAYS || own.alone.size() == ALONE) break;
                own.alone.push_back(stop - 1);
            }
            check = left - left / 8 - 1;
        }
        for (Code v : own.alone) {
            if (!own.count[v]) own.met.push_back(v);
            own.count[v] = holders.support({u, nodes_[v]});
        }
        for (Code j : own.met) {
            if (own.count[j] > 0 && own.count[j] < k && !tree.related(u, nodes_[j])) {
                if (words_) bits_[i * words_ + (j >> 6)] |= 1ULL << (j & 63);
                else lists_[i].push_back(j);
            }
            own.count[j] = 0;
        }
        if (!words_) std::sort(lists_[i].begin(), lists_[i].end());
    }

    std::vector<Code> nodes_;  // by rank
    std::vector<Code> rank_;
    int64_t words_;  // words of bits for each node; 0: lists
    std::vector<uint64_t> bits_;
    std::vector<std::vector<Code>> lists_;
};

}  // namespace shoal
