// The border to Python: arrays in, arrays out, the GIL released, Ctrl-C heard. Only the files named bind know nanobind.
#include "bind.hpp"
#include "breaches.hpp"
#include "claim.hpp"
#include "conflicts.hpp"
#include "cover.hpp"
#include "direct.hpp"
#include "disclosing.hpp"
#include "facts.hpp"
#include "gray.hpp"
#include "moles.hpp"
#include "rare.hpp"
#include "suppression.hpp"
#include "sweep.hpp"

namespace nb = nanobind;
using namespace shoal;

static nb::tuple pack(const RareResult& result) {
    nb::list codes;
    for (const auto& set : result.witnesses) codes.append(nb::make_tuple(nb::cast(set.codes), set.support));
    return nb::make_tuple(result.checked, result.violations, codes);
}

// What Mend made of the cut: (raised, counted, repairs, stuck), stuck none or (present, absent).
struct Mended {
    std::vector<Code> raised, present, absent;
    int64_t counted = 0, repairs = 0;

    template <class Criterion>
    Mended(Mend<Criterion>&& mend, int first, int last) {
        for (int size = first; size <= last && mend.run(size);) ++size;
        raised = mend.raised();
        for (Code u : mend.stuck()) (u < 0 ? absent : present).push_back(u < 0 ? ~u : u);
        counted = mend.counted();
        repairs = mend.repairs();
    }
    nb::tuple pack() const {
        nb::object stuck = nb::none();
        if (present.size() + absent.size()) stuck = nb::make_tuple(present, absent);
        return nb::make_tuple(raised, counted, repairs, stuck);
    }
};

using DiversityBreaches = BreachLister<Diversity>;
using NegativeBreaches = BreachLister<Negative>;

template <class Lister>
static auto listed(Lister& self, const std::vector<Code>& raised, int size, int64_t most, int threads, nb::callable tick) {
    typename Lister::Found found;
    Tick call = with_gil(tick);
    {
        nb::gil_scoped_release free;
        found = self.at(raised, size, most, threads, call);
    }
    std::vector<Set> threats(found.threats.begin(), found.threats.end()), together(found.together.begin(), found.together.end());
    return nb::make_tuple(nb::cast(threats), nb::cast(together));
}

