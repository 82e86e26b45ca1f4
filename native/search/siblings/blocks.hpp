// The state of a sibling grouping: the blocks of siblings, and their costs.
//
// Units are the leaves of the tree, its first nodes. Every other node has at least two children, and parents come after their
// children. A block (a label) is a set of children of one node, its owner. A node that is not split is *closed*. A block of
// all children of a node is the node itself, one child of its own parent. Only the root is never closed: if everything is one
// block, that block contains all children of the root.
#pragma once

#include "core/rows.hpp"

namespace shoal {

class Blocks {
public:
    // Throws if `block_of` is no grouping of siblings. `spare`: number of blocks beyond the existing ones; `most`: limit on
    // the number of blocks, if that is smaller.
    Blocks(std::vector<Code> parent, std::vector<int64_t> occurrences, const std::vector<Code>& sizes,
           std::vector<int64_t> penalty, const std::vector<Code>& block_of, int64_t spare, int64_t most)
        : parent_(std::move(parent)), penalty_(std::move(penalty)), occ_(std::move(occurrences)),
          size_(sizes.begin(), sizes.end()), units_(static_cast<Code>(sizes.size())), nodes_(static_cast<Code>(parent_.size())) {
        bool fits = units_ > 1 && nodes_ > units_ && occ_.size() == sizes.size() && block_of.size() == sizes.size() &&
                    std::all_of(block_of.begin(), block_of.end(), [&](Code block) { return block >= 0 && block < units_; });
        if (!fits) throw std::invalid_argument("a block for each of at least two units is wanted");
        children_.resize(nodes_), occ_.resize(nodes_), size_.resize(nodes_);
        for (Code x = 0; x + 1 < nodes_; ++x) {
            children_[parent_[x]].push_back(x);
            occ_[parent_[x]] += occ_[x];
            size_[parent_[x]] += size_[x];
        }
        make_blocks(block_of, spare, most);
    }

    Code units() const { return units_; }
    Code parent(Code node) const { return parent_[node]; }
    const std::vector<Code>& children(Code node) const { return children_[node]; }
    int64_t occurrences(Code node) const { return occ_[node]; }
    int64_t items(Code node) const { return size_[node]; }
    Code element_of(Code unit) const {  // the highest closed node above it
        while (block_[unit] < 0) unit = parent_[unit];
        return unit;
    }
    Code block(Code element) const { return block_[element]; }
    Code owner(Code block) const { return owner_[block]; }
    const std::vector<Code>& members(Code block) const { return members_[block]; }
    const std::vector<Code>& blocks(Code owner) const { return blocks_[owner]; }
    int64_t block_occurrences(Code block) const { return block_occ_[block]; }
    int64_t block_items(Code block) const { return block_size_[block]; }
    int64_t cost() const { return cost_; }
    int64_t cost(int64_t occurrences, int64_t items) const { return occurrences * penalty_[items]; }
    int64_t cost_of(Code block) const { return cost(block_occ_[block], block_size_[block]); }
    Code spare() const { return free_.empty() ? -1 : free_.back(); }  // an empty block; -1: none left
    size_t spares() const { return free_.size(); }
    std::vector<Code> block_of() const {
        std::vector<Code> found(units_);
        for (Code unit = 0; unit < units_; ++unit) found[unit] = block_[element_of(unit)];
        return found;
    }

    // Records that an element is in another block. `move` has changed the rows already.
    void settle(Code element, Code from, Code to) {
        if (block_[element] != from) open(from);
        cost_ -= cost_of(from) + cost_of(to);
        auto& left = members_[from];
        left[place_[element]] = left.back();
        place_[left.back()] = place_[element];
        left.pop_back();
        if (owner_[to] < 0) {
            free_.pop_back();
            adopt(to, owner_[from]);
        }
        put(element, to);
        for (Code block : {from, to}) {
            int64_t sign = block == to ? 1 : -1;
            block_occ_[block] += sign * occ_[element];
            block_size_[block] += sign * size_[element];
        }
        cost_ += cost_of(from) + cost_of(to);
        if (left.empty()) drop(from);
    }

    // Replaces the only member of a block by its children.
    void open(Code block) {
        Code node = members_[block][0];
        abandon(block);
        block_[node] = -1;
        members_[block].clear();
        for (Code child : children_[node]) put(child, block);
        adopt(block, node);
    }

    // If a block contains all children of a node, makes it that node.
    void close(Code block) {
        for (Code node; (node = owner_[block]) >= 0 && node + 1 < nodes_ && members_[block].size() == children_[node].size();) {
            for (Code child : members_[block]) block_[child] = -1;
            abandon(block);
            members_[block].clear();
            put(node, block);
            adopt(block, parent_[node]);
        }
    }

protected:
    std::vector<Code> parent_;
    std::vector<int64_t> penalty_, occ_, size_;  // by number of items; by node
    Code units_, nodes_, slots_ = 0;

private:
    void make_blocks(const std::vector<Code>& block_of, int64_t spare, int64_t most) {
        Code used = *std::max_element(block_of.begin(), block_of.end()) + 1;
        slots_ = static_cast<Code>(std::min<int64_t>(used + spare, int64_t(units_) + 2));
        if (used < most) slots_ = static_cast<Code>(std::min<int64_t>(slots_, most));
        owner_.assign(slots_, -1), members_.resize(slots_), place_in_owner_.assign(slots_, -1);
        block_occ_.assign(slots_, 0), block_size_.assign(slots_, 0);
        blocks_.resize(nodes_), block_.assign(nodes_, -1), place_.assign(nodes_, -1);
        std::vector<Code> only(block_of);  // the block of all units below a node; -1: several blocks
        only.resize(nodes_, -2);
        for (Code x = 0; x + 1 < nodes_; ++x) {
            Code& above = only[parent_[x]];
            above = above == -2 || above == only[x] ? only[x] : -1;
        }
        for (Code x = 0; x + 1 < nodes_; ++x)
            if (only[x] >= 0 && (only[parent_[x]] < 0 || parent_[x] + 1 == nodes_)) {
                put(x, only[x]);
                block_occ_[only[x]] += occ_[x], block_size_[only[x]] += size_[x];
                if (owner_[only[x]] < 0) adopt(only[x], parent_[x]);
                if (owner_[only[x]] != parent_[x]) throw std::invalid_argument("the units of a block are no siblings");
            }
        for (Code block = slots_ - 1; block >= used; --block) free_.push_back(block);
        for (Code block = 0; block < used; ++block) cost_ += cost_of(block);
    }

    void put(Code element, Code block) {
        block_[element] = block;
        place_[element] = static_cast<Code>(members_[block].size());
        members_[block].push_back(element);
    }
    void adopt(Code block, Code owner) {
        owner_[block] = owner;
        place_in_owner_[block] = static_cast<Code>(blocks_[owner].size());
        blocks_[owner].push_back(block);
    }
    void abandon(Code block) {
        auto& mine = blocks_[owner_[block]];
        mine[place_in_owner_[block]] = mine.back();
        place_in_owner_[mine.back()] = place_in_owner_[block];
        mine.pop_back();
        owner_[block] = -1;
    }
    void drop(Code block) {
        abandon(block);
        free_.push_back(block);
    }

    std::vector<std::vector<Code>> children_, members_, blocks_;  // of a node; of a block; of an owner
    std::vector<Code> owner_, place_in_owner_;  // of a block
    std::vector<Code> block_, place_;  // of an element, and its place among the members; block -1: not an element
    std::vector<Code> free_;
    std::vector<int64_t> block_occ_, block_size_;
    int64_t cost_ = 0;
};

}  // namespace shoal
