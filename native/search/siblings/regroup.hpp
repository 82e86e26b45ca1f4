// Regroups siblings by simulated annealing: random moves inside one owner, which are kept if the grouping stays safe and the
// cost does not rise too much for the temperature (docs/concepts/siblings.md). Budgets count work, not seconds, and random
// numbers come from our own generator, so equal input gives equal groups.
//
// Moves: an element goes to another block of its owner or to a new one; two elements are swapped; two blocks are merged,
// which is always safe; a closed node is opened by moving a child out; or a few blocks are dissolved into their elements,
// which are merged until no set is rare.
#pragma once

#include <cmath>

#include "core/parallel.hpp"
#include "search/siblings/grouping.hpp"

namespace shoal {

// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next() {
        uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    template <class Number>
    Number below(Number n) {
        return static_cast<Number>(next() % static_cast<uint64_t>(n));
    }

private:
    uint64_t state_;
};

class Regroup {
public:
    Regroup(Grouping grouping, uint64_t seed) : g_(std::move(grouping)), random_(seed), best_(g_.block_of()), least_(g_.cost()) {}

    int64_t cost() const { return least_; }
    const std::vector<Code>& block_of() const { return best_; }

    // Tries random moves at one temperature, until the work is done or the moves were tried.
    void run(double temperature, int64_t work, int64_t moves, const Tick& tick) {
        temperature_ = temperature;
        std::atomic<bool> cancelled{false};
        Pulse pulse(tick, cancelled, true);
        for (int64_t start = g_.work(), done; moves-- > 0 && (done = g_.work() - start) < work;) {
            step();
            g_.charge(1);
            pulse.beat(static_cast<double>(done) / static_cast<double>(work));
        }
        if (g_.cost() < least_) least_ = g_.cost(), best_ = g_.block_of();
    }

private:
    static constexpr size_t MOST_DISSOLVED = 60;  // elements
    static constexpr double TOO_DEAR = 20;  // give up if the cost rises by so many temperatures

    bool accepted(int64_t dearer) {
        if (dearer <= 0) return true;
        double u = (static_cast<double>(random_.next() >> 11) + 0.5) * 0x1p-53;
        return static_cast<double>(dearer) < -temperature_ * std::log(u);
    }
    template <class T>
    const T& one_of(const std::vector<T>& some) {
        return some[random_.below(some.size())];
    }

    void step() {
        Code unit = random_.below(g_.units()), element = g_.element_of(unit), block = g_.block(element);
        bool single = g_.members(block).size() == 1;
        int kind = random_.below(1000);
        if (single && element >= g_.units() && kind < 300) {
            if (kind < 10) return dissolve({block});
            while (g_.parent(unit) != element) unit = g_.parent(unit);
            return take_out(unit, block);
        }
        if (kind < 3) return dissolve(some_with(block));
        if (kind < 80) {
            if (!single) take_out(element, block);
            return;
        }
        const auto& siblings = g_.blocks(g_.owner(block));
        Code other = one_of(siblings);
        if (other == block) return;
        if (kind < 150) return merge(block, other);
        if (kind < 350 && g_.members(block).size() + g_.members(other).size() > 2)
            return swap(element, block, one_of(g_.members(other)), other);
        move(element, block, other);
    }

    // The change of the cost if items move from one block to another.
    int64_t dearer(Code from, Code to, int64_t occurrences, int64_t items) const {
        return g_.cost(g_.block_occurrences(from) - occurrences, g_.block_items(from) - items) - g_.cost_of(from) +
               g_.cost(g_.block_occurrences(to) + occurrences, g_.block_items(to) + items) - g_.cost_of(to);
    }
    int64_t dearer(Code node, Code from, Code to) const { return dearer(from, to, g_.occurrences(node), g_.items(node)); }

    void take_out(Code node, Code from) {
        Code to = g_.spare();
        if (to < 0 || !accepted(dearer(node, from, to)) || refused(node, from, to, -1)) return;
        if (g_.try_move(node, from, to)) settled(node, from, to);
    }

    void move(Code node, Code from, Code to) {
        if (!accepted(dearer(node, from, to)) || refused(node, from, to, to)) return;
        if (g_.try_move(node, from, to)) settled(node, from, to);
    }
    bool refused(Code node, Code from, Code to, Code welcome) const {
        return g_.needed(node, from, to) || g_.unwelcome(node, from, welcome);
    }

    void settled(Code node, Code from, Code to) {
        g_.settle(node, from, to);
        g_.close(from);
        g_.close(to);
    }

    void swap(Code one, Code from, Code other, Code to) {
        if (!accepted(dearer(from, to, g_.occurrences(one) - g_.occurrences(other), g_.items(one) - g_.items(other)))) return;
        if (g_.unwelcome(one, from, to) || g_.unwelcome(other, to, from)) return;
        g_.move(one, from, to);
        if (!g_.try_move(other, to, from)) return g_.move(one, to, from);
        if (!g_.counts_all() && !g_.safe_beyond(to, one)) {  // its other sets have changed, too
            g_.move(other, from, to);
            return g_.move(one, to, from);
        }
        g_.settle(one, from, to);
        g_.settle(other, to, from);
    }

