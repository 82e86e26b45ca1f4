// The pairs of nodes that 1..k-1 persons hold in a row: a complete table, as bits while that is small, else as sorted lists.
#pragma once

#include "core/parallel.hpp"
#include "search/node_rows.hpp"

namespace shoal {

class PairTable {
public:
    // For the given nodes, ascending. Pairs of a node and its ancestor are left out.
    PairTable(const NodeRows& holders, const Tree& tree, std::vector<Code> nodes, int64_t k, int threads, const Tick& tick)
        : nodes_(std::move(nodes)), rank_(tree.nodes, -1) {
        auto n = static_cast<int64_t>(nodes_.size());
        for (int64_t i = 0; i < n; ++i) rank_[nodes_[i]] = static_cast<Code>(i);
        words_ = n <= DENSE ? (n + 63) / 64 : 0;
        bits_.assign(n * words_, 0);
        lists_.resize(words_ ? 0 : n);
        Rows rows;  // of ranks
        for (int64_t r = 0; r < holders.expanded.size(); ++r) {
            for (const Code* u = holders.expanded.begin(r); u != holders.expanded.end(r); ++u)
                if (rank_[*u] >= 0) rows.items.push_back(rank_[*u]);
            rows.close_row(holders.expanded.weight[r], holders.expanded.person(r));
        }
        threads = worker_count(threads, n);
        std::vector<std::vector<int64_t>> counts(threads, std::vector<int64_t>(n, 0));
        std::vector<std::vector<Code>> met(threads);
        std::vector<PersonsByLabel> persons(threads);
        for (auto& some : persons) some.prepare(n, rows);
        parallel(n, threads, tick, [&](int w, int64_t i, Pulse& pulse) {
            pulse.beat(static_cast<double>(i) / static_cast<double>(n));
            auto& count = counts[w];
            auto& touched = met[w];
            touched.clear();
            Code u = nodes_[i];
            for (const int32_t* r = holders.begin(u); r != holders.end(u); ++r) {
                const Code* end = rows.end(*r);
                for (const Code* v = std::upper_bound(rows.begin(*r), end, static_cast<Code>(i)); v != end; ++v) {
                    if (!count[*v]) touched.push_back(*v);
                    persons[w].add(count[*v], *v, rows.weight[*r], rows.person(*r));
                }
            }
            for (Code j : touched) {
                if (count[j] < k && !tree.related(u, nodes_[j])) {
                    if (words_) bits_[i * words_ + (j >> 6)] |= 1ULL << (j & 63);
                    else lists_[i].push_back(j);
                }
                count[j] = 0;
            }
            if (!words_) std::sort(lists_[i].begin(), lists_[i].end());
        });
    }

    // Whether a pair of nodes of the table is rare.
    bool rare(Code u, Code v) const {
        auto [i, j] = std::minmax(rank_[u], rank_[v]);
        if (words_) return bits_[i * words_ + (j >> 6)] >> (j & 63) & 1;
        return std::binary_search(lists_[i].begin(), lists_[i].end(), j);
    }

    // body(worker, u, v) for every rare pair, u below v in id.
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

    std::vector<Code> nodes_;
    std::vector<Code> rank_;
    int64_t words_;  // words of bits for each node; 0: lists
    std::vector<uint64_t> bits_;
    std::vector<std::vector<Code>> lists_;
};

}  // namespace shoal
