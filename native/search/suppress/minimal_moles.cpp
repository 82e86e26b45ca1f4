#include "search/suppress/minimal_moles.hpp"

#include "core/bind.hpp"

using namespace shoal;

SHOAL_KERNEL(minimal_moles) {
    // (number of moles of 1, 2, .. labels, their labels one mole after the other), or none if there are more than `most`.
    module.def(
        "minimal_moles",
        [](In<int64_t> indptr, In<Code> items, In<Code> persons, Code labels, In<int64_t> private_indptr, In<Code> private_items,
           Code private_labels, int64_t k, int64_t part, int64_t whole, int p, int64_t most, int threads,
           nb::callable tick) -> std::optional<std::pair<std::vector<int64_t>, Out<Code>>> {
            std::vector<int64_t> counts;
            std::vector<Code> codes;
            try {
                interruptible(tick, [&](const Tick& call) {
                    MoleMiner miner(view_of(indptr, items, persons), labels, view_of(private_indptr, private_items),
                                    private_labels, {k, part, whole}, most);
                    for (const auto& moles : miner.run(p, threads, call)) {
                        codes.insert(codes.end(), moles.begin(), moles.end());
                        counts.push_back(static_cast<int64_t>(moles.size() / (counts.size() + 1)));
                    }
                });
            } catch (const MoleMiner::TooMany&) {
                return {};
            }
            return std::make_pair(std::move(counts), array_of(std::move(codes)));
        },
        "indptr"_a, "items"_a, "persons"_a, "labels"_a, "private_indptr"_a, "private_items"_a, "private_labels"_a, "k"_a,
        "part"_a, "whole"_a, "p"_a, "most"_a, "threads"_a, "tick"_a);
}
