// The maximum flow from a source to a sink, by Dinic's method: shortest paths first, each phase a blocking flow. The flow
// grows from phase to phase, so an interrupted search still has a lower bound on the minimum cut.
#pragma once

#include <limits>

#include "core/rows.hpp"

namespace shoal {

class Flow {
public:
    // Arcs from tails[i] to heads[i]; node 0 is the source, node 1 the sink.
    Flow(int64_t nodes, const Code* tails, const Code* heads, const int64_t* capacities, int64_t arcs)
        : start_(nodes + 1), head_(2 * arcs), back_(2 * arcs), left_(2 * arcs), level_(nodes), next_(nodes) {
        for (int64_t i = 0; i < arcs; ++i) ++start_[tails[i] + 1], ++start_[heads[i] + 1];
        std::partial_sum(start_.begin(), start_.end(), start_.begin());
        std::vector<int64_t> at(start_.begin(), start_.end() - 1);
        for (int64_t i = 0; i < arcs; ++i) {
            int64_t there = at[tails[i]]++, home = at[heads[i]]++;
            head_[there] = heads[i], head_[home] = tails[i];
            back_[there] = static_cast<Code>(home), back_[home] = static_cast<Code>(there);
            left_[there] = capacities[i], left_[home] = 0;
        }
    }

    // Increases the flow until about `work` arcs have been examined, or it is the maximum.
    void grow(int64_t work) {
        looked_ = 0;
        while (looked_ < work && (resume_ || reach())) {
            if (!resume_) next_.assign(start_.begin(), start_.end() - 1);
            resume_ = !block(work);
        }
    }
    int64_t value() const { return value_; }
    bool largest() const { return done_; }

private:
    bool reach() {
        std::fill(level_.begin(), level_.end(), -1);
        queue_.assign(1, 0);
        level_[0] = 0;
        for (size_t at = 0; at < queue_.size() && level_[1] < 0; ++at) {
            Code node = queue_[at];
            looked_ += start_[node + 1] - start_[node];
            for (int64_t arc = start_[node]; arc < start_[node + 1]; ++arc)
                if (left_[arc] > 0 && level_[head_[arc]] < 0) {
                    level_[head_[arc]] = level_[node] + 1;
                    queue_.push_back(head_[arc]);
                }
        }
        done_ = level_[1] < 0;
        return !done_;
    }

    // Whether no path of the current length is left.
    bool block(int64_t work) {
        std::vector<int64_t> path;
        Code node = 0;
        while (looked_ < work) {
            if (node == 1) {
                int64_t least = std::numeric_limits<int64_t>::max();
                for (int64_t arc : path) least = std::min(least, left_[arc]);
                size_t keep = path.size();
                for (size_t i = path.size(); i-- > 0;) {
                    left_[path[i]] -= least;
                    left_[back_[path[i]]] += least;
                    if (left_[path[i]] == 0) keep = i;
                }
                looked_ += static_cast<int64_t>(path.size());
                value_ += least;
                node = head_[back_[path[keep]]];
                path.resize(keep);
                continue;
            }
            int64_t& arc = next_[node];
            while (arc < start_[node + 1] && !(left_[arc] > 0 && level_[head_[arc]] == level_[node] + 1)) ++arc, ++looked_;
            if (arc < start_[node + 1]) {
                path.push_back(arc);
                node = head_[arc];
            } else if (path.empty()) {
                return true;
            } else {
                level_[node] = -1;  // a dead end
                node = head_[back_[path.back()]];
                path.pop_back();
                ++next_[node];
            }
        }
        return false;
    }

    std::vector<int64_t> start_;
    std::vector<Code> head_, back_;
    std::vector<int64_t> left_;
    std::vector<Code> level_, queue_;
    std::vector<int64_t> next_;
    int64_t value_ = 0, looked_ = 0;
    bool resume_ = false, done_ = false;
};

}  // namespace shoal
