#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kiln/store.hpp"
#include "python/core/runtime.hpp"

namespace kiln::python {

using StoreClass = py::class_<Store>;

/// Which entries: kind "artifact", "plan" or "record"; parts of fingerprints; first letters of
/// keys. Throws Error: bad_input.
EntryFilter filter_of(const std::optional<std::string>& kind,
                      const std::vector<std::string>& devices,
                      const std::vector<std::string>& keys);

/// Its ways to other machines: packs, packages, signatures, the shared store.
void bind_sharing(py::module_& module, StoreClass& store);
/// Compiling beforehand, and what applications are on record.
void bind_prebuild(StoreClass& store, RuntimeClass& runtime);

}  // namespace kiln::python
