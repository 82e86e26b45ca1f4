// Merges items of one cluster of rows into labels until no set of labels violates the model: too few persons have it, or too
// many of them, or of their rows, have the same hidden item (Poulis et al. 2013, without a hierarchy).
//
// Rows that became equal are merged, with a weight and the number of rows that have each hidden item. The search remembers,
// for each size, the labels from which on no set is a violation: a merge changes only the sets with the merged label. The cost
// of a merge is a sum over the items of records, by the size of their label; or UL (loss.hpp), added up row by row. For UL,
// rows with a label are grouped by what their loss depends on, if there are few such groups. Memory: proportional to the data.
#pragma once

#include <limits>
#include <map>
#include <tuple>

#include "core/parallel.hpp"
#include "search/clusters/crowd.hpp"
#include "search/clusters/label_costs.hpp"
#include "search/clusters/loss.hpp"

namespace shoal {

class MergeUntilSafe {
public:
    // l: 0, or no hidden item may be in more than one in l of the rows with a set, nor with more than one in l of their
    // persons.
    MergeUntilSafe(RowsView view, Code labels, RowsView hidden, Code hidden_labels, int64_t k, int64_t l, LabelCosts costs,
                   const Tick& tick)
        : item_label_(labels, -1), costs_(std::move(costs)), k_(k), l_(l), hidden_count_(l ? hidden_labels : 0, 0), tick_(tick) {
        for (int64_t e = 0; e < view.indptr[view.rows]; ++e) item_label_[view.items[e]] = 0;
        for (Code item = 0; item < labels; ++item) {
            if (item_label_[item] < 0) continue;
            item_label_[item] = static_cast<Code>(name_.size());
            name_.push_back(item);
        }
        costs_.start(name_);
        size_.assign(name_.size(), 1);
        class_.resize(name_.size()), holders_.resize(name_.size()), count_.resize(name_.size());
        seen_.assign(name_.size(), 0);
        living_.resize(name_.size());
        std::iota(living_.begin(), living_.end(), 0);
        into_ = living_;
        for (int64_t r = 0; r < view.rows; ++r) {
            if (!view.size(r)) continue;
            Row row;
            row.crowd = Crowd(view.person(r));
            for (const Code* item = view.begin(r); item != view.end(r); ++item) row.labels.push_back(item_label_[*item]);
            if (l) {
                for (const Code* item = hidden.begin(r); item != hidden.end(r); ++item) row.hidden.push_back({*item, 1});
                int64_t person = view.person(r) == NOBODY ? -1 - r : view.person(r);
                if (view.persons) row.knowers.add(person, hidden.begin(r), hidden.end(r));
            }
            for (Code label : row.labels) holders_[label].push_back(static_cast<Code>(rows_.size()));
            rows_.push_back(std::move(row));
        }
        std::vector<Code> all(rows_.size());
        std::iota(all.begin(), all.end(), 0);
        unite(all);
        forget(living_);
    }

    // Returns the smallest item of the label of each item, -1 if it does not occur; empty if no labels repair a violation.
    std::vector<Code> run(int64_t m) {
        while (find(m)) {
            if (living_.size() == 1) return {};
            merge();
        }
        std::vector<Code> smallest(item_label_);
        for (Code& label : into_) label = into_[label];  // a label only becomes part of a lower one
        for (Code& label : smallest)
            if (label >= 0) label = name_[into_[label]];
        return smallest;
    }

private:
    struct Row {
        std::vector<Code> labels;  // empty: the row became equal to another
        int64_t weight = 1;  // number of rows
        Crowd crowd;
        std::vector<std::pair<Code, int64_t>> hidden;  // item, and how many of the rows have it
        Knowers knowers;  // only if some person has several rows, and l is given
        Loss loss;
    };
    struct Place {
        Code row;
        size_t next;  // start of the labels after those of the prefix
    };
    struct Level {
        std::vector<Code> labels;  // labels that follow the prefix
        std::vector<std::vector<Place>> rows;  // by label
    };

    // Reports progress and allows interruption, but not too often.
    void tell() {
        if (++steps_ & 0xf) return;
        auto now = std::chrono::steady_clock::now();
        if (now - told_ < std::chrono::milliseconds(50)) return;
        told_ = now;
        tick_(name_.empty() ? 1 : 1 - static_cast<double>(living_.size()) / static_cast<double>(name_.size()));
    }

