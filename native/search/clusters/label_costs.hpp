// The loss of labels, if it is a sum over the items of records that depends on the number of items of the label.
#pragma once

#include <utility>

#include "core/rows.hpp"

namespace shoal {

class LabelCosts {
public:
    // Occurrences by item; penalties by the number of items of a label. Without penalties, nothing is counted.
    LabelCosts(std::vector<int64_t> occurrences, std::vector<int64_t> penalties)
        : occurrences_(std::move(occurrences)), penalties_(std::move(penalties)) {}

    bool given() const { return !penalties_.empty(); }

    // Starts with one label for each of these items.
    void start(const std::vector<Code>& items) {
        if (!given()) return;
        std::vector<int64_t> own;
        for (Code item : items) own.push_back(occurrences_[item]);
        occurrences_ = std::move(own);
    }

    // The cost that merging two different labels of these sizes adds.
    int64_t added(Code u, Code v, const std::vector<int64_t>& size) const {
        return (occurrences_[u] + occurrences_[v]) * penalties_[size[u] + size[v]] - occurrences_[u] * penalties_[size[u]] -
               occurrences_[v] * penalties_[size[v]];
    }

    void merge(Code kept, Code gone) {
        if (given()) occurrences_[kept] += occurrences_[gone];
    }

private:
    std::vector<int64_t> occurrences_, penalties_;
};

}  // namespace shoal
