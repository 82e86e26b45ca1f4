// Direct anonymization (Terrovitis et al. 2008, Alg. 3; Terrovitis et al. 2011, s.4.3) without a materialised count-tree. One
// pass for each size makes it AA (Alg. 4).
//
// The count-tree of itemsets of at most `size` labels (items at the cut, and all their generalizations except the root) is
// walked in preorder, with labels by falling support or by the leaves below them (label_order.hpp). The children of a node
// are counted only when the walk gets there. A leaf with a count below k is repaired: of all ways to raise its labels to a
// support of k, the one with the lowest loss is committed (ties: fewer leaves, then lower ids). The walk goes on where no
// label of the path was raised.
//
// If bounded, the root is not used: a set that only the root would repair stays as it is (parts of VPA; Terrovitis et al.
// 2011, Alg. 7).
//
// Time: that of enumerating the label sets that are visited. Memory: proportional to the expanded rows, for each size.
#pragma once

#include "core/parallel.hpp"
#include "search/cheapest_raise.hpp"
#include "search/distinct.hpp"
#include "search/label_order.hpp"
#include "search/persons.hpp"

namespace shoal {

class DirectPass {
public:
    // supports: of all nodes, if the rows are only what the search needs of all rows; null: they are counted.
    // safe_size: sets of up to so many labels are known to be safe at the cut.
    DirectPass(RowsView view, Tree tree, int64_t k, const Code* raised, int64_t n_raised, bool bounded, bool by_leaves,
               const int64_t* supports, int safe_size, const Tick& tick)
        : tree_(tree), cut_(tree), k_(k), bounded_(bounded), pulse_(tick, cancelled_, true), safe_size_(safe_size) {
        for (int64_t i = 0; i < n_raised; ++i) raise(raised[i]);

        cut_rows_ = distinct(view, [this] { pulse_.beat(0.0); });
        non_empty_ = persons_of(cut_rows_);
        node_of_ = label_order(cut_rows_, tree, by_leaves, supports);
        rank_of_.assign(tree.nodes, -1);
        for (size_t r = 0; r < node_of_.size(); ++r) rank_of_[node_of_[r]] = static_cast<Code>(r);
        rebuild();
    }

    // Walks once over the label sets of at most `size` labels.
    void run(int size) {
        size_ = size;
        levels_.resize(size);
        if (dead_) rebuild();
        bool apriori = safe_size_ == size - 1;  // smaller sets are safe already
        counted_ = 0;
        std::vector<Code> prefix;
        auto labels = static_cast<Code>(node_of_.size());
        for (Code first = 0; first < labels; ++first) {
            share_ = static_cast<double>(first) / labels;
            if (cut_.below(node_of_[first]) || starts_[first] == starts_[first + 1]) continue;
            ++counted_;
            prefix.assign(1, first);
            const Place* from = places_.data() + starts_[first];
            const Place* to = places_.data() + starts_[first + 1];
            Persons holders;
            for (const Place* p = from; p != to; ++p) holders.add(rows_, p->row);
            if (size < 3) {
                walk(rows_, prefix, holders.count(), from, to);
            } else {
                project(first, from, to, apriori);
                walk(projected_, prefix, holders.count(), projected_places_.data(), projected_places_.data() + projected_.size());
            }
            if (dead_ * 4 > static_cast<int64_t>(rows_.items.size())) rebuild();
        }
        safe_size_ = size;
        most_counted_ = std::max(most_counted_, counted_);
    }

    // Whether sets of any size are safe: every row at the cut is contained in at least k rows.
    bool safe() {
        if (dead_) rebuild();
        for (int64_t r = 0; r < cut_rows_.size(); ++r) {
            pulse_.beat(1.0);
            if (cut_rows_.weight[r] < k_ && support_of({cut_rows_.begin(r), cut_rows_.end(r)}) < k_) return false;
        }
        return true;
    }

    std::vector<Code> raised() const { return cut_.raised(); }
    int64_t counted() const { return most_counted_; }  // count-tree nodes counted in the largest pass
    int64_t repairs() const { return repairs_; }

private:
    struct Place {  // small, because there is one for each label of each row
        int32_t row;
        uint32_t next;  // the label after it
    };
    static Place place(int64_t row, int64_t next) { return {static_cast<int32_t>(row), static_cast<uint32_t>(next)}; }
    struct Level {
        std::vector<int64_t> count;  // by rank
        PersonsByLabel persons;
        std::vector<Code> touched;
        std::vector<int64_t> slot;  // by rank
        std::vector<int64_t> start;
        std::vector<Place> places;
    };

    // ---- rows

