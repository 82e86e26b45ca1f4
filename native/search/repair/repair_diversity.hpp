// l^m-diversity as a criterion for Repair (Terrovitis et al. 2011, s.5.2): a set c of labels violates it if, for some
// sensitive value s, more than one in l of the rows that hold c have s, or more than one in l of the persons with a row that
// holds c have one that also has s. Neither implies the other, so both are checked separately.
#pragma once

#include <optional>

#include "search/repair/unit_diversity.hpp"

namespace shoal {

class Diversity {
public:
    Diversity(const RowsView& view, const RowsView& sensitive, const Tree& tree, int64_t l, const Tick& tick)
        : rows_({view.indptr, view.items, view.rows}, sensitive, tree, l, tick) {
        if (view.persons) persons_.emplace(view, sensitive, tree, l, tick);
    }

    bool fine(const std::vector<Code>& target, size_t) { return rows_.fine(target) && (!persons_ || persons_->fine(target)); }
    bool closed(const Set& nodes) const { return rows_.closed(nodes) || (persons_ && persons_->closed(nodes)); }
    void search(Round& round) {
        rows_.search(round);
        if (persons_) persons_->search(round);
    }

private:
    UnitDiversity rows_;
    std::optional<UnitDiversity> persons_;
};

}  // namespace shoal
