// Merges equal rows, for verifiers. Searches and measures have their own code.
#pragma once

#include <unordered_map>

#include "verify/persons.hpp"

namespace shoal {

// Merges equal rows by hashing. Empty rows are dropped. If persons have several rows, only equal rows of the same person are
// merged, and count once. class_of receives for each input row its index in the result (-1: empty). This is deliberately
// different from the code of the searches (direct_pass.hpp), which sorts.
inline Rows merge_equal(const Rows& rows, std::vector<int64_t>& class_of) {
    Rows out;
    class_of.assign(rows.size(), -1);
    std::unordered_multimap<uint64_t, int64_t> seen;
    int64_t total = 0, non_empty = 0;
    for (int64_t r = 0; r < rows.size(); ++r) {
        if (!rows.length(r)) continue;
        Code person = rows.person(r);
        uint64_t hash = 1469598103934665603ull ^ static_cast<uint64_t>(person + 1) * 0x9e3779b97f4a7c15ull;
        for (const Code* item = rows.begin(r); item != rows.end(r); ++item)
            hash = (hash ^ static_cast<uint64_t>(*item)) * 1099511628211ull;
        auto [from, to] = seen.equal_range(hash);
        auto same = std::find_if(from, to, [&](const auto& entry) {
            return person == out.person(entry.second) &&
                   std::equal(rows.begin(r), rows.end(r), out.begin(entry.second), out.end(entry.second));
        });
        bool fresh = same == to;
        if (fresh) {
            out.items.insert(out.items.end(), rows.begin(r), rows.end(r));
            out.close_row(0, person);
            same = seen.emplace(hash, out.size() - 1);
        }
        class_of[r] = same->second;
        if (!fresh && person != NOBODY) continue;
        ++non_empty;
        ++out.weight[same->second];
    }
    for (int64_t weight : out.weight) total += weight;
    if (total != non_empty) throw std::logic_error("rows were lost while merging equal ones");
    return out;
}

// All rows, sorted by person.
inline Rows copy_by_person(const RowsView& view) {
    Rows all;
    for (int64_t r : by_person(view)) {
        all.items.insert(all.items.end(), view.begin(r), view.end(r));
        all.close_row(1, view.person(r));
    }
    return all;
}

}  // namespace shoal