    // The rows with their labels at the current cut.
    Rows at_cut() {
        Rows at_cut;
        for (int64_t r = 0; r < cut_rows_.size(); ++r) {
            pulse_.beat(share_);
            auto start = static_cast<int64_t>(at_cut.items.size());
            for (const Code* item = cut_rows_.begin(r); item != cut_rows_.end(r); ++item)
                at_cut.items.push_back(cut_.node_of(*item));
            std::sort(at_cut.items.begin() + start, at_cut.items.end());
            at_cut.items.erase(std::unique(at_cut.items.begin() + start, at_cut.items.end()), at_cut.items.end());
            at_cut.close_row(cut_rows_.weight[r], cut_rows_.person(r));
        }
        return at_cut;
    }

    // Builds the distinct rows at the current cut, each with all generalizations except the root, in count-tree order.
    void rebuild() {
        places_ = {};  // before other memory is taken
        rows_ = Rows();
        cut_rows_ = distinct(at_cut(), [this] { pulse_.beat(share_); });
        std::vector<int64_t> seen(tree_.nodes, -1);
        auto expand = [&](int64_t r, int64_t mark, auto visit) {
            pulse_.beat(share_);
            for (const Code* item = cut_rows_.begin(r); item != cut_rows_.end(r); ++item)
                for (Code u = *item; u != tree_.root() && seen[u] != mark; u = tree_.parent[u]) {
                    seen[u] = mark;
                    visit(rank_of_[u]);
                }
        };
        size_t labels = 0;
        for (int64_t r = 0; r < cut_rows_.size(); ++r) expand(r, r, [&](Code) { ++labels; });
        if (labels >= UINT32_MAX) throw std::length_error("too many labels in all rows");
        rows_.items.reserve(labels);
        for (int64_t r = 0; r < cut_rows_.size(); ++r) {
            auto start = static_cast<int64_t>(rows_.items.size());
            expand(r, cut_rows_.size() + r, [&](Code rank) { rows_.items.push_back(rank); });
            std::sort(rows_.items.begin() + start, rows_.items.end());
            rows_.close_row(cut_rows_.weight[r], cut_rows_.person(r));
        }
        starts_.assign(node_of_.size() + 1, 0);
        for (Code item : rows_.items) ++starts_[item + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        places_.resize(rows_.items.size());
        std::vector<int64_t> fill(starts_.begin(), starts_.end() - 1);
        for (int64_t r = 0; r < rows_.size(); ++r)
            for (int64_t e = rows_.indptr[r]; e < rows_.indptr[r + 1]; ++e) places_[fill[rows_.items[e]]++] = place(r, e + 1);
        dead_ = 0;
    }

    // ---- the walk

    bool blocked(const std::vector<Code>& prefix) const {
        for (Code rank : prefix)
            if (cut_.below(node_of_[rank])) return true;
        return false;
    }
    bool clashes(const std::vector<Code>& prefix, Code rank) const {
        for (Code other : prefix)
            if (tree_.related(node_of_[other], node_of_[rank])) return true;
        return false;
    }

    // Copies what follows the first label in its rows, because the walk below it reads these rows repeatedly. Labels that
    // cannot be on a path with it are left out. So are labels below the cut, unless the leaves of the tree must be known
    // (DA).
    void project(Code first, const Place* from, const Place* to, bool apriori) {
        projected_ = Rows();
        std::vector<uint8_t> wanted(node_of_.size());
        for (size_t rank = 0; rank < node_of_.size(); ++rank)
            wanted[rank] = !tree_.related(node_of_[first], node_of_[rank]) && !(apriori && cut_.below(node_of_[rank]));
        for (const Place* p = from; p != to; ++p) {
            const Code* end = rows_.end(p->row);
            for (const Code* item = rows_.items.data() + p->next; item != end; ++item)
                if (wanted[*item]) projected_.items.push_back(*item);
            if (static_cast<int64_t>(projected_.items.size()) > projected_.indptr.back())
                projected_.close_row(rows_.weight[p->row], rows_.person(p->row));
        }
        projected_places_.resize(projected_.size());
        for (int64_t r = 0; r < projected_.size(); ++r) projected_places_[r] = place(r, projected_.indptr[r]);
    }

    void walk(const Rows& rows, std::vector<Code>& prefix, int64_t support, const Place* from, const Place* to) {
        pulse_.beat(share_);
        auto depth = static_cast<int>(prefix.size());
        if (depth == size_) {
            if (support < k_) repair(prefix);
            return;
        }
        if (bounded_ && support < k_) return;  // left by an earlier pass: so are all sets that contain it
        Level& level = levels_[depth];
        auto& count = level.count;
        if (count.empty()) {
            count.assign(node_of_.size(), 0);
            level.slot.assign(node_of_.size(), 0);
        }
        level.persons.prepare(node_of_.size(), rows);
        level.touched.clear();
        for (const Place* p = from; p != to; ++p) {
            int64_t weight = rows.weight[p->row];
            Code person = rows.person(p->row);
            const Code* end = rows.end(p->row);
            for (const Code* item = rows.items.data() + p->next; item != end; ++item) {
                if (!count[*item]) level.touched.push_back(*item);
                level.persons.add(count[*item], *item, weight, person);
            }
        }
        bool last = depth + 1 == size_;
        bool leaf = true;
        std::vector<std::pair<Code, int64_t>> children;  // children to visit, with their counts
        for (Code rank : level.touched) {
            int64_t held = count[rank];
            count[rank] = 0;
            if (clashes(prefix, rank)) continue;
            leaf = false;
            if (cut_.below(node_of_[rank])) continue;
            ++counted_;
            if (!last || held < k_) children.emplace_back(rank, held);  // at the last level only violations matter
        }
        if (leaf) {  // no row has more labels than this path
            if (support < k_) repair(prefix);
            return;
        }
        std::sort(children.begin(), children.end());
        if (last) {
            for (auto [rank, held] : children) {
                if (cut_.below(node_of_[rank])) continue;
                prefix.push_back(rank);
                repair(prefix);
                prefix.pop_back();
                if (blocked(prefix)) return;
            }
            return;
        }
        hand_out(rows, level, children, from, to);
        std::vector<int64_t> start(level.start);
        for (size_t c = 0; c < children.size(); ++c) {
            if (cut_.below(node_of_[children[c].first])) continue;
            prefix.push_back(children[c].first);
            walk(rows, prefix, children[c].second, level.places.data() + start[c], level.places.data() + start[c + 1]);
            prefix.pop_back();
            if (blocked(prefix)) return;
        }
    }

    // One pass copies every row to all children that it belongs to.
    static void hand_out(const Rows& rows, Level& level, const std::vector<std::pair<Code, int64_t>>& children, const Place* from,
                         const Place* to) {
        level.start.assign(children.size() + 1, 0);
        for (size_t c = 0; c < children.size(); ++c) level.slot[children[c].first] = static_cast<int64_t>(c) + 1;
        for (const Place* p = from; p != to; ++p)
            for (int64_t e = p->next; e < rows.indptr[p->row + 1]; ++e)
                if (int64_t slot = level.slot[rows.items[e]]) ++level.start[slot];
        std::partial_sum(level.start.begin(), level.start.end(), level.start.begin());
        level.places.resize(level.start.back());
        std::vector<int64_t> fill(level.start.begin(), level.start.end() - 1);
        for (const Place* p = from; p != to; ++p)
            for (int64_t e = p->next; e < rows.indptr[p->row + 1]; ++e)
                if (int64_t slot = level.slot[rows.items[e]]) level.places[fill[slot - 1]++] = place(p->row, e + 1);
        for (const auto& child : children) level.slot[child.first] = 0;
    }

    // ---- the repair

    // Counts the persons with a row that holds all nodes; exact below k, else at least k.
    int64_t support_of(const std::vector<Code>& nodes) const {
        if (nodes.size() == 1 && nodes[0] == tree_.root()) return non_empty_;
        std::vector<Code> ranks;
        for (Code u : nodes) ranks.push_back(rank_of_[u]);
        std::sort(ranks.begin(), ranks.end());
        Code rarest = ranks.back();
        Persons holders;
        for (int64_t p = starts_[rarest]; p < starts_[rarest + 1] && holders.count() < k_; ++p) {
            int64_t row = places_[p].row;
            const Code* from = rows_.begin(row);
            const Code* to = rows_.items.data() + places_[p].next - 1;
            bool all = true;
            for (size_t i = 0; all && i + 1 < ranks.size(); ++i) {
                from = std::lower_bound(from, to, ranks[i]);
                all = from != to && *from == ranks[i];
            }
            if (all) holders.add(rows_, row);
        }
        return holders.count();
    }

    void repair(const std::vector<Code>& prefix) {
        ++repairs_;
        std::vector<Code> labels;
        for (Code rank : prefix) labels.push_back(node_of_[rank]);
        auto support = [this](const std::vector<Code>& nodes) { return support_of(nodes); };
        CheapestRaise<decltype(support)> lift(cut_, labels, k_, bounded_, support);
        for (Code u : lift.find([this] { pulse_.beat(share_); })) raise(u);
    }

    void raise(Code u) {
        cut_.raise(u, [this](Code v) {
            if (!starts_.empty() && rank_of_[v] >= 0) dead_ += starts_[rank_of_[v] + 1] - starts_[rank_of_[v]];
        });
    }

    Tree tree_;
    Cut cut_;
    int64_t k_;
    bool bounded_;
    int size_ = 0;
    std::atomic<bool> cancelled_{false};
    Pulse pulse_;
    double share_ = 0;
    Rows cut_rows_;
    Rows rows_;
    std::vector<Code> node_of_, rank_of_;
    std::vector<int64_t> starts_;
    std::vector<Place> places_;
    std::vector<Level> levels_;
    Rows projected_;
    std::vector<Place> projected_places_;
    int safe_size_;  // sets of up to so many labels are safe
    int64_t dead_ = 0;
    int64_t non_empty_ = 0;
    int64_t counted_ = 0;
    int64_t most_counted_ = 0;
    int64_t repairs_ = 0;
};

}  // namespace shoal
