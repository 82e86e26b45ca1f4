// Which rows of a person hold a label, as bits: for each person with several rows and each label that stands in them. So
// whether a person has a row with all labels of a set is a few words to compare.
#pragma once

#include "core/rows.hpp"

namespace shoal {

class PersonLabels {
public:
    using Bits = std::vector<uint64_t>;
    struct Person {
        Code first = 0;  // the first of the person's rows; bit 0 of all masks
        Code words = 0;  // of a mask
        Code used = 0;  // places that have had a label
        Code last = 0;  // place that was put to
        int64_t labels = 0, masks = 0;  // where those of the first place are
    };

    // Rows stand person by person. A label is a block of units, so a person has no more labels than units; and one more
    // while a node moves from row to row.
    explicit PersonLabels(const Rows& rows) : begin_(rows.size()) {
        if (rows.persons.empty()) return;
        begin_ =
            std::find_if(rows.persons.begin(), rows.persons.end(), [](Code p) { return p != NOBODY; }) - rows.persons.begin();
        persons_.resize(rows.persons.back() + 1);
        std::vector<Code> last;  // by unit: whose it was
        int64_t labels = 0, masks = 0;
        for (int64_t row = begin_, stop; row < rows.size(); row = stop) {
            Code person = rows.person(row);
            int64_t units = 0;
            for (stop = row; stop < rows.size() && rows.person(stop) == person; ++stop)
                for (const Code* unit = rows.begin(stop); unit != rows.end(stop); ++unit) {
                    if (last.size() <= static_cast<size_t>(*unit)) last.resize(*unit + 1, NOBODY);
                    units += last[*unit] != person;
                    last[*unit] = person;
                }
            auto words = static_cast<Code>((stop - row + 63) / 64);
            persons_[person] = {static_cast<Code>(row), words, 0, 0, labels, masks};
            labels += units + 1;
            masks += (units + 1) * words;
        }
        labels_.assign(labels, NONE);
        masks_.assign(masks, 0);
    }

    int64_t begin() const { return begin_; }  // the first row of a person who has several
    const Person& operator[](Code person) const { return persons_[person]; }
    const uint64_t* rows(const Person& person, Code place) const {
        return masks_.data() + person.masks + int64_t(place) * person.words;
    }

    // The place of a label among those of a person; NONE: the person has no row with it.
    Code find(const Person& person, Code label) const {
        const Code* labels = labels_.data() + person.labels;
        Code found = NONE;
        for (Code place = 0; place < person.used; ++place)
            found = labels[place] == label ? place : found;  // no way out: vectorized
        return found;
    }

    // Notes that a row holds a label: its place.
    Code put(Code of, Code label, int64_t row) {
        Person& person = persons_[of];
        Code place = labels_[person.labels + person.last] == label ? person.last : find(person, label);
        if (place == NONE) place = find(person, NONE);
        if (place == NONE) place = person.used++;
        person.last = place;
        labels_[person.labels + place] = label;
        mask(person, place)[(row - person.first) >> 6] |= bit(row - person.first);
        return place;
    }

    // Notes that a row holds it no more; a label that no row holds leaves its place to others.
    void remove(Code of, Code place, int64_t row) {
        Person& person = persons_[of];
        uint64_t* rows = mask(person, place);
        rows[(row - person.first) >> 6] &= ~bit(row - person.first);
        if (std::all_of(rows, rows + person.words, [](uint64_t word) { return !word; })) labels_[person.labels + place] = NONE;
    }

    static constexpr Code NONE = -1;
    static uint64_t bit(int64_t row) { return 1ULL << (row & 63); }

private:
    uint64_t* mask(const Person& person, Code place) { return masks_.data() + person.masks + int64_t(place) * person.words; }

    int64_t begin_;
    std::vector<Person> persons_;
    std::vector<Code> labels_;
    Bits masks_;
};

}  // namespace shoal
