// Merges equal rows, for searches. The verifiers have their own code.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// Merges equal rows. Rows of persons who have no other row are merged with the sum of their weights. Rows of persons with
// several rows are merged only within a person, and count once. The former come first, then the latter person by person, each
// in lexicographic order. Empty rows are dropped. `beat` is called often, and may throw to interrupt.
template <class Beat>
Rows distinct(const Rows& rows, Beat beat) {
    std::vector<int64_t> order;
    order.reserve(rows.size());
    for (int64_t r = 0; r < rows.size(); ++r)
        if (rows.length(r)) order.push_back(r);
    // The first two items as one key decide most comparisons without reading the row.
    std::vector<uint64_t> key(rows.size(), 0);
    for (int64_t r : order) {
        const Code* row = rows.begin(r);
        key[r] = (static_cast<uint64_t>(row[0]) + 1) << 32 | (rows.length(r) > 1 ? static_cast<uint64_t>(row[1]) + 1 : 0);
    }
    auto compare = [&](int64_t a, int64_t b) {
        beat();
        if (rows.person(a) != rows.person(b)) return rows.person(a) < rows.person(b);
        if (key[a] != key[b]) return key[a] < key[b];
        return std::lexicographical_compare(rows.begin(a), rows.end(a), rows.begin(b), rows.end(b));
    };
    std::sort(order.begin(), order.end(), compare);
    Rows out;
    int64_t last = -1;
    for (int64_t r : order) {
        bool same = last >= 0 && rows.person(last) == rows.person(r) && key[last] == key[r] &&
                    std::equal(rows.begin(last), rows.end(last), rows.begin(r), rows.end(r));
        if (!same) {
            out.items.insert(out.items.end(), rows.begin(r), rows.end(r));
            out.close_row(rows.weight[r], rows.person(r));
        } else if (rows.person(r) == NOBODY) {
            out.weight.back() += rows.weight[r];
        }
        last = r;
    }
    return out;
}

inline Rows distinct(const Rows& rows) {
    return distinct(rows, [] {});
}

template <class Beat>
Rows distinct(const RowsView& view, Beat beat) {
    Rows rows;
    rows.items.assign(view.items, view.items + view.indptr[view.rows]);
    rows.indptr.assign(view.indptr, view.indptr + view.rows + 1);
    rows.weight.assign(view.rows, 1);
    if (view.persons) rows.persons.assign(view.persons, view.persons + view.rows);
    return distinct(rows, beat);
}

inline Rows distinct(const RowsView& view) {
    return distinct(view, [] {});
}

}  // namespace shoal
