// Direct anonymization (Terrovitis et al. 2008, Alg. 3) for sets of up to three labels whose supports are in a table. The walk is
// that of direct_pass.hpp, without rows: supports do not depend on the cut. Smaller sets must be safe already, as in AA (Alg. 4).
//
// Time: that of the sets of nodes at the cut and above it.
#pragma once

#include "search/cheapest_raise.hpp"
#include "search/cuts/set_table.hpp"

namespace shoal {

class TablePass {
public:
    // node_of[label]: the node of a label of the table. order: the labels in the order of the count-tree.
    TablePass(const SetTable& table, std::vector<Code> node_of, std::vector<Code> order, Tree tree,
              const std::vector<Code>& raised, const Tick& tick)
        : table_(table), node_of_(std::move(node_of)), order_(std::move(order)), cut_(tree), pulse_(tick, cancelled_, true) {
        auto labels = static_cast<size_t>(table.labels());
        if (node_of_.size() != labels || order_.size() != labels)
            throw std::invalid_argument("one node for each label is wanted");
        label_of_.assign(tree.nodes, -1);
        for (size_t label = 0; label < labels; ++label) label_of_[node_of_[label]] = static_cast<Code>(label);
        for (Code u : raised) cut_.raise(u, [](Code) {});
    }

    // Walks once over the sets of `size` labels and their prefixes.
    void run(int size) {
        if (size < 1 || size > table_.size()) throw std::invalid_argument("the table has no sets of this size");
        counted_ = 0;
        for (size_t at = 0; at < order_.size(); ++at) {
            share_ = static_cast<double>(at) / static_cast<double>(order_.size());
            Code first = order_[at];
            int64_t support = table_.support(&first, 1);
            if (below(first) || !support) continue;
            ++counted_;
            prefix_.assign(1, first);
            if (size > 1) walk(size, std::vector<Code>(order_.begin() + static_cast<int64_t>(at) + 1, order_.end()));
            else if (support < table_.k()) repair();
        }
        most_counted_ = std::max(most_counted_, counted_);
    }

    std::vector<Code> raised() const { return cut_.raised(); }
    int64_t counted() const { return most_counted_; }  // count-tree nodes counted in the largest pass
    int64_t repairs() const { return repairs_; }

private:
    bool below(Code label) const { return cut_.below(node_of_[label]); }
    bool blocked() const {
        return std::any_of(prefix_.begin(), prefix_.end(), [this](Code label) { return below(label); });
    }

    // Visits the sets that start with the prefix. `later`: the labels after it that may be in such a set.
    void walk(int size, const std::vector<Code>& later) {
        bool last = static_cast<int>(prefix_.size()) + 1 == size;
        std::vector<Code> children;  // to visit; at the last level only violations
        for (Code label : later) {
            pulse_.beat(share_);
            if (below(label) || table_.related(prefix_.back(), label)) continue;
            int64_t support = support_with(label);
            if (!support) continue;
            ++counted_;
            if (!last || support < table_.k()) children.push_back(label);
        }
        for (size_t c = 0; c < children.size(); ++c) {
            if (below(children[c])) continue;
            prefix_.push_back(children[c]);
            if (last) repair();
            else walk(size, std::vector<Code>(children.begin() + static_cast<int64_t>(c) + 1, children.end()));
            prefix_.pop_back();
            if (blocked()) return;
        }
    }

    // The support of the prefix and one more label.
    int64_t support_with(Code label) const {
        Code a = prefix_[0];
        if (prefix_.size() == 1) {
            Code two[] = {std::min(a, label), std::max(a, label)};
            return table_.support(two, 2);
        }
        Code b = prefix_[1];
        Code least = std::min(a, b), most = std::max(a, b);
        Code three[] = {std::min(least, label), std::max(least, std::min(most, label)), std::max(most, label)};
        return table_.support(three, 3);
    }

    int64_t support_of(const std::vector<Code>& nodes) const {
        if (nodes[0] == cut_.tree.root()) return table_.support(nullptr, 0);
        std::vector<Code> set;
        for (Code u : nodes) set.push_back(label_of_[u]);
        std::sort(set.begin(), set.end());
        return table_.support(set.data(), static_cast<int>(set.size()));
    }

    void repair() {
        ++repairs_;
        std::vector<Code> nodes;
        for (Code label : prefix_) nodes.push_back(node_of_[label]);
        auto support = [this](const std::vector<Code>& some) { return support_of(some); };
        CheapestRaise<decltype(support)> lift(cut_, nodes, table_.k(), false, support);
        for (Code u : lift.find([this] { pulse_.beat(share_); })) cut_.raise(u, [](Code) {});
    }

    const SetTable& table_;
    std::vector<Code> node_of_, label_of_, order_;
    Cut cut_;
    std::atomic<bool> cancelled_{false};
    Pulse pulse_;
    double share_ = 0;
    std::vector<Code> prefix_;
    int64_t counted_ = 0;
    int64_t most_counted_ = 0;
    int64_t repairs_ = 0;
};

}  // namespace shoal
