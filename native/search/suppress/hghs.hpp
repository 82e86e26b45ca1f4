// HgHs (Liu and Wang 2010): a cut is expanded top-down, label by label. At each cut, what is still rare is suppressed.
//
// The paper mines the threats of all cuts of a taxonomy beforehand. Here they are mined along the walk: those of the cut, and
// those that one further expansion would bring. When a label is expanded, a set is new to such an expansion only if it
// contains a part of each, so no set is counted twice (decision 0009).
//
// Time: that of counting the label sets of the cuts next to the walk, and of the trial expansions. A trial is repeated only
// if something relevant has changed. Memory: the expanded rows, and the threats.
#pragma once

#include <unordered_map>

#include "core/parallel.hpp"
#include "search/node_rows.hpp"
#include "search/suppress/mine.hpp"
#include "search/suppress/suppression_state.hpp"

namespace shoal {

// The costs of nodes, and the order in which their suppression is decided.
struct Suppressible {
    std::vector<Code> rank;
    std::vector<Toll> kept, gone;  // if a node is kept, and if it is suppressed
    int64_t budget;  // number of items of records that may be suppressed

    bool allows(const Toll& toll) const { return !toll.barred && toll.occurrences <= budget; }
};

// A small list for each row: never more entries than the row has items.
template <class Entry>
class Bags {
public:
    explicit Bags(const Rows& rows) : rows_(rows), entries_(rows.items.size()), size_(rows.size(), 0) {}

    const Entry* begin(int64_t row) const { return entries_.data() + rows_.indptr[row]; }
    const Entry* end(int64_t row) const { return begin(row) + size_[row]; }
    void put(int64_t row, Entry entry) { entries_[rows_.indptr[row] + size_[row]++] = entry; }
    template <class Unwanted>
    void drop(int64_t row, Unwanted unwanted) {
        Entry* from = entries_.data() + rows_.indptr[row];
        size_[row] = static_cast<int32_t>(std::remove_if(from, from + size_[row], unwanted) - from);
    }

private:
    const Rows& rows_;
    std::vector<Entry> entries_;
    std::vector<int32_t> size_;
};

// One search, down to a floor, for sets of up to `size` labels.
class HgHs {
public:
    int64_t moves = 0, evaluations = 0;

    HgHs(Rows rows, const Tree& tree, const std::vector<uint8_t>& above, const Suppressible& what, int64_t k, int size,
         int64_t most, const Tick& tick)
        : tree_(tree), what_(what), k_(k), size_(size), pulse_(tick, cancelled_, true), holders_(std::move(rows), tree, k),
          children_(tree.nodes), labels_(holders_.rows), parts_(holders_.rows), scenario_(what.rank, what.kept, what.gone, most),
          miner_(k, tree.nodes), code_(tree.nodes, -1), together_(tree.nodes), change_(tree.nodes), fresh_(tree.nodes, 0),
          readers_(tree.nodes), turners_(tree.nodes) {
        // A single child represents the same items as its parent, and replaces it.
        std::vector<std::vector<Code>> below(tree.nodes);
        for (Code u = 0; u < tree.root(); ++u)
            if (above[tree.parent[u]]) below[tree.parent[u]].push_back(u);
        auto lowered = [&](Code u) {
            while (below[u].size() == 1) u = below[u][0];
            return u;
        };
        for (Code u = tree.leaves; u < tree.nodes; ++u)
            for (Code v : below[u]) children_[u].push_back(lowered(v));
        top_ = lowered(tree.root());
        everywhere_.resize(holders_.rows.size());
        std::iota(everywhere_.begin(), everywhere_.end(), 0);
        total_ = persons_of(holders_.rows);
    }
    HgHs(const HgHs&) = delete;

    void run() {
        if (rare(top_)) scenario_.condemn(top_);
        enter({top_});
        scenario_.expand(-1, Set{top_});
        if (!children_[top_].empty()) mine_below(top_);
        while (step()) ++moves;
    }

    const SuppressionState& scenario() const { return scenario_; }

private:
    struct Part {
        Code whole, part;
    };

    bool open(Code u) const { return !children_[u].empty(); }
    int64_t support(Code u) const { return u == tree_.root() ? total_ : holders_.support(u); }
    bool rare(Code u) const { return support(u) > 0 && support(u) < k_; }
    const int32_t* begin(Code u) const { return u == tree_.root() ? everywhere_.data() : holders_.begin(u); }
    const int32_t* end(Code u) const { return u == tree_.root() ? begin(u) + everywhere_.size() : holders_.end(u); }

