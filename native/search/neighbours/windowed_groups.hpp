// Groups around deferred rows in a sorted list (GSC): in the order of the list, each deferred row that is not used takes the
// unused rows nearest to it (Hamming distance of the item sets, then the lower number) among those that are not deferred and
// stand at most `reach` places above or below; where these are too few the window is doubled. Where all that are left
// are too few it takes them all, and deferred ones in the same way.
//
// Places that are used are skipped by links that get shorter with use, so a window costs what is unused in it.
// Memory: proportional to the data.
#pragma once

#include "core/parallel.hpp"

namespace shoal {

// Some places of a list, from which places are taken for good.
class Places {
public:
    explicit Places(int64_t n) : up_(n + 1), down_(n + 1) {
        std::iota(up_.begin(), up_.end(), 1);
        std::iota(down_.begin(), down_.end(), -1);
        up_[n] = n;
        down_[0] = 0;
    }
    void free(int64_t place) {
        up_[place] = place;
        down_[place + 1] = place + 1;
        ++left_;
    }
    void take(int64_t place) {
        up_[place] = place + 1;
        down_[place + 1] = place;
        --left_;
    }
    int64_t left() const { return left_; }
    bool has(int64_t place) const { return up_[place] == place; }

    // All that are left within so many places above and below.
    void near(int64_t place, int64_t reach, std::vector<int64_t>& found) {
        auto n = static_cast<int64_t>(up_.size()) - 1;
        found.clear();
        for (int64_t at = end(down_, place); at > 0 && at - 1 >= place - reach; at = end(down_, at - 1)) found.push_back(at - 1);
        for (int64_t at = end(up_, place + 1); at < n && at <= place + reach; at = end(up_, at + 1)) found.push_back(at);
    }

private:
    // Where the links from a place lead.
    static int64_t end(std::vector<int64_t>& links, int64_t place) {
        int64_t last = place;
        while (links[last] != last) last = links[last];
        while (links[place] != last) {
            int64_t next = links[place];
            links[place] = last;
            place = next;
        }
        return last;
    }

    std::vector<int64_t> up_;  // the place itself if it is left, else one further up; behind the last: itself
    std::vector<int64_t> down_;  // the same downwards, shifted by one
    int64_t left_ = 0;
};

// Made for one run; rows are given in the order of the list, `number` tells what they are called.
class WindowedGroups {
public:
    WindowedGroups(RowsView view, Code labels, const int64_t* number, const uint8_t* deferred)
        : view_(view), number_(number), deferred_(deferred), plain_(view.rows), private_(view.rows), mark_(labels, 0) {
        for (int64_t place = 0; place < view.rows; ++place) (deferred[place] ? private_ : plain_).free(place);
    }

    // One group after the other: the place of a deferred row, and the `take` places that it takes.
    std::vector<int64_t> run(int64_t take, int64_t reach, const Tick& tick) {
        std::vector<int64_t> groups;
        std::chrono::steady_clock::time_point told;
        for (int64_t place = 0; place < view_.rows; ++place) {
            auto now = std::chrono::steady_clock::now();
            if (now - told > std::chrono::milliseconds(50)) {
                told = now;
                tick(static_cast<double>(place) / static_cast<double>(view_.rows));
            }
            if (!deferred_[place] || !private_.has(place)) continue;
            if (plain_.left() + private_.left() <= take) break;
            private_.take(place);
            groups.push_back(place);
            int64_t taken = nearest(plain_, place, take, reach, groups);
            nearest(private_, place, take - taken, reach, groups);
        }
        return groups;
    }

private:
    struct Candidate {
        int64_t distance, number, place;
        bool operator<(const Candidate& other) const {
            return distance != other.distance ? distance < other.distance : number < other.number;
        }
    };

    // Takes the nearest places, as many as wanted, or all that there are; returns how many.
    int64_t nearest(Places& free, int64_t place, int64_t wanted, int64_t reach, std::vector<int64_t>& groups) {
        wanted = std::min(wanted, free.left());
        if (wanted == 0) return 0;
        for (free.near(place, reach, near_); static_cast<int64_t>(near_.size()) < wanted; free.near(place, reach, near_))
            reach = std::min(2 * reach, view_.rows);
        for (const Code* item = view_.begin(place); item != view_.end(place); ++item) mark_[*item] = 1;
        candidates_.clear();
        for (int64_t at : near_) {
            int64_t shared = 0;
            for (const Code* item = view_.begin(at); item != view_.end(at); ++item) shared += mark_[*item];
            candidates_.push_back({view_.size(place) + view_.size(at) - 2 * shared, number_[at], at});
        }
        for (const Code* item = view_.begin(place); item != view_.end(place); ++item) mark_[*item] = 0;
        std::partial_sort(candidates_.begin(), candidates_.begin() + wanted, candidates_.end());
        for (int64_t i = 0; i < wanted; ++i) {
            groups.push_back(candidates_[i].place);
            free.take(candidates_[i].place);
        }
        return wanted;
    }

    RowsView view_;
    const int64_t* number_;
    const uint8_t* deferred_;
    Places plain_, private_;
    std::vector<uint8_t> mark_;  // by item: whether the seed has it
    std::vector<int64_t> near_;
    std::vector<Candidate> candidates_;
};

}  // namespace shoal