    // Merges those of the given rows that are equal, and computes their losses again.
    void unite(const std::vector<Code>& rows) {
        std::vector<std::pair<uint64_t, Code>> hashed;
        for (Code r : rows) {
            uint64_t hash = 0;
            for (Code label : rows_[r].labels) {
                hash = (hash ^ static_cast<uint64_t>(label)) * 0x9e3779b97f4a7c15u;
                hash ^= hash >> 32;
            }
            hashed.push_back({hash, r});
        }
        std::sort(hashed.begin(), hashed.end());
        for (size_t from = 0, at = 0; at < hashed.size(); ++at) {
            if (hashed[from].first != hashed[at].first) from = at;
            Row& row = rows_[hashed[at].second];
            size_t twin = from;
            while (rows_[hashed[twin].second].labels != row.labels) ++twin;
            Row& same = rows_[hashed[twin].second];
            if (twin == at) {
                if (!costs_.given()) row.loss = Loss(row.labels, size_);
            } else {
                same.weight += row.weight;
                same.crowd.add(row.crowd, k_);
                same.knowers.add(row.knowers);
                add(same.hidden, row.hidden);
                row = {};
            }
        }
    }
    static void add(std::vector<std::pair<Code, int64_t>>& to, const std::vector<std::pair<Code, int64_t>>& from) {
        to.insert(to.end(), from.begin(), from.end());
        std::sort(to.begin(), to.end());
        size_t kept = 0;
        for (size_t i = 0; i < to.size(); ++i) {
            if (kept && to[kept - 1].first == to[i].first) {
                to[kept - 1].second += to[i].second;
            } else {
                to[kept++] = to[i];
            }
        }
        to.resize(kept);
    }

    // Finds the first violation and stores it in breach_. Returns false if there is none.
    bool find(int64_t m) {
        size_t longest = 0;
        for (const Row& row : rows_) longest = std::max(longest, row.labels.size());
        for (size_t size = 1; size <= std::min(longest, static_cast<size_t>(m)); ++size) {
            if (clean_.size() < size) clean_.emplace_back(name_.size(), 0);
            if (levels_.size() < size) levels_.push_back({{}, std::vector<std::vector<Place>>(name_.size())});
            if (size == 4 && !l_ && whole_rows_are_safe()) return false;
            for (Code label : living_) {
                if (clean_[size - 1][label]) continue;
                std::vector<Place> rows;
                for (Code r : holders_[label]) {
                    const std::vector<Code>& labels = rows_[r].labels;
                    rows.push_back(
                        {r, static_cast<size_t>(std::upper_bound(labels.begin(), labels.end(), label) - labels.begin())});
                }
                breach_ = {label};
                if (walk(rows, size)) return true;
                clean_[size - 1][label] = 1;
            }
        }
        return false;
    }

    // Whether every whole row is contained in k rows: then so is every set that occurs. Without this check, long similar rows
    // would take too much time.
    bool whole_rows_are_safe() {
        auto safe = [this](const Row& row) {
            if (row.labels.empty()) return true;
            const std::vector<Code>* rarest = &holders_[row.labels[0]];
            for (Code label : row.labels)
                if (holders_[label].size() < rarest->size()) rarest = &holders_[label];
            Crowd crowd;
            for (Code r : *rarest) {
                const std::vector<Code>& labels = rows_[r].labels;
                if (!std::includes(labels.begin(), labels.end(), row.labels.begin(), row.labels.end())) continue;
                crowd.add(rows_[r].crowd, k_);
                if (crowd.reaches(k_)) return true;
            }
            return false;
        };
        if (unsafe_ < rows_.size() && !safe(rows_[unsafe_])) return false;  // usually the row of last time
        for (unsafe_ = 0; unsafe_ < rows_.size(); ++unsafe_)
            if (unsafe_ < rows_.size() && !safe(rows_[unsafe_])) return false;
        unsafe_ = 0;
        return true;
    }

    // Whether a set of `size` labels that starts with those of breach_ is a violation; the rows are those that have them.
    bool walk(const std::vector<Place>& rows, size_t size) {
        tell();
        if (breach_.size() == size) return broken(rows);
        if (breach_.size() + 1 == size && !l_) return broken_by_count(rows);
        Level& level = levels_[breach_.size()];
        for (const Place& place : rows) {
            const std::vector<Code>& labels = rows_[place.row].labels;
            for (size_t at = place.next; at < labels.size(); ++at) {
                std::vector<Place>& held = level.rows[labels[at]];
                if (held.empty()) level.labels.push_back(labels[at]);
                held.push_back({place.row, at + 1});
            }
        }
        std::sort(level.labels.begin(), level.labels.end());
        bool found = false;
        for (Code label : level.labels) {
            if (!found) {
                breach_.push_back(label);
                found = walk(level.rows[label], size);
                if (!found) breach_.pop_back();
            }
            level.rows[label].clear();
        }
        level.labels.clear();
        return found;
    }

