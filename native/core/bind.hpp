// The interface to Python, for the files that bind a kernel: arrays in, arrays out, the GIL released, Ctrl-C handled.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>

#include "core/parallel.hpp"

namespace shoal {

namespace nb = nanobind;
using namespace nanobind::literals;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

template <class T>
int64_t length(const In<T>& values) {
    return static_cast<int64_t>(values.shape(0));
}

inline RowsView view_of(const In<int64_t>& indptr, const In<Code>& items) {
    return {indptr.data(), items.data(), length(indptr) - 1};
}

// The same with persons; the array is empty if nobody has several rows.
inline RowsView view_of(const In<int64_t>& indptr, const In<Code>& items, const In<Code>& persons) {
    if (length(persons) && length(persons) != length(indptr) - 1)
        throw std::invalid_argument("one person for each row is wanted");
    return {indptr.data(), items.data(), length(indptr) - 1, length(persons) ? persons.data() : nullptr};
}

template <class T>
std::vector<T> copy_of(const In<T>& values) {
    return {values.data(), values.data() + values.shape(0)};
}

// A NumPy array that owns the values.
template <class T>
Out<T> array_of(std::vector<T> values) {
    values.reserve(1);  // NumPy needs an address even for an empty array
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* gone) noexcept { delete static_cast<std::vector<T>*>(gone); });
    return Out<T>(owned->data(), {owned->size()}, owner);
}

// Runs a kernel without the GIL.
template <class Run>
auto without_gil(Run run) {
    nb::gil_scoped_release free;
    return run();
}

// Runs a kernel without the GIL. The kernel gets a tick, to be called from the same thread. It reports progress to Python and
// throws if Ctrl-C was pressed.
template <class Run>
auto interruptible(const nb::callable& tick, Run run) {
    Tick call = [&tick](double share) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        tick(share);
    };
    return without_gil([&] { return run(call); });
}

// All kernels that are bound with SHOAL_KERNEL, by name; module.cpp uses the list.
using Bind = void (*)(nb::module_&);

inline std::map<std::string, Bind>& kernels() {
    static std::map<std::string, Bind> all;
    return all;
}

struct Registration {
    Registration(const char* name, Bind bind) { kernels().emplace(name, bind); }
};

}  // namespace shoal

// SHOAL_KERNEL(name) { module.def("name", ..); } adds a kernel to the extension. No other file has to change.
#define SHOAL_KERNEL(name)                                           \
    static void bind_##name(nanobind::module_& module);              \
    static const shoal::Registration registered(#name, bind_##name); \
    static void bind_##name(nanobind::module_& module)