    // Expands the label that gains most, if any gains.
    bool step() {
        Code best = -1;
        Toll least = scenario_.toll();
        bool allowed = what_.allows(least);
        for (Code u : candidates_) {
            if (!fresh_[u]) evaluate(u);
            Toll toll = scenario_.toll();
            toll += change_[u];
            if (!what_.allows(toll) || (allowed && toll.cost > least.cost)) continue;
            if (allowed && toll.cost == least.cost && (best < 0 || !before(u, best))) continue;
            best = u;
            least = toll;
            allowed = true;
        }
        if (best < 0) return false;
        commit(best);
        return true;
    }
    bool before(Code u, Code v) const { return tree_.size(u) != tree_.size(v) ? tree_.size(u) < tree_.size(v) : u < v; }

    void evaluate(Code u) {
        pulse_.beat(0);
        ++evaluations;
        scenario_.expand(u, children_[u]);
        change_[u] = scenario_.change();
        for (Code v : scenario_.read)
            if (v == u || scenario_.present(v)) note(readers_[v], u);
        for (Code v : scenario_.turned) note(turners_[v], u);
        scenario_.take_back();
        fresh_[u] = 1;
    }
    static void note(std::vector<Code>& list, Code u) {
        if (list.empty() || list.back() != u) list.push_back(u);
    }
    void spoil(std::vector<Code>& list) {
        for (Code u : list) fresh_[u] = 0;
        list.clear();
    }

    void commit(Code w) {
        scenario_.expand(w, children_[w]);
        for (Code u : scenario_.read) spoil(readers_[u]);
        scenario_.each_met(children_[w], [&](Code u) { spoil(turners_[u]); });
        scenario_.forget(w);
        candidates_.erase(std::find(candidates_.begin(), candidates_.end(), w));
        mine_beside(w);
        enter(children_[w], w);
        for (Code u : children_[w])
            if (open(u)) mine_below(u);
    }

    // Replaces the expanded label by the labels and their parts, in its rows.
    void enter(const Set& labels, Code instead = -1) {
        for (Code u : labels) {
            if (open(u)) candidates_.push_back(u);
            for (Code v : children_[u])
                if (rare(v)) scenario_.condemn(v);
        }
        if (size_ < 2) return;
        if (instead >= 0)
            for (const int32_t* r = begin(instead); r != end(instead); ++r) {
                labels_.drop(*r, [&](Code u) { return u == instead; });
                parts_.drop(*r, [&](const Part& part) { return part.whole == instead; });
            }
        for (Code u : labels) {
            for (const int32_t* r = begin(u); r != end(u); ++r) labels_.put(*r, u);
            for (Code v : children_[u])
                for (const int32_t* r = begin(v); r != end(v); ++r) parts_.put(*r, {u, v});
        }
    }

    // Finds threats that an expansion of u, a new label, would bring.
    void mine_below(Code u) {
        rows_.assign(begin(u), end(u));
        mine(u, -1);
    }

    // Finds threats that an expansion of another label would bring now that w is expanded: with parts of both.
    void mine_beside(Code w) {
        if (size_ < 2) return;
        std::vector<Code> others;
        for (const int32_t* r = begin(w); r != end(w); ++r)
            for (const Code* u = labels_.begin(*r); u != labels_.end(*r); ++u)
                if (*u != w && open(*u)) {
                    if (together_[*u].empty()) others.push_back(*u);
                    together_[*u].push_back(*r);
                }
        for (Code u : others) {
            rows_.swap(together_[u]);
            together_[u].clear();
            mine(u, w);
        }
    }