    // The same for the last label, by its count alone.
    bool broken_by_count(const std::vector<Place>& rows) {
        std::vector<Code>& following = following_;
        following.clear();
        for (const Place& place : rows) {
            const Row& row = rows_[place.row];
            for (size_t at = place.next; at < row.labels.size(); ++at) {
                if (count_[row.labels[at]].empty()) following.push_back(row.labels[at]);
                count_[row.labels[at]].add(row.crowd, k_);
            }
        }
        Code first = std::numeric_limits<Code>::max();
        for (Code label : following) {
            if (!count_[label].reaches(k_)) first = std::min(first, label);
            count_[label] = {};
        }
        if (first == std::numeric_limits<Code>::max()) return false;
        breach_.push_back(first);
        return true;
    }

    // Whether too few persons have a set, or too many of them, or of the rows, have the same hidden item.
    bool broken(const std::vector<Place>& rows) {
        Crowd crowd;
        int64_t support = 0, most = 0;
        for (const Place& place : rows) crowd.add(rows_[place.row].crowd, k_);
        if (!crowd.reaches(k_) || !l_) return !crowd.reaches(k_);
        for (const Place& place : rows) support += rows_[place.row].weight;
        for (const Place& place : rows)
            for (const auto& [item, count] : rows_[place.row].hidden) most = std::max(most, hidden_count_[item] += count);
        for (const Place& place : rows)
            for (const auto& [item, count] : rows_[place.row].hidden) hidden_count_[item] = 0;
        if (most * l_ > support) return true;
        Knowers knowers;
        for (const Place& place : rows) knowers.add(rows_[place.row].knowers);
        return knowers.tell(l_);
    }

    // Merges a label of the violation with the label where that costs least.
    void merge() {
        auto best = std::make_tuple(std::numeric_limits<int64_t>::max(), int64_t{0}, Code{0}, Code{0});
        if (!costs_.given()) classify();
        for (Code u : breach_) {
            std::vector<int64_t> losses = costs_.given() ? std::vector<int64_t>() : losses_with(u);
            for (Code v : living_) {
                if (u == v) continue;
                int64_t added = costs_.given() ? costs_.added(u, v, size_) : losses[v];
                best = std::min(best, {added, size_[u] + size_[v], std::min(u, v), std::max(u, v)});
            }
        }
        auto [added, size, kept, gone] = best;
        std::vector<Code> changed;
        std::set_union(holders_[kept].begin(), holders_[kept].end(), holders_[gone].begin(), holders_[gone].end(),
                       std::back_inserter(changed));
        size_[kept] = size;
        costs_.merge(kept, gone);
        for (Code r : changed) {
            std::vector<Code>& labels = rows_[r].labels;
            labels.erase(std::remove(labels.begin(), labels.end(), gone), labels.end());
            auto at = std::lower_bound(labels.begin(), labels.end(), kept);
            if (at == labels.end() || *at != kept) labels.insert(at, kept);
        }
        holders_[kept] = changed;
        holders_[gone] = {};
        living_.erase(std::find(living_.begin(), living_.end(), gone));
        into_[gone] = kept;
        std::vector<Code> with;  // labels of changed rows
        for (Code r : changed)
            for (Code label : rows_[r].labels)
                if (!seen_[label]++) with.push_back(label);
        for (Code label : with) seen_[label] = 0;
        unite(changed);
        forget(with);
        for (std::vector<char>& clean : clean_)
            for (Code label : with)
                if (label <= kept) clean[label] = 0;
    }

    // Removes rows that became equal to others from the holders of labels.
    void forget(const std::vector<Code>& labels) {
        for (Code label : labels) {
            std::vector<Code>& rows = holders_[label];
            auto gone = [&](Code r) { return rows_[r].labels.empty(); };
            rows.erase(std::remove_if(rows.begin(), rows.end(), gone), rows.end());
        }
    }