    void merge(Code one, Code other) {
        if (!accepted(dearer(one, other, g_.block_occurrences(one), g_.block_items(one)))) return;
        g_.close(merged(one, other));
    }
    Code merged(Code from, Code to) {
        if (g_.block_occurrences(from) > g_.block_occurrences(to)) std::swap(from, to);
        for (size_t left = g_.members(from).size(); left; --left) {
            Code element = g_.members(from).back();
            g_.move(element, from, to);
            g_.settle(element, from, to);
        }
        return to;
    }

    std::vector<Code> some_with(Code block) {
        std::vector<Code> some{block};
        const auto& siblings = g_.blocks(g_.owner(block));
        for (int more = 1 + random_.below(3); more; --more) {
            Code other = one_of(siblings);
            if (std::find(some.begin(), some.end(), other) == some.end()) some.push_back(other);
        }
        return some;
    }

    // Makes every element of some blocks a block of its own, then merges blocks until no set is rare.
    void dissolve(const std::vector<Code>& some) {
        Code first = some[0];
        bool opened = some.size() == 1 && g_.members(first).size() == 1;
        Code node = g_.members(first)[0];
        if (opened && node < g_.units()) return;
        size_t elements = opened ? g_.children(node).size() : 0;
        for (Code block : some) elements += opened ? 0 : g_.members(block).size();
        if (elements < 2 || elements > MOST_DISSOLVED || g_.spares() < elements) return;
        if (opened) g_.open(first);
        Code owner = g_.owner(first);
        int64_t before = g_.cost();
        std::vector<std::vector<Code>> old;
        for (Code block : g_.blocks(owner)) old.push_back(g_.members(block));
        fresh_.clear();
        for (Code block : some) {
            fresh_.push_back(block);
            while (g_.members(block).size() > 1) {
                Code element = g_.members(block).back(), alone = g_.spare();
                g_.move(element, block, alone);
                g_.settle(element, block, alone);
                fresh_.push_back(alone);
            }
        }
        if (repaired(owner, before) && accepted(g_.cost() - before) && safe_beyond_fresh())
            g_.close(g_.blocks(owner)[0]);  // if it is the only one
        else restore(owner, old, opened);
    }

    bool is_fresh(Code block) const { return std::find(fresh_.begin(), fresh_.end(), block) != fresh_.end(); }
    bool safe_beyond_fresh() {
        return g_.counts_all() || std::all_of(fresh_.begin(), fresh_.end(), [&](Code block) { return g_.safe_beyond(block); });
    }

    // Merges blocks of an owner until no set is rare. Returns false if the cost becomes too high.
    bool repaired(Code owner, int64_t before) {
        while (!g_.safe()) {
            if (static_cast<double>(g_.cost() - before) > TOO_DEAR * temperature_) return false;
            auto [one, other] = repair_of(g_.rare_set(random_.below(g_.rare_sets())), owner);
            if (one < 0) return false;
            fresh_.push_back(merged(one, other));
        }
        return true;
    }

    // Two blocks of the owner whose merge makes a rare set less rare at a low cost.
    std::pair<Code, Code> repair_of(const std::vector<Code>& rare, Code owner) {
        std::pair<Code, Code> best{-1, -1};
        double least = 0;
        for (Code block : rare) {
            if (g_.owner(block) != owner || !is_fresh(block)) continue;
            std::vector<Code> others;
            for (Code other : rare)
                if (other != block) others.push_back(other);
            int64_t missing = g_.missing(g_.support(block, others));
            g_.charge(static_cast<int64_t>(g_.blocks(owner).size()));
            for (Code with : g_.blocks(owner)) {
                if (with == block) continue;
                bool inside = std::find(others.begin(), others.end(), with) != others.end();
                int64_t gained = inside ? missing : std::min(missing, g_.support(with, others));
                if (!gained) continue;
                double price = static_cast<double>(dearer(block, with, g_.block_occurrences(block), g_.block_items(block)));
                price = price * static_cast<double>(missing) / static_cast<double>(gained) * noise();
                if (best.first < 0 || price < least) best = {block, with}, least = price;
            }
        }
        return best;
    }
    double noise() { return 1 + static_cast<double>(random_.next() >> 11) * 0x1p-54; }  // 1 to 1.5

    void restore(Code owner, const std::vector<std::vector<Code>>& old, bool opened) {
        std::vector<Code> home(old.size(), -1), taken;
        for (size_t i = 0; i < old.size(); ++i)
            for (Code element : old[i]) {
                Code block = g_.block(element);
                if (std::find(taken.begin(), taken.end(), block) != taken.end()) continue;
                taken.push_back(home[i] = block);
                break;
            }
        for (size_t i = 0; i < old.size(); ++i)
            for (Code element : old[i]) {
                if (home[i] < 0) home[i] = g_.spare();
                Code block = g_.block(element);
                if (block == home[i]) continue;
                g_.move(element, block, home[i]);
                g_.settle(element, block, home[i]);
            }
        if (opened) g_.close(g_.blocks(owner)[0]);
    }

    Grouping g_;
    Random random_;
    double temperature_ = 0;
    std::vector<Code> fresh_;  // blocks that a repair may change first
    std::vector<Code> best_;
    int64_t least_;
};

}  // namespace shoal