    // Finds threats with a part of u and, if there is a w, one of w, from rows_. Labels that are rare alone are in no larger
    // threat.
    void mine(Code u, Code w) {
        if (size_ < 2) return;
        order_.clear();
        Rows wide;
        auto put = [&](Code v) {
            if (support(v) < k_) return;
            if (code_[v] < 0) {
                code_[v] = 0;
                order_.push_back(v);
            }
            wide.items.push_back(v);
        };
        for (int32_t r : rows_) {
            bool of_u = false, of_w = w < 0;
            for (const Part* p = parts_.begin(r); p != parts_.end(r); ++p) {
                if (p->whole != u && p->whole != w) continue;
                auto known = wide.items.size();
                put(p->part);
                if (wide.items.size() > known) (p->whole == u ? of_u : of_w) = true;
            }
            if (!of_u || !of_w) {
                wide.items.resize(wide.indptr.back());
                continue;
            }
            if (size_ > 2 || w < 0)
                for (const Code* v = labels_.begin(r); v != labels_.end(r); ++v)
                    if (*v != u && *v != w) put(*v);
            wide.close_row(holders_.rows.weight[r], holders_.rows.person(r));
        }
        auto group = [&](Code v) { return part_of(v, u) ? 0 : w >= 0 && part_of(v, w) ? 1 : 2; };
        std::vector<std::pair<std::pair<int, int64_t>, Code>> sorted;
        for (Code v : order_) sorted.push_back({{group(v), support(v)}, v});
        std::sort(sorted.begin(), sorted.end());
        Code first = 0, second = 0;
        for (size_t i = 0; i < sorted.size(); ++i) {
            order_[i] = sorted[i].second;
            code_[order_[i]] = static_cast<Code>(i);
            first += sorted[i].first.first == 0;
            second += sorted[i].first.first <= 1;
        }
        for (int64_t r = 0; r < wide.size(); ++r) {
            auto from = wide.items.begin() + wide.indptr[r], to = wide.items.begin() + wide.indptr[r + 1];
            for (auto v = from; v != to; ++v) *v = code_[*v];
            std::sort(from, to);
        }
        for (Code v : order_) code_[v] = -1;
        if (wide.size() == 0) return;
        int64_t known = scenario_.threats();
        if (size_ > 2) wide = distinct(wide);
        miner_.run(wide, first, w < 0 ? first : second, size_, pulse_, [&](const std::vector<Code>& codes) {
            Set set;
            for (Code i : codes) set.push_back(order_[i]);
            if (minimal(set, counted(codes, w < 0 ? 0 : first))) scenario_.add(std::move(set));
        });
        if (scenario_.threats() > known) fresh_[u] = 0;
    }
    bool part_of(Code v, Code u) const { return v != u && tree_.covers(u, v); }

    // How many of its last labels can be left out of a set such that the miner has found the rest to be frequent: the sets
    // that it extended, and those that it counted on the way, from the first that has a label from each group.
    static int64_t counted(const std::vector<Code>& codes, Code from) {
        for (int64_t left_out = 2; left_out > 0; --left_out)
            if (static_cast<int64_t>(codes.size()) > left_out && codes[codes.size() - 1 - left_out] >= from) return left_out;
        return 0;
    }

    // Whether no proper subset is rare. Those without one of the last few labels are known to be frequent.
    bool minimal(const Set& set, int64_t known) {
        if (set.size() < 3) return true;
        for (size_t i = 0; i < set.size(); ++i)
            for (size_t j = i + 1; j < set.size(); ++j)
                if (rare_pair(set[i], set[j])) return false;
        if (set.size() < 4) return true;
        Set part(set.begin() + 1, set.end());
        for (size_t i = 0; i < set.size() - known; ++i) {
            if (holders_.rare(part)) return false;
            if (i < part.size()) part[i] = set[i];
        }
        return true;
    }

    // Whether a pair is rare. The result is cached: most sets that are not minimal contain such a pair.
    bool rare_pair(Code u, Code v) {
        auto [low, high] = std::minmax(u, v);
        auto [entry, fresh] = pairs_.try_emplace(static_cast<uint64_t>(low) << 32 | static_cast<uint64_t>(high), false);
        if (fresh) entry->second = holders_.rare({u, v});
        return entry->second;
    }

    const Tree& tree_;
    const Suppressible& what_;
    int64_t k_;
    int size_;
    std::atomic<bool> cancelled_{false};
    Pulse pulse_;
    NodeRows holders_;
    std::vector<std::vector<Code>> children_;  // of nodes above the floor
    Bags<Code> labels_;  // labels of the cut in each row
    Bags<Part> parts_;  // what labels that can be expanded would become in it
    Code top_;
    std::vector<int32_t> everywhere_;
    int64_t total_ = 0;
    SuppressionState scenario_;
    Miner miner_;
    std::unordered_map<uint64_t, bool> pairs_;  // pairs of labels: whether they are rare
    std::vector<Code> candidates_;  // labels of the cut above the floor
    std::vector<Code> code_, order_;  // of the labels that are mined
    std::vector<int32_t> rows_;
    std::vector<std::vector<int32_t>> together_;
    std::vector<Toll> change_;  // of expanding a label, as last evaluated
    std::vector<uint8_t> fresh_;  // whether that is still valid
    std::vector<std::vector<Code>> readers_, turners_;  // evaluations that have read, or changed, a label
};

}  // namespace shoal