    // Finds the sizes of labels, and the labels of more than one item.
    void classify() {
        sizes_.clear();
        several_.clear();
        for (Code v : living_) {
            sizes_.push_back(size_[v]);
            if (size_[v] > 1) several_.push_back(v);
        }
        std::sort(sizes_.begin(), sizes_.end());
        sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
        for (Code v : living_) class_[v] = std::lower_bound(sizes_.begin(), sizes_.end(), size_[v]) - sizes_.begin();
        value_.resize(sizes_.size());
        valid_.assign(sizes_.size(), 0);
        now_ = 0;
    }

    // The loss that merging u with each other label adds, over all rows.
    std::vector<int64_t> losses_with(Code u) {
        std::vector<int64_t> added(name_.size(), 0);
        int64_t size = size_[u];
        std::map<std::pair<int64_t, int64_t>, int64_t> alike;  // rows with u by what their loss depends on
        for (const Row& row : rows_) {
            if (row.labels.empty()) continue;
            tell();
            const Loss& loss = row.loss;
            if (!std::binary_search(row.labels.begin(), row.labels.end(), u)) {
                for (Code v : row.labels)
                    added[v] += row.weight * (loss.with(row.labels, size_, v, u, size_[v] + size, size) - loss.value());
                continue;
            }
            for (Code v : row.labels) {
                if (u == v) continue;
                added[v] += row.weight * (loss.with(row.labels, size_, u, v, size + size_[v], 0) - loss.value());
                if (loss.exact(size_[v])) added[v] -= row.weight * (loss.grown(size, size_[v]) - loss.value());
            }
            if (loss.exact(1)) alike[loss.key()] += row.weight;
            if (!loss.exact(sizes_.back())) add_rounded(row, u, loss.exact(1) ? several_ : living_, added);
        }
        std::vector<int64_t> exactly(sizes_.size(), 0);  // loss of those rows, by the size of the other label
        for (const auto& [key, weight] : alike) {
            Loss loss(key);
            for (size_t at = 0; at < sizes_.size() && loss.exact(sizes_[at]); ++at)
                exactly[at] += weight * (loss.grown(size, sizes_[at]) - loss.value());
        }
        for (Code v : living_) added[v] += exactly[class_[v]];
        return added;
    }

    // The same for one row with u and the labels outside the row with which its loss is not exact. Only their sizes matter,
    // and their places in the sum.
    void add_rounded(const Row& row, Code u, const std::vector<Code>& others, std::vector<int64_t>& added) {
        ++now_;
        size_t at = 0;
        for (Code v : others) {
            bool passed = false;
            for (; at < row.labels.size() && row.labels[at] < v; ++at)
                passed |= row.labels[at] == u || (v < u && size_[row.labels[at]] > 1);
            now_ += passed;
            if (at < row.labels.size() && row.labels[at] == v) continue;
            size_t kind = class_[v];
            if (valid_[kind] != now_) {
                valid_[kind] = now_;
                int64_t more = size_[v], before = row.loss.value(), after = before;
                if (!row.loss.exact(more)) after = row.loss.with(row.labels, size_, u, v, size_[u] + more, more);
                value_[kind] = row.weight * (after - before);
            }
            added[v] += value_[kind];
        }
    }

    std::vector<Code> item_label_;  // by item: its first label, a place in name_; or -1
    std::vector<Code> name_;  // by label: its smallest item
    std::vector<Code> into_;  // by label: the one it became part of, or itself
    LabelCosts costs_;  // not given: UL counts
    int64_t k_, l_;
    std::vector<int64_t> size_;  // by label: items
    std::vector<std::vector<Code>> holders_;  // by label: rows
    std::vector<Code> living_, breach_, following_;
    std::vector<Row> rows_;
    size_t unsafe_ = 0;  // a row that was not contained in k rows at the last check
    std::vector<std::vector<char>> clean_;  // by size minus 1, by first label
    std::vector<Level> levels_;  // by length of the prefix
    std::vector<Crowd> count_;  // by label
    std::vector<int64_t> hidden_count_;
    std::vector<Code> seen_, several_;  // by label; labels of more than one item
    std::vector<int64_t> sizes_;  // the different sizes of labels
    std::vector<size_t> class_;  // by label: the place of its size among them
    std::vector<int64_t> value_;  // by place: what a row adds,
    std::vector<uint64_t> valid_;  // if this is set
    uint64_t now_ = 0, steps_ = 0;
    const Tick& tick_;
    std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

}  // namespace shoal
