// Counts the persons with a set of labels, for k and l.
#pragma once

#include "core/rows.hpp"

namespace shoal {

// Counts persons to compare with k, so no more than k are stored.
class Crowd {
public:
    Crowd() = default;
    explicit Crowd(Code person) {
        if (person == NOBODY) alone_ = 1;
        else several_.push_back(person);
    }

    void add(const Crowd& other, int64_t k) {
        if (reaches(k)) return;
        alone_ += other.alone_;
        if (other.several_.empty()) return;
        std::vector<Code> both;
        std::set_union(several_.begin(), several_.end(), other.several_.begin(), other.several_.end(), std::back_inserter(both));
        several_ = std::move(both);
    }
    bool empty() const { return !alone_ && several_.empty(); }
    bool reaches(int64_t k) const { return alone_ + static_cast<int64_t>(several_.size()) >= k; }

private:
    int64_t alone_ = 0;  // number of persons with one row only
    std::vector<Code> several_;  // the others, ascending
};

// Counts persons, and which of them have each hidden item.
class Knowers {
public:
    void add(const Knowers& other) { pairs_.insert(pairs_.end(), other.pairs_.begin(), other.pairs_.end()); }
    void add(int64_t person, const Code* item, const Code* end) {
        pairs_.push_back({NOTHING, person});
        for (; item != end; ++item) pairs_.push_back({*item, person});
    }
    // Whether more than one in l of the persons have the same hidden item.
    bool tell(int64_t l) {
        std::sort(pairs_.begin(), pairs_.end());
        pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
        int64_t persons = 0, count = 0;
        for (size_t at = 0; at < pairs_.size(); ++at) {
            count = at && pairs_[at - 1].first == pairs_[at].first ? count + 1 : 1;
            if (pairs_[at].first == NOTHING) persons = count;
            else if (count * l > persons) return true;
        }
        return false;
    }

private:
    static constexpr Code NOTHING = -1;  // sorts before every item
    std::vector<std::pair<Code, int64_t>> pairs_;  // of an item, or nothing, and a person
};

}  // namespace shoal
