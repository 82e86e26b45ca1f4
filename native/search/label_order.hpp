// The order of labels in the count-tree (Terrovitis et al. 2008, s.4.1). It depends only on the data and the hierarchy, not
// on a cut.
#pragma once

#include "search/cut.hpp"
#include "search/persons.hpp"

namespace shoal {

// Sorts the labels that occur in distinct rows of leaves, or are above such, without the root: by falling support or, without
// counting, by the number of leaves that they cover, most first (ties: lower id). `given`: the supports, if the rows are not
// all rows; null: they are counted.
inline std::vector<Code> label_order(const Rows& rows, const Tree& tree, bool by_leaves, const int64_t* given = nullptr) {
    std::vector<int64_t> support(tree.nodes, 0);
    if (given) {
        support.assign(given, given + tree.nodes);
    } else {
        std::vector<int64_t> seen(tree.nodes, -1);
        PersonsByLabel persons;
        persons.prepare(tree.nodes, rows);
        for (int64_t r = 0; r < rows.size(); ++r)
            for (const Code* item = rows.begin(r); item != rows.end(r); ++item)
                for (Code u = *item; u != tree.root() && seen[u] != r; u = tree.parent[u]) {
                    seen[u] = r;
                    persons.add(support[u], u, rows.weight[r], rows.person(r));
                }
    }
    std::vector<Code> labels;
    for (Code u = 0; u < tree.root(); ++u)
        if (support[u]) labels.push_back(u);
    std::stable_sort(labels.begin(), labels.end(),
                     [&](Code a, Code b) { return by_leaves ? tree.size(a) > tree.size(b) : support[a] > support[b]; });
    return labels;
}

}  // namespace shoal
