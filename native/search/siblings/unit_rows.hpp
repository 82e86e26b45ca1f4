// Rows of units (the leaves of a tree), and for every node the rows that hold units below it.
#pragma once

#include "search/distinct.hpp"

namespace shoal {

// Distinct rows. Persons with several rows are numbered by the content of their rows, so the result does not depend on the
// order of the input or on its numbers of persons.
inline Rows numbered_by_content(const Rows& rows) {
    std::vector<std::pair<int64_t, int64_t>> persons;  // the first row of each person, and the row after the last
    for (int64_t row = 0, stop; row < rows.size(); row = stop) {
        for (stop = row + 1; stop < rows.size() && rows.person(stop) == rows.person(row);) ++stop;
        persons.emplace_back(row, stop);
    }
    auto less = [&](int64_t a, int64_t b) {
        return std::lexicographical_compare(rows.begin(a), rows.end(a), rows.begin(b), rows.end(b));
    };
    bool some_alone = rows.size() && rows.person(0) == NOBODY;  // these rows come first, and have no person
    std::sort(persons.begin() + some_alone, persons.end(), [&](const auto& one, const auto& other) {
        int64_t a = one.first, b = other.first;
        for (; a < one.second && b < other.second; ++a, ++b)
            if (less(a, b) || less(b, a)) return less(a, b);
        return b < other.second && a == one.second;
    });
    Rows out;
    Code number = some_alone ? NOBODY : 0;
    for (auto& [first, stop] : persons) {
        for (int64_t row = first; row < stop; ++row) {
            out.items.insert(out.items.end(), rows.begin(row), rows.end(row));
            out.close_row(rows.weight[row], number);
        }
        ++number;
    }
    return out;
}

class UnitRows {
protected:
    UnitRows(const RowsView& rows, const std::vector<Code>& parent) : rows_(distinct(rows)) {
        if (!rows_.persons.empty()) rows_ = numbered_by_content(rows_);
        index(parent);
    }

    Rows rows_;
    std::vector<int64_t> held_;  // the rows of node x are holder_[held_[x]] .. holder_[held_[x + 1] - 1]
    std::vector<Code> holder_, times_;  // and the number of units below it that each of them holds

private:
    // Finds for every node the rows that hold units below it, and how many.
    void index(const std::vector<Code>& parent) {
        auto nodes = static_cast<Code>(parent.size());
        held_.assign(nodes + 1, 0);
        std::vector<int64_t> last(nodes, -1);
        auto each = [&](auto&& visit) {
            std::fill(last.begin(), last.end(), -1);
            for (int64_t row = 0; row < rows_.size(); ++row)
                for (const Code* item = rows_.begin(row); item != rows_.end(row); ++item)
                    for (Code x = *item; x >= 0; x = parent[x]) visit(row, x, last[x] == row), last[x] = row;
        };
        each([&](int64_t, Code x, bool again) { held_[x + 1] += !again; });
        for (Code x = 0; x < nodes; ++x) held_[x + 1] += held_[x];
        holder_.resize(held_[nodes]);
        times_.assign(held_[nodes], 0);
        std::vector<int64_t> next(held_.begin(), held_.end() - 1);
        each([&](int64_t row, Code x, bool again) {
            if (!again) holder_[next[x]++] = static_cast<Code>(row);
            ++times_[next[x] - 1];
        });
    }
};

}  // namespace shoal
