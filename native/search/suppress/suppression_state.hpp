// The suppressed labels of a cut, kept up to date while the cut is expanded (suppression scenario in Liu and Wang 2010).
//
// Labels are decided in a fixed order, their rank. A label is kept unless it completes, with labels kept before it, a threat:
// a set of labels that too few rows hold. So a threat acts only on the last of its members, and only while all others are
// kept. A node that is not in the cut counts as not kept, so threats of other cuts may be stored here and have no effect.
//
// An expansion is tried by deciding again, in rank order, the labels that it may have changed. It is undone by changing the
// same labels once more. Time of both: the threats of the labels that change. Memory: proportional to the members of all
// threats.
#pragma once

#include <queue>

#include "search/cut.hpp"

namespace shoal {

// The total cost of a cut with its suppressed labels.
struct Toll {
    int64_t cost = 0;
    int64_t occurrences = 0;  // number of suppressed items of records
    int64_t barred = 0;  // number of suppressed labels that are barred

    Toll& operator+=(const Toll& other) {
        cost += other.cost;
        occurrences += other.occurrences;
        barred += other.barred;
        return *this;
    }
    Toll operator-(const Toll& other) const {
        return {cost - other.cost, occurrences - other.occurrences, barred - other.barred};
    }
};

class SuppressionState {
public:
    // For each node: its rank, its cost if it is kept, and if it is suppressed. At most this many threats can be stored.
    SuppressionState(const std::vector<Code>& rank, const std::vector<Toll>& kept, const std::vector<Toll>& gone, int64_t most)
        : most_(most), rank_(rank), if_kept_(kept), if_gone_(gone), present_(rank.size(), 0), kept_(rank.size(), 0),
          queued_(rank.size(), 0), fires_(rank.size(), 0), among_(rank.size()), last_of_(rank.size()), stale_(rank.size(), 0) {}

    std::vector<Code> turned;  // by the latest expansion: labels that left, came, or changed between kept and suppressed
    std::vector<Code> read;  // nodes whose acting threats changed, and labels that left or came; may repeat

    const Toll& toll() const { return toll_; }
    bool present(Code u) const { return present_[u]; }
    bool suppressed(Code u) const { return present_[u] && !kept_[u]; }
    int64_t threats() const { return static_cast<int64_t>(unkept_.size()); }

    // Adds a label that is a threat by itself.
    void condemn(Code u) { ++fires_[u]; }

    // Adds a threat of two or more nodes. At least one of them must not be in the cut.
    void add(Set set) {
        if (threats() >= most_) throw std::overflow_error("too many threats");
        std::sort(set.begin(), set.end(), [&](Code a, Code b) { return rank_[a] < rank_[b]; });
        auto id = static_cast<uint32_t>(unkept_.size());
        int32_t unkept = 0;
        for (size_t i = 0; i + 1 < set.size(); ++i) {
            among_[set[i]].push_back(id);
            unkept += !kept_[set[i]];
        }
        last_of_[set.back()].push_back(id);
        members_.insert(members_.end(), set.begin(), set.end());
        starts_.push_back(static_cast<int64_t>(members_.size()));
        unkept_.push_back(unkept);
        dead_.push_back(0);
        if (!unkept) ++fires_[set.back()];
    }

    // Replaces a label of the cut by others (none: -1 for the label), and decides the labels that depend on it.
    template <class Labels>
    void expand(Code label, const Labels& into) {
        turned.clear();
        read.clear();
        undo_.clear();
        before_ = toll_;
        if (label >= 0) {
            log(label);
            read.push_back(label);
            take(label, -1);
            present_[label] = 0;
            if (kept_[label]) turn(label, true);
        }
        for (Code u : into) {
            log(u);
            read.push_back(u);
            present_[u] = 1;
            take(u, 1);  // as suppressed, for now
            queue(u);
        }
        while (!queue_.empty()) {
            Code u = queue_.top().second;
            queue_.pop();
            queued_[u] = 0;
            if (!present_[u] || kept_[u] == (fires_[u] == 0)) continue;
            log(u);
            take(u, -1);
            turn(u, true);
            take(u, 1);
        }
    }

