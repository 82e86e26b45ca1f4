// For each row, the part of the hierarchy above its items, for top-down local recoding.
//
// A place is an internal node in the tree of a row. Its shape tells which children it has there. Those that are internal
// nodes are consecutive places. Nodes with a single child in the hierarchy are left out: replacing such a node by its child
// changes no loss. Time: the items of each row times the height. Memory: proportional to the places.
#pragma once

#include "core/parallel.hpp"
#include "search/cut.hpp"

namespace shoal {

// Lists of nodes, numbered in the order of arrival. Equal lists have the same number.
class Shapes {
public:
    int32_t number(const Code* from, const Code* to) {
        if (2 * count() >= static_cast<int64_t>(table_.size())) grow();
        int32_t& slot = table_[find(from, to)];
        if (slot < 0) {
            slot = static_cast<int32_t>(count());
            nodes_.insert(nodes_.end(), from, to);
            start_.push_back(static_cast<int64_t>(nodes_.size()));
        }
        return slot;
    }
    int64_t count() const { return static_cast<int64_t>(start_.size()) - 1; }
    const Code* begin(int32_t shape) const { return nodes_.data() + start_[shape]; }
    const Code* end(int32_t shape) const { return nodes_.data() + start_[shape + 1]; }

    // Compares by length, then by ids.
    bool before(int32_t a, int32_t b) const {
        auto size = [&](int32_t shape) { return end(shape) - begin(shape); };
        if (size(a) != size(b)) return size(a) < size(b);
        return std::lexicographical_compare(begin(a), end(a), begin(b), end(b));
    }

private:
    // The slot of a list in the table, or where it would be.
    size_t find(const Code* from, const Code* to) const {
        uint64_t hash = 0;
        for (const Code* node = from; node != to; ++node) {
            hash = (hash ^ static_cast<uint64_t>(*node)) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 32;
        }
        size_t at = hash & (table_.size() - 1);
        while (table_[at] >= 0 && !std::equal(from, to, begin(table_[at]), end(table_[at]))) at = (at + 1) & (table_.size() - 1);
        return at;
    }
    void grow() {
        if (count() >= INT32_MAX / 2) throw std::overflow_error("too many different sets of children");
        table_.assign(std::max<size_t>(64, 4 * table_.size()), -1);
        for (int32_t shape = 0; shape < count(); ++shape) table_[find(begin(shape), end(shape))] = shape;
    }

    std::vector<int64_t> start_{0};
    std::vector<Code> nodes_;
    std::vector<int32_t> table_;
};

class RowTrees {
public:
    struct Place {
        int64_t gain;  // the loss that is saved if its children are published instead
        int32_t shape;
        uint32_t inner;  // the first child that is an internal node, counted from the row's first place
    };
    Shapes shapes;
    Code top;  // the highest node with several children, the first place of every row; a leaf if there is none

    // With the cost of an item published as each node, and the weight of each item. `order`: the rows, none empty.
    RowTrees(RowsView view, const Tree& tree, const int64_t* weights, const std::vector<int64_t>& order, Pulse& pulse)
        : tree_(tree), children_(tree.nodes), start_(order.size() + 1, 0) {
        for (Code u = 0; u < tree.root(); ++u) children_[tree.parent[u]].push_back(u);
        auto lowered = [&](Code u) {
            while (children_[u].size() == 1) u = children_[u][0];
            return u;
        };
        top = lowered(tree.root());
        for (auto& children : children_) {
            for (Code& u : children) u = lowered(u);
            std::sort(children.begin(), children.end(), [&](Code a, Code b) { return tree.first(a) < tree.first(b); });
        }
        for (size_t at = 0; at < order.size(); ++at) {
            pulse.beat(0);
            if (top >= tree.leaves) grow(view.begin(order[at]), view.end(order[at]), weights);
            start_[at + 1] = static_cast<int64_t>(places_.size());
        }
        places_.shrink_to_fit();
    }

    // A place of a row, which is given by its position in the order.
    const Place& at(int64_t row, uint32_t place) const { return places_[start_[row] + place]; }
    bool inner(Code u) const { return u >= tree_.leaves; }

private:
    struct Open {
        Code node;
        const Code *from, *to;  // items below it
    };

    // Builds the tree of a row, level by level.
    void grow(const Code* from, const Code* to, const int64_t* weights) {
        open_.assign(1, {top, from, to});
        for (size_t next = 0; next < open_.size(); ++next) {
            auto [node, item, stop] = open_[next];
            Place place{0, 0, static_cast<uint32_t>(open_.size())};
            list_.clear();
            const auto& children = children_[node];
            for (auto child = children.begin(); item != stop;) {
                child = std::upper_bound(child, children.end(), *item, [&](Code i, Code u) { return i < tree_.first(u); }) - 1;
                const Code* first = item;
                int64_t weight = 0;
                for (; item != stop && *item < tree_.stop(*child); ++item) weight += weights[*item];
                place.gain += weight * (tree_.cost[node] - tree_.cost[*child]);
                if (inner(*child)) open_.push_back({*child, first, item});
                else list_.push_back(*child);
            }
            // Leaves have lower ids than internal nodes, and within each kind ids ascend as their leaves do.
            for (auto child = open_.begin() + place.inner; child != open_.end(); ++child) list_.push_back(child->node);
            place.shape = shapes.number(list_.data(), list_.data() + list_.size());
            places_.push_back(place);
        }
    }

    Tree tree_;
    std::vector<std::vector<Code>> children_;  // of each node, by their leaves; those with a single child replaced by it
    std::vector<int64_t> start_;  // of each row
    std::vector<Place> places_;
    std::vector<Open> open_;
    std::vector<Code> list_;
};

}  // namespace shoal
