// HgHs for fixed rows and a fixed hierarchy, with changing floors and sizes, and a check of the result.
#pragma once

#include "core/parallel.hpp"
#include "search/suppress/hghs.hpp"

namespace shoal {

// Rows over a hierarchy. Owns copies of all data.
class Suppression {
public:
    struct Found {
        std::vector<Code> raised, suppressed;
        int64_t cost = 0;
        bool allowed = false;
        int64_t threats = 0, moves = 0, evaluations = 0;
    };

    Suppression(const RowsView& view, std::vector<Code> parent, std::vector<Code> span, Suppressible what, Code leaves, int64_t k)
        : parent_(std::move(parent)), span_(std::move(span)),
          tree_{parent_.data(), span_.data(), nullptr, static_cast<Code>(parent_.size()), leaves}, what_(std::move(what)), k_(k),
          rows_(distinct(view)) {}
    Suppression(const Suppression&) = delete;

    // Searches from the root down to the cut `raised`, for sets of up to `size` labels. Throws std::overflow_error if there
    // are more than `most` threats.
    Found run(const Set& raised, int size, int64_t most, const Tick& tick) const {
        std::vector<uint8_t> above(tree_.nodes, 0);
        std::vector<Code> floor = labels(raised);
        for (Code leaf = 0; leaf < tree_.leaves; ++leaf)
            for (Code u = floor[leaf]; u != tree_.root() && !above[tree_.parent[u]]; u = tree_.parent[u])
                above[tree_.parent[u]] = 1;
        HgHs search(generalized(floor), tree_, above, what_, k_, size, most, tick);
        search.run();
        const SuppressionState& end = search.scenario();
        Found found;
        for (Code u = 0; u < tree_.nodes; ++u) {
            if (!end.present(u)) continue;
            if (u >= tree_.leaves) found.raised.push_back(u);
            if (end.suppressed(u)) found.suppressed.push_back(u);
        }
        found.cost = end.toll().cost;
        found.allowed = what_.allows(end.toll());
        found.threats = end.threats();
        found.moves = search.moves;
        found.evaluations = search.evaluations;
        return found;
    }

    // Whether every published row is contained in rows of at least k persons, so that no set of any size is rare.
    bool whole(const Set& raised, const Set& suppressed, const Tick& tick) const {
        std::vector<Code> label_of = labels(raised);
        std::vector<uint8_t> gone(tree_.nodes, 0);
        for (Code u : suppressed) gone[u] = 1;
        for (Code& u : label_of)
            if (gone[u]) u = -1;
        Rows rows = generalized(label_of);
        std::vector<std::vector<int32_t>> holders(tree_.nodes);
        for (int64_t r = 0; r < rows.size(); ++r)
            for (const Code* u = rows.begin(r); u != rows.end(r); ++u) holders[*u].push_back(static_cast<int32_t>(r));
        std::atomic<bool> cancelled{false};
        Pulse pulse(tick, cancelled, true);
        for (int64_t r = 0; r < rows.size(); ++r) {
            pulse.beat(0);
            if (rows.weight[r] >= k_) continue;
            auto rarer = [&](Code a, Code b) { return holders[a].size() < holders[b].size(); };
            Code rarest = *std::min_element(rows.begin(r), rows.end(r), rarer);
            Persons found;
            for (int32_t other : holders[rarest]) {
                if (found.count() >= k_) break;
                if (std::includes(rows.begin(other), rows.end(other), rows.begin(r), rows.end(r))) found.add(rows, other);
            }
            if (found.count() < k_) return false;
        }
        return true;
    }

private:
    // The node of the cut above each leaf.
    std::vector<Code> labels(const Set& raised) const {
        std::vector<Code> label_of(tree_.leaves);
        std::iota(label_of.begin(), label_of.end(), 0);
        Set ascending(raised);
        std::sort(ascending.begin(), ascending.end());
        for (Code u : ascending) std::fill(label_of.begin() + tree_.first(u), label_of.begin() + tree_.stop(u), u);
        return label_of;
    }

    // The rows with these labels (-1 for none), with equal rows merged.
    Rows generalized(const std::vector<Code>& label_of) const {
        Rows rows;
        for (int64_t r = 0; r < rows_.size(); ++r) {
            auto start = rows.indptr.back();
            for (const Code* item = rows_.begin(r); item != rows_.end(r); ++item)
                if (label_of[*item] >= 0) rows.items.push_back(label_of[*item]);
            auto from = rows.items.begin() + start;
            std::sort(from, rows.items.end());
            rows.items.erase(std::unique(from, rows.items.end()), rows.items.end());
            rows.close_row(rows_.weight[r], rows_.person(r));
        }
        return distinct(rows);
    }

    std::vector<Code> parent_, span_;
    Tree tree_;
    Suppressible what_;
    int64_t k_;
    Rows rows_;
};

}  // namespace shoal