    // Undoes the latest expansion.
    void take_back() {
        for (size_t i = undo_.size(); i-- > 0;) {
            auto [u, present, kept] = undo_[i];
            if (kept_[u] != kept) turn(u, false);
            present_[u] = present;
        }
        toll_ = before_;
    }

    Toll change() const { return toll_ - before_; }  // by the latest expansion

    // Visits every node that shares a threat which the latest expansion, into these labels, has changed.
    template <class Labels, class Met>
    void each_met(const Labels& into, Met met) const {
        auto all = [&](const std::vector<uint32_t>& threats) {
            for (uint32_t t : threats)
                for (int64_t i = starts_[t]; i + 1 < starts_[t + 1]; ++i) met(members_[i]);
        };
        for (Code u : turned) all(among_[u]);
        for (Code u : into) all(last_of_[u]);
    }

    // Removes the threats of a label that has left the cut permanently.
    void forget(Code label) {
        auto kill = [&](const std::vector<uint32_t>& threats) {
            for (uint32_t t : threats) {
                if (dead_[t]) continue;
                dead_[t] = 1;
                for (int64_t i = starts_[t]; i < starts_[t + 1]; ++i)
                    if (members_[i] != label) ++stale_[members_[i]];
            }
        };
        kill(among_[label]);
        kill(last_of_[label]);
        for (auto* lists : {&among_, &last_of_}) std::vector<uint32_t>().swap((*lists)[label]);
        for (Code u = 0; u < static_cast<Code>(stale_.size()); ++u) {
            auto known = static_cast<int64_t>(among_[u].size() + last_of_[u].size());
            if (2 * stale_[u] <= known) continue;
            for (auto* lists : {&among_, &last_of_}) {
                auto& list = (*lists)[u];
                list.erase(std::remove_if(list.begin(), list.end(), [&](uint32_t t) { return dead_[t]; }), list.end());
            }
            stale_[u] = 0;
        }
    }

private:
    struct Was {
        Code label;
        uint8_t present, kept;
    };

    void log(Code u) { undo_.push_back({u, present_[u], kept_[u]}); }

    // Adds the cost of the label to the sum, or subtracts it.
    void take(Code u, int sign) {
        const Toll& toll = kept_[u] ? if_kept_[u] : if_gone_[u];
        toll_ += sign > 0 ? toll : Toll() - toll;
    }

    void queue(Code u) {
        if (queued_[u]) return;
        queued_[u] = 1;
        queue_.push({rank_[u], u});
    }

    // Changes a label from kept to not kept, or back.
    void turn(Code u, bool onward) {
        kept_[u] ^= 1;
        if (onward) turned.push_back(u);
        int step = kept_[u] ? -1 : 1;
        for (uint32_t t : among_[u]) {
            int32_t was = unkept_[t];
            unkept_[t] = was + step;
            if (was && unkept_[t]) continue;
            Code last = members_[starts_[t + 1] - 1];
            int32_t fired = fires_[last];
            fires_[last] -= step;
            if (!onward) continue;
            read.push_back(last);
            if (present_[last] && (!fired || !fires_[last])) queue(last);
        }
    }

    int64_t most_;
    const std::vector<Code>& rank_;
    const std::vector<Toll>& if_kept_;
    const std::vector<Toll>& if_gone_;
    std::vector<uint8_t> present_, kept_, queued_;
    std::vector<int32_t> fires_;  // number of threats that act on a node
    Toll toll_, before_;
    std::vector<Was> undo_;
    std::priority_queue<std::pair<Code, Code>, std::vector<std::pair<Code, Code>>, std::greater<>> queue_;

    std::vector<int64_t> starts_{0};
    std::vector<Code> members_;  // of each threat, by rank
    std::vector<int32_t> unkept_;  // of each threat, the number of members except the last that are not kept
    std::vector<uint8_t> dead_;
    std::vector<std::vector<uint32_t>> among_, last_of_;  // the threats of each node, as the last member or not
    std::vector<int64_t> stale_;  // number of removed ones among them
};

}  // namespace shoal
