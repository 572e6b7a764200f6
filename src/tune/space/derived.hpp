#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tune/space/search_space.hpp"

namespace kiln::tune {

/// What a configuration asks of a device, as expressions (python3) over the parameters' names and
/// the problem's sizes. Texts that are absent ask for nothing.
struct DerivedValues {
  std::vector<expr::Expression> global_size, local_size;  ///< one a dimension, at most 3
  std::optional<expr::Expression> local_memory;           ///< bytes
};

/// The bounds of a device that matter before a kernel is compiled.
struct DeviceBounds {
  std::size_t work_group = 0;               ///< work-items
  std::array<std::size_t, 3> work_items{};  ///< of each dimension
  std::size_t local_memory = 0;             ///< bytes
};

/// The values for one configuration.
struct Needs {
  std::vector<std::size_t> global_size, local_size;
  std::size_t local_memory = 0;
};

/// Evaluates for one configuration. `sizes` holds the problem's sizes; parameters come on top.
/// Errors (one line): an expression that cannot be evaluated, or whose value is no whole number
/// from 1 up (local memory: from 0).
Expected<Needs> needs_of(const DerivedValues& derived, const SearchSpace& space, ConfigurationId id,
                         const expr::Scope& sizes);

/// Why a device cannot run this: in words, as "a work-group of 2048 work-items, the device takes
/// 1024"; none where it can, as far as these numbers tell. Costs no compile.
std::optional<std::string> refusal(const Needs& needs, const DeviceBounds& bounds);

}  // namespace kiln::tune
