// What the files that bind kernels to Python share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "support.hpp"

namespace shoal {

template <class T>
using In = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

inline RowsView view_of(const In<int64_t>& indptr, const In<Code>& items) {
    return {indptr.data(), items.data(), static_cast<int64_t>(indptr.shape(0)) - 1};
}

// Called from the thread that entered, without the GIL.
inline Tick with_gil(const nanobind::callable& tick) {
    return [&tick](double share) {
        nanobind::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        tick(share);
    };
}

template <class T>
nanobind::bytes raw(const std::vector<T>& values) {
    return nanobind::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// bind_relational.cpp: kernels for data with attributes beside the items.
void bind_relational(nanobind::module_& module);

// bind_measures.cpp: kernels of measures.
void bind_measures(nanobind::module_& module);

// bind_regroup.cpp: the search for better groups of siblings.
void bind_regroup(nanobind::module_& module);
// bind_merge_clauses.cpp: the bound over all sibling groupings.
void bind_merge_clauses(nanobind::module_& module);

}  // namespace shoal
