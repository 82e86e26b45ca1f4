#include "search/thin.hpp"

#include <optional>

#include "core/bind.hpp"

using namespace shoal;

namespace {

// Chooses the smallest type of counts that k fits.
class AnyThin {
public:
    AnyThin(const In<Code>& rank, Code labels, int64_t k, int m, Code first, Code stop, bool persons) {
        auto make = [&](auto& thin) { thin.emplace(copy_of(rank), labels, k, m, first, stop, persons); };
        if (k < 256) make(small_);
        else if (k < 65'536) make(medium_);
        else make(large_);
    }
    std::vector<uint8_t> mark(const RowsView& rows) {
        std::vector<uint8_t> needed(rows.indptr[rows.rows], 0);
        if (small_) small_->mark(rows, needed.data());
        else if (medium_) medium_->mark(rows, needed.data());
        else large_->mark(rows, needed.data());
        return needed;
    }

private:
    std::optional<Thin<uint8_t>> small_;
    std::optional<Thin<uint16_t>> medium_;
    std::optional<Thin<uint32_t>> large_;
};

}  // namespace

SHOAL_KERNEL(Thin) {
    nb::class_<AnyThin>(module, "Thin")
        .def(nb::init<In<Code>, Code, int64_t, int, Code, Code, bool>(), "rank"_a, "labels"_a, "k"_a, "m"_a, "first"_a, "stop"_a,
             "persons"_a)
        .def(
            "mark",
            [](AnyThin& thin, In<int64_t> indptr, In<Code> items, In<Code> persons) {
                return array_of(without_gil([&] { return thin.mark(view_of(indptr, items, persons)); }));
            },
            "indptr"_a, "items"_a, "persons"_a);
}
