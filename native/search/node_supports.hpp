// The support of every node of a hierarchy, part by part: the persons with a row that holds an item below it.
#pragma once

#include "search/cut.hpp"

namespace shoal {

class NodeSupports {
public:
    // code_of: the leaf of each item of the rows.
    NodeSupports(std::vector<Code> code_of, std::vector<Code> parent)
        : code_of_(std::move(code_of)), parent_(std::move(parent)), support_(parent_.size(), 0), row_(parent_.size(), -1),
          last_(parent_.size(), NOBODY) {
        for (Code leaf : code_of_)
            if (leaf < 0 || leaf >= static_cast<Code>(parent_.size())) throw std::invalid_argument("an item is no leaf");
    }

    // With persons, the rows of a person must be consecutive.
    void add(const RowsView& rows) {
        auto root = static_cast<Code>(parent_.size()) - 1;
        for (int64_t r = 0; r < rows.rows; ++r, ++rows_) {
            Code person = rows.person(r);
            for (const Code* item = rows.begin(r); item != rows.end(r); ++item) {
                if (*item < 0 || *item >= static_cast<Code>(code_of_.size())) throw std::invalid_argument("an item is unknown");
                for (Code u = code_of_[*item]; row_[u] != rows_; u = parent_[u]) {
                    row_[u] = rows_;
                    if (person == NOBODY || person != last_[u]) ++support_[u];
                    last_[u] = person;
                    if (u == root) break;
                }
            }
        }
    }

    const std::vector<int64_t>& supports() const { return support_; }

    // Adds what was counted in rows of other persons.
    void merge_cells(const int64_t* more, int64_t size) {
        if (size != static_cast<int64_t>(support_.size())) throw std::invalid_argument("the nodes differ");
        for (int64_t& support : support_) support += *more++;
    }

private:
    std::vector<Code> code_of_, parent_;
    std::vector<int64_t> support_, row_;  // row_: the last row that each node was met in
    std::vector<Code> last_;  // the last person
    int64_t rows_ = 0;
};

}  // namespace shoal