NB_MODULE(_native, module) {
    module.doc() = "The fast kernels. shoal.kernels._python has their readable twins.";
    bind_relational(module);
    bind_measures(module);
    bind_regroup(module);
    bind_merge_clauses(module);

    module.def("rare_itemsets", [](In<int64_t> indptr, In<Code> items, Code labels, int64_t k, int m, int64_t keep,
                                   bool first_size_only, int threads, nb::callable tick) {
        RareResult result;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            result = RareCounter(view_of(indptr, items), labels, k, m, keep, false).run(threads, call, first_size_only);
        }
        return pack(result);
    });

    module.def("smallest_rare", [](In<int64_t> indptr, In<Code> items, Code labels, int64_t k, int m, int threads,
                                   nb::callable tick) {
        std::vector<uint8_t> smallest;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            RareCounter counter(view_of(indptr, items), labels, k, m, 0, true);
            counter.run(threads, call);
            smallest = counter.smallest();
        }
        return raw(smallest);
    });

    module.def("rare_rows", [](In<int64_t> indptr, In<Code> items, Code labels, int64_t k, int64_t keep, nb::callable tick) {
        RareResult result;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            result = rare_rows(view_of(indptr, items), labels, k, keep, call);
        }
        return pack(result);
    });

    module.def("disclosing_sets", [](In<int64_t> indptr, In<Code> items, Code labels, In<int64_t> sensitive_indptr,
                                     In<Code> sensitive_items, Code sensitive_labels, int64_t part, int64_t of, int first,
                                     int last, int64_t least, int64_t keep, int threads, nb::callable tick) {
        DisclosureCounter::Result result;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            DisclosureCounter counter(view_of(indptr, items), labels, view_of(sensitive_indptr, sensitive_items),
                                      sensitive_labels, {part, of}, least, keep);
            result = counter.run(first, last, threads, call);
        }
        nb::list sets;
        for (const auto& set : result.witnesses)
            sets.append(nb::make_tuple(nb::cast(set.codes), set.sensitive, set.support, set.together));
        return nb::make_tuple(result.checked, result.violations, sets);
    });

    module.def("smallest_disclosing", [](In<int64_t> indptr, In<Code> items, Code labels, In<int64_t> sensitive_indptr,
                                         In<Code> sensitive_items, Code sensitive_labels, int64_t part, int64_t of, int m,
                                         int threads, nb::callable tick) {
        std::vector<uint8_t> smallest;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            DisclosureCounter counter(view_of(indptr, items), labels, view_of(sensitive_indptr, sensitive_items),
                                      sensitive_labels, {part, of}, 1, 0);
            smallest = counter.smallest(m, threads, call);
        }
        return raw(smallest);
    });

    module.def("rare_facts", [](In<int64_t> indptr, In<Code> items, Code labels, int64_t k, int m, int64_t keep,
                                int threads, nb::callable tick) {
        FactCounter::Result result;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            result = FactCounter(view_of(indptr, items), labels, k, keep).run(m, threads, call);
        }
        nb::list facts;
        for (const auto& fact : result.witnesses)
            facts.append(nb::make_tuple(nb::cast(fact.present), nb::cast(fact.absent), fact.count));
        return nb::make_tuple(result.checked, result.violations, facts);
    });

    module.def("direct_pass", [](In<int64_t> indptr, In<Code> items, In<Code> parent, In<Code> span, In<int64_t> cost,
                                 Code leaves, int64_t k, int first, int last, bool until_safe, In<Code> raised,
                                 bool bounded, nb::callable tick) {
        std::vector<Code> result;
        int64_t counted = 0, repairs = 0;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            Tree tree{parent.data(), span.data(), cost.data(), static_cast<Code>(parent.shape(0)), leaves};
            DirectPass pass(view_of(indptr, items), tree, k, raised.data(), raised.shape(0), bounded, call);
            for (int size = first; size <= last && !(until_safe && pass.safe()); ++size) pass.run(size);
            result = pass.raised();
            counted = pass.counted();
            repairs = pass.repairs();
        }
        return nb::make_tuple(result, counted, repairs);
    });

    module.def("gray_order", [](In<int64_t> indptr, In<Code> items) {
        std::vector<int64_t> order;
        {
            nb::gil_scoped_release free;
            order = gray_order(view_of(indptr, items));
        }
        return raw(order);
    });

    module.def("gray_coded_order", [](In<int64_t> indptr, In<Code> items) {
        nb::gil_scoped_release free;
        auto order = gray_coded_order(view_of(indptr, items));
        nb::gil_scoped_acquire back;
        return raw(order);
    });

    // way: 0 choose, 1 bits, 2 lists; the result is the same.
    module.def("claim", [](In<int64_t> indptr, In<Code> items, Code labels, In<int64_t> seeds, In<uint8_t> late,
                           int64_t take, int way, int threads, nb::callable tick) {
        std::vector<int64_t> groups;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            auto count = static_cast<int64_t>(seeds.shape(0));
            groups = claim(view_of(indptr, items), labels, seeds.data(), count, late.data(), take, static_cast<Way>(way),
                           threads, call);
        }
        return raw(groups);
    });

    module.def("sweep", [](In<int64_t> indptr, In<Code> items, Code labels, In<int64_t> number, In<uint8_t> late,
                           int64_t take, int64_t reach, nb::callable tick) {
        std::vector<int64_t> groups;
        Tick call = with_gil(tick);
        {
            nb::gil_scoped_release free;
            groups = Sweeper(view_of(indptr, items), labels, number.data(), late.data()).run(take, reach, call);
        }
        return raw(groups);
    });

    module.def("cover", [](In<int64_t> indptr, In<Code> items, Code labels, int64_t k, int threads, nb::callable tick) {
        int64_t cost = 0;
        Tick call = with_gil(tick);
        Cover cover(view_of(indptr, items), labels, k);
        {
            nb::gil_scoped_release free;
            cost = cover.run(threads, call);
        }
        return nb::make_tuple(cost, raw(cover.ends()));
    });

    // (how many moles of 1, 2, .. labels, their labels one mole after the other), or none if there are more than `most`.
    module.def("minimal_moles", [](In<int64_t> indptr, In<Code> items, Code labels, In<int64_t> private_indptr,
                                   In<Code> private_items, Code private_labels, int64_t k, int64_t part, int64_t whole, int p,
                                   int64_t most, int threads, nb::callable tick) -> nb::object {
        std::vector<int64_t> counts;
        std::vector<Code> codes;
        Tick call = with_gil(tick);
        try {
            nb::gil_scoped_release free;
            MoleMiner miner(view_of(indptr, items), labels, view_of(private_indptr, private_items), private_labels,
                            {k, part, whole}, most);
            for (const auto& moles : miner.run(p, threads, call)) {
                codes.insert(codes.end(), moles.begin(), moles.end());
                counts.push_back(static_cast<int64_t>(moles.size() / (counts.size() + 1)));
            }
        } catch (const MoleMiner::TooMany&) {
            return nb::none();
        }
        return nb::make_tuple(counts, raw(codes));
    });

    module.def("mend_diversity", [](In<int64_t> indptr, In<Code> items, In<int64_t> sensitive_indptr, In<Code> sensitive_items,
                                    In<Code> parent, In<Code> span, In<int64_t> cost, Code leaves, int64_t l, int first,
                                    int last, In<Code> raised, bool bounded, int64_t most, int threads, nb::callable tick) {
        Tick call = with_gil(tick);
        return [&] {
            nb::gil_scoped_release free;
            Tree tree{parent.data(), span.data(), cost.data(), static_cast<Code>(parent.shape(0)), leaves};
            Diversity criterion(view_of(indptr, items), view_of(sensitive_indptr, sensitive_items), tree, l, call);
            auto n_raised = static_cast<int64_t>(raised.shape(0));
            return Mended(Mend<Diversity>(criterion, tree, raised.data(), n_raised, bounded, most, threads, call), first, last);
        }().pack();
    });

    module.def("mend_negative", [](In<int64_t> indptr, In<Code> items, In<Code> parent, In<Code> span, In<int64_t> cost,
                                   Code leaves, int64_t k, int first, int last, In<Code> raised, int64_t most, int threads,
                                   nb::callable tick) {
        Tick call = with_gil(tick);
        return [&] {
            nb::gil_scoped_release free;
            Tree tree{parent.data(), span.data(), cost.data(), static_cast<Code>(parent.shape(0)), leaves};
            Negative criterion(view_of(indptr, items), tree, k, call);
            auto n_raised = static_cast<int64_t>(raised.shape(0));
            return Mended(Mend<Negative>(criterion, tree, raised.data(), n_raised, false, most, threads, call), first, last);
        }().pack();
    });

    nb::class_<DiversityBreaches>(module, "DiversityBreaches")
        .def("__init__", [](DiversityBreaches* self, In<int64_t> indptr, In<Code> items, In<int64_t> sensitive_indptr,
                            In<Code> sensitive_items, In<Code> parent, In<Code> span, Code leaves, int64_t l, nb::callable tick) {
            Tick call = with_gil(tick);
            nb::gil_scoped_release free;
            new (self) DiversityBreaches({parent.data(), parent.data() + parent.shape(0)},
                                         {span.data(), span.data() + span.shape(0)}, leaves, [&](const Tree& tree) {
                return Diversity(view_of(indptr, items), view_of(sensitive_indptr, sensitive_items), tree, l, call);
            });
        })
        .def("at", &listed<DiversityBreaches>);

    nb::class_<NegativeBreaches>(module, "NegativeBreaches")
        .def("__init__", [](NegativeBreaches* self, In<int64_t> indptr, In<Code> items, In<Code> parent, In<Code> span,
                            Code leaves, int64_t k, nb::callable tick) {
            Tick call = with_gil(tick);
            nb::gil_scoped_release free;
            new (self) NegativeBreaches({parent.data(), parent.data() + parent.shape(0)},
                                        {span.data(), span.data() + span.shape(0)}, leaves, [&](const Tree& tree) {
                return Negative(view_of(indptr, items), tree, k, call);
            });
        })
        .def("at", &listed<NegativeBreaches>);

    // Owns copies of all it needs: it outlives the call that made it.
    nb::class_<Threats>(module, "Threats")
        .def("__init__", [](Threats* self, In<int64_t> indptr, In<Code> items, In<Code> parent, In<Code> span, Code leaves,
                            int64_t k, int threads) {
            nb::gil_scoped_release free;
            new (self) Threats(view_of(indptr, items), {parent.data(), parent.data() + parent.shape(0)},
                               {span.data(), span.data() + span.shape(0)}, leaves, k, threads);
        })
        .def("small", [](const Threats& self, int size, nb::callable tick) {
            Tick call = with_gil(tick);
            nb::gil_scoped_release free;
            return self.small(size, call);
        })
        .def("at", [](Threats& self, const std::vector<Code>& raised, int first, int64_t last,
                       const std::vector<Set>& known, nb::callable tick) {
            Tick call = with_gil(tick);
            nb::gil_scoped_release free;
            return self.at(raised, first, last, known, call);
        })
        .def("witness", [](const Threats& self, const std::vector<Code>& raised, Code node, int64_t m, nb::callable tick) {
            Threats::Rare rare;
            Tick call = with_gil(tick);
            {
                nb::gil_scoped_release free;
                rare = self.witness(raised, node, m, call);
            }
            return nb::make_tuple(rare.labels, rare.support);
        })
        .def("lifting_seconds", &Threats::lifting_seconds)
        .def("minimal", [](const Threats& self, std::vector<Set> sets) {
            nb::gil_scoped_release free;
            return self.minimal(std::move(sets));
        });

    nb::class_<Conflicts>(module, "Conflicts")
        .def("__init__", [](Conflicts* self, In<int64_t> indptr, In<Code> items, In<Code> parent, In<Code> span, Code leaves,
                            int64_t k, int threads) {
            nb::gil_scoped_release free;
            new (self) Conflicts(view_of(indptr, items), {parent.data(), parent.data() + parent.shape(0)},
                                 {span.data(), span.data() + span.shape(0)}, leaves, k, threads);
        })
        .def("at", [](const Conflicts& self, const std::vector<Code>& raised, const std::vector<Code>& suppressed, int64_t last,
                       nb::callable tick) {
            std::vector<Conflict> found;
            Tick call = with_gil(tick);
            {
                nb::gil_scoped_release free;
                found = self.at(raised, suppressed, last, call);
            }
            nb::list told;
            for (const Conflict& one : found) {
                nb::list groups;
                for (const Set& group : one.groups) groups.append(nb::tuple(nb::cast(group)));
                told.append(nb::make_tuple(nb::tuple(nb::cast(one.parents)), nb::tuple(groups)));
            }
            return told;
        });

    // Owns copies of all it needs, too.
    nb::class_<Suppression>(module, "Suppression")
        .def("__init__", [](Suppression* self, In<int64_t> indptr, In<Code> items, In<Code> parent, In<Code> span, Code leaves,
                            In<int64_t> kept, In<int64_t> gone, In<int64_t> occurrences, In<Code> barred, In<Code> rank,
                            int64_t budget, int64_t k) {
            nb::gil_scoped_release free;
            Suppressible what{{rank.data(), rank.data() + rank.shape(0)}, {}, {}, budget};
            for (size_t u = 0; u < rank.shape(0); ++u) {
                what.kept.push_back({kept.data()[u], 0, 0});
                what.gone.push_back({gone.data()[u], occurrences.data()[u], barred.data()[u]});
            }
            new (self) Suppression(view_of(indptr, items), {parent.data(), parent.data() + parent.shape(0)},
                                   {span.data(), span.data() + span.shape(0)}, std::move(what), leaves, k);
        })
        .def("run", [](const Suppression& self, const std::vector<Code>& raised, int size, int64_t most,
                       nb::callable tick) {
            Suppression::Found found;
            Tick call = with_gil(tick);
            {
                nb::gil_scoped_release free;
                found = self.run(raised, size, most, call);
            }
            return nb::make_tuple(found.raised, found.suppressed, found.cost, found.allowed, found.threats, found.moves,
                                  found.evaluations);
        })
        .def("whole", [](const Suppression& self, const std::vector<Code>& raised, const std::vector<Code>& suppressed,
                         nb::callable tick) {
            Tick call = with_gil(tick);
            nb::gil_scoped_release free;
            return self.whole(raised, suppressed, call);
        });
}
