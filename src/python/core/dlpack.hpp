#pragma once

#include <pybind11/numpy.h>

#include "python/core/errors.hpp"

/// DLPack (https://dmlc.github.io/dlpack): arrays passed between libraries without a copy.
namespace kiln::python::dlpack {

/// DLDeviceType of memory of the host.
constexpr int host_device = 1;

/// A capsule "dltensor" over an array in C order, which it keeps. Throws BufferError for elements
/// that DLPack has no type for.
py::capsule exported(const py::array& elements);

}  // namespace kiln::python::dlpack
