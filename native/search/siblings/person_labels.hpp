// For each person with several rows: the rows that hold a label, and the labels of a row, both as bits. So a few words tell
// whether a person has a row with all labels of a set.
#pragma once

#include "core/rows.hpp"

namespace shoal {

class PersonLabels {
public:
    using Bits = std::vector<uint64_t>;
    struct Person {
        Code first = 0;  // the first row of the person; bit 0 of all masks
        Code words = 0;  // words of a mask
        Code used = 0;  // places that have had a label
        Code last = 0;  // the place last used
        Code wide = 0;  // words for the labels of a row
        int64_t labels = 0, masks = 0, rows = 0;  // addresses for the first place, and for the first row
        Code wide_used() const { return (used + 63) / 64; }
    };

    // Rows are sorted by person. A label is a block of units, so a person has no more labels than units, and one more while a
    // node moves from row to row. There are also no more than `slots`.
    PersonLabels(const Rows& rows, Code slots) : begin_(rows.size()) {
        if (rows.persons.empty()) return;
        begin_ =
            std::find_if(rows.persons.begin(), rows.persons.end(), [](Code p) { return p != NOBODY; }) - rows.persons.begin();
        persons_.resize(rows.persons.back() + 1);
        std::vector<Code> last;  // by unit: the last person
        int64_t labels = 0, masks = 0, sets = 0;
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
            int64_t places = std::min<int64_t>(units + 1, slots);
            auto wide = static_cast<Code>((places + 63) / 64);
            persons_[person] = {static_cast<Code>(row), words, 0, 0, wide, labels, masks, sets};
            labels += places;
            masks += places * words;
            sets += (stop - row) * wide;
            most_words_ = std::max(most_words_, words), most_wide_ = std::max(most_wide_, wide);
        }
        labels_.assign(labels, NONE);
        masks_.assign(masks, 0);
        sets_.assign(sets, 0);
    }

    int64_t begin() const { return begin_; }  // the first row of a person who has several
    Code most_words() const { return most_words_; }  // of any person
    Code most_wide() const { return most_wide_; }
    const Person& operator[](Code person) const { return persons_[person]; }
    const uint64_t* rows(const Person& person, Code place) const {
        return masks_.data() + person.masks + int64_t(place) * person.words;
    }

    const uint64_t* labels(const Person& person, int64_t row) const {
        return sets_.data() + person.rows + (row - person.first) * person.wide;
    }
    Code label(const Person& person, Code place) const { return labels_[person.labels + place]; }

    // Returns the place of a label among those of a person; NONE if the person has no row with it.
    Code find(const Person& person, Code label) const {
        const Code* labels = labels_.data() + person.labels;
        Code found = NONE;
        for (Code place = 0; place < person.used; ++place)
            found = labels[place] == label ? place : found;  // no early exit, so that it is vectorized
        return found;
    }

    // Records that a row holds a label, and returns its place.
    Code put(Code of, Code label, int64_t row) {
        Person& person = persons_[of];
        Code place = labels_[person.labels + person.last] == label ? person.last : find(person, label);
        if (place == NONE) place = find(person, NONE);
        if (place == NONE) place = person.used++;
        person.last = place;
        labels_[person.labels + place] = label;
        mask(person, place)[(row - person.first) >> 6] |= bit(row - person.first);
        set(person, row)[place >> 6] |= bit(place);
        return place;
    }

    // Records that a row no longer holds a label. The place of a label that no row holds becomes free.
    void remove(Code of, Code place, int64_t row) {
        Person& person = persons_[of];
        uint64_t* rows = mask(person, place);
        rows[(row - person.first) >> 6] &= ~bit(row - person.first);
        set(person, row)[place >> 6] &= ~bit(place);
        if (std::all_of(rows, rows + person.words, [](uint64_t word) { return !word; })) labels_[person.labels + place] = NONE;
    }

    static constexpr Code NONE = -1;
    static uint64_t bit(int64_t at) { return 1ULL << (at & 63); }

private:
    uint64_t* mask(const Person& person, Code place) { return masks_.data() + person.masks + int64_t(place) * person.words; }
    uint64_t* set(const Person& person, int64_t row) { return sets_.data() + person.rows + (row - person.first) * person.wide; }

    int64_t begin_;
    Code most_words_ = 0, most_wide_ = 0;
    std::vector<Person> persons_;
    std::vector<Code> labels_;
    Bits masks_, sets_;
};

}  // namespace shoal
