// Combinations of up to three nodes, each present or absent, as one number: so millions of them fit into memory, sorted.
#pragma once

#include "search/cut.hpp"

namespace shoal {

constexpr int KEY_BITS = 21;  // for each node
constexpr Code MOST_NODES = (1 << (KEY_BITS - 1)) - 1;

// Labels in any order; an absent node u is written ~u. Present and absent ones are numbered 2u and 2u + 1.
inline int64_t key_of(Set labels) {
    for (Code& label : labels) label = label < 0 ? 2 * ~label + 1 : 2 * label;
    std::sort(labels.begin(), labels.end());
    int64_t key = 0;
    for (Code number : labels) key = key << KEY_BITS | (number + 1);
    return key;
}

// The labels of a key, present or absent, by ascending node.
inline void labels_of(int64_t key, Set& labels) {
    labels.clear();
    for (; key; key >>= KEY_BITS) {
        auto number = static_cast<Code>(key & ((1 << KEY_BITS) - 1)) - 1;
        labels.push_back(number & 1 ? ~(number / 2) : number / 2);
    }
    std::reverse(labels.begin(), labels.end());
}

}  // namespace shoal
