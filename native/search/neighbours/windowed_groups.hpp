// Groups around seeds in a sorted list (GSC). In the order of the list, each unused seed takes the nearest unused rows
// (Hamming distance of the item sets, then the lower number) at most `reach` places above or below it. Rows that are not
// deferred come first. With `widen`, the window is doubled until it holds enough of them, and deferred rows are taken if all
// data hold too few. Otherwise the window is doubled until it holds enough rows of both kinds together.
//
// Used places are skipped by links that get shorter with use, so a window costs only its unused places. Memory: proportional
// to the data.
#pragma once

#include "core/parallel.hpp"

namespace shoal {

// Places of a list, from which places are removed permanently.
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

    // Finds the remaining places within a distance above and below.
    void near(int64_t place, int64_t reach, std::vector<int64_t>& found) {
        auto n = static_cast<int64_t>(up_.size()) - 1;
        found.clear();
        for (int64_t at = end(down_, place); at > 0 && at - 1 >= place - reach; at = end(down_, at - 1)) found.push_back(at - 1);
        for (int64_t at = end(up_, place + 1); at < n && at <= place + reach; at = end(up_, at + 1)) found.push_back(at);
    }

private:
    // Returns the end of the links from a place.
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

// Used for one run. Rows are given in the order of the list; `number` has their numbers.
class WindowedGroups {
public:
    WindowedGroups(RowsView view, Code labels, const int64_t* number, const uint8_t* seeds, const uint8_t* deferred)
        : view_(view), number_(number), seeds_(seeds), deferred_(deferred), plain_(view.rows), private_(view.rows),
          mark_(labels, 0) {
        for (int64_t place = 0; place < view.rows; ++place) kind(place).free(place);
    }

    // Returns one group after the other: the place of a seed, and the `take` places that it takes.
    std::vector<int64_t> run(int64_t take, int64_t reach, bool widen, const Tick& tick) {
        std::vector<int64_t> groups;
        std::chrono::steady_clock::time_point told;
        for (int64_t place = 0; place < view_.rows; ++place) {
            auto now = std::chrono::steady_clock::now();
            if (now - told > std::chrono::milliseconds(50)) {
                told = now;
                tick(static_cast<double>(place) / static_cast<double>(view_.rows));
            }
            if (!seeds_[place] || !kind(place).has(place)) continue;
            if (plain_.left() + private_.left() <= take) break;
            kind(place).take(place);
            groups.push_back(place);
            int64_t window = widen ? reach : wide_enough(place, take, reach);
            int64_t taken = nearest(plain_, place, take, window, widen, groups);
            nearest(private_, place, take - taken, window, widen, groups);
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

    Places& kind(int64_t place) { return deferred_[place] ? private_ : plain_; }

    // Counts the remaining places in a window.
    int64_t count(Places& free, int64_t place, int64_t reach) {
        free.near(place, reach, near_);
        return static_cast<int64_t>(near_.size());
    }

    // Doubles the reach until the window holds enough rows of both kinds.
    int64_t wide_enough(int64_t place, int64_t wanted, int64_t reach) {
        while (count(plain_, place, reach) + count(private_, place, reach) < wanted) reach = std::min(2 * reach, view_.rows);
        return reach;
    }

    // Takes the nearest places: as many as wanted, or all there are (in the window, unless it may widen). Returns how many.
    int64_t nearest(Places& free, int64_t place, int64_t wanted, int64_t reach, bool widen, std::vector<int64_t>& groups) {
        wanted = std::min(wanted, free.left());
        if (wanted == 0) return 0;
        int64_t found = count(free, place, reach);
        while (widen && found < wanted) {
            reach = std::min(2 * reach, view_.rows);
            found = count(free, place, reach);
        }
        wanted = std::min(wanted, found);
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
    const uint8_t* seeds_;
    const uint8_t* deferred_;
    Places plain_, private_;
    std::vector<uint8_t> mark_;  // by item: whether the seed has it
    std::vector<int64_t> near_;
    std::vector<Candidate> candidates_;
};

}  // namespace shoal
