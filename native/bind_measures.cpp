// The border to Python for the kernels of measures; bind.cpp has those of searches and verifiers.
#include "bind.hpp"
#include "itemsets.hpp"
#include "least.hpp"

namespace nb = nanobind;

namespace shoal {

void bind_measures(nb::module_& module) {
    // (size of each set, their labels one set after the other, supports in the first and in the second rows), or none if
    // there are more than `most`.
    module.def("frequent_itemsets", [](In<int64_t> indptr, In<Code> items, In<int64_t> other_indptr, In<Code> other_items,
                                       Code labels, int64_t least, int64_t most, int threads, nb::callable tick) -> nb::object {
        ItemsetMiner::Result found;
        Tick call = with_gil(tick);
        try {
            nb::gil_scoped_release free;
            ItemsetMiner miner(view_of(indptr, items), view_of(other_indptr, other_items), labels, least, most);
            found = miner.run(threads, call);
        } catch (const ItemsetMiner::TooMany&) {
            return nb::none();
        }
        return nb::make_tuple(raw(found.sizes), raw(found.items), raw(found.first), raw(found.second));
    });

    module.def("least_supports", [](In<int64_t> indptr, In<Code> items, Code labels, int m, int threads, nb::callable tick) {
        std::vector<int64_t> least;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            least = LeastSupports(view_of(indptr, items), labels).run(m, threads, call);
        }
        return raw(least);
    });
}

}  // namespace shoal
