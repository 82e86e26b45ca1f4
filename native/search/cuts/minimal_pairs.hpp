// The minimal threats among very many of one or two nodes. Dominance compares a threat with one other at a time. Here, all
// comparisons of a node are made at once, by rows of bits.
//
// {p, q} is redundant if there is another threat {p', q'} with p' at or above p, and q' at or above q. So redundancy is inherited:
// {p, q} is redundant if {parent of p, q} or {p, parent of q} is a threat or redundant.
#pragma once

#include "search/cuts/dominance.hpp"

namespace shoal {

class MinimalPairs {
public:
    // `closed`: the nodes that are threats by themselves.
    MinimalPairs(const Tree& tree, const std::vector<uint8_t>& closed) : at_(tree.nodes, NONE) {
        auto dead = tree.at_or_below(closed);
        for (Code u = tree.root() + 1; u-- > tree.leaves;) {  // parents first
            bool top = u == tree.root();
            if (dead[u] && (top || !dead[tree.parent[u]])) singles_.push_back(u);
            if (dead[u]) continue;
            at_[u] = static_cast<Code>(nodes_.size());
            nodes_.push_back(u);
            above_.push_back(top ? NONE : at_[tree.parent[u]]);
        }
    }

    // Whether this is fast for so many threats, and the tables are small enough.
    bool pays(size_t threats) const { return nodes_.size() <= std::min(threats, MOST); }

    // The threats that no other makes redundant, in no order. Those of single nodes are known.
    std::vector<Set> of(const std::vector<Set>& threats) const {
        auto n = static_cast<Code>(nodes_.size());
        Bits threat(n), redundant(n);  // redundant: or a threat itself
        for (const Set& set : threats) {
            Code p = at_[set.front()], q = at_[set.back()];
            if (p == NONE || q == NONE) continue;
            threat.set(p, q);
            threat.set(q, p);
        }
        std::vector<Set> sets;
        for (Code u : singles_) sets.push_back({u});
        for (Code i = 1; i < n; ++i) {  // nothing is redundant because of the root, which is above all others
            redundant.unite(i, threat, i);
            redundant.unite(i, redundant, above_[i]);
            for (Code j = 1; j < n; ++j)
                if (redundant.get(i, above_[j])) redundant.set(i, j);
            for (Code j = 1; j < i; ++j)
                if (threat.get(i, j) && !redundant.get(i, above_[j]) && !redundant.get(above_[i], j))
                    sets.push_back({std::min(nodes_[i], nodes_[j]), std::max(nodes_[i], nodes_[j])});
        }
        return sets;
    }

private:
    static constexpr Code NONE = -1;
    static constexpr size_t MOST = 20'000;  // nodes: two tables of 50 MB

    class Bits {
    public:
        explicit Bits(Code n) : words_((n + 63) / 64), bits_(words_ * n, 0) {}
        bool get(Code i, Code j) const { return bits_[i * words_ + (j >> 6)] >> (j & 63) & 1; }
        void set(Code i, Code j) { bits_[i * words_ + (j >> 6)] |= uint64_t{1} << (j & 63); }
        void unite(Code i, const Bits& other, Code row) {
            for (int64_t word = 0; word < words_; ++word) bits_[i * words_ + word] |= other.bits_[row * words_ + word];
        }

    private:
        int64_t words_;
        std::vector<uint64_t> bits_;
    };

    std::vector<Code> at_;  // by node: its place in nodes_, or NONE if it cannot be expanded
    std::vector<Code> nodes_, above_;  // that can be expanded, parents first; the place of the parent
    std::vector<Code> singles_;
};

// The threats that no other makes redundant, in the order of Dominance.
inline std::vector<Set> minimal_threats(const Tree& tree, std::vector<Set> sets) {
    std::vector<uint8_t> closed(tree.nodes, 0);
    for (const Set& set : sets)
        if (set.size() == 1) closed[set[0]] = 1;
    MinimalPairs table(tree, closed);
    bool small = std::all_of(sets.begin(), sets.end(), [](const Set& set) { return set.size() == 1 || set.size() == 2; });
    Dominance order(tree);
    if (!small || !table.pays(sets.size())) return order.minimal(std::move(sets));
    sets = table.of(sets);
    order.sort(sets);
    return sets;
}

}  // namespace shoal
