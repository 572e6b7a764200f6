#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "format/poclbin.hpp"

namespace kiln {

/// An NDRange: work-items in each dimension, the work-group's shape, the first global id. Always
/// explicit: Kiln never lets a driver choose the local size.
struct NDRange {
  unsigned dimensions = 1;
  std::array<std::size_t, 3> global{1, 1, 1};
  std::array<std::size_t, 3> local{1, 1, 1};
  std::array<std::size_t, 3> offset{0, 0, 0};

  bool operator==(const NDRange&) const = default;
};

/// A variant of a kernel that a launch will need; drivers other than PoCL have none.
struct KernelVariant {
  std::string kernel;
  poclbin::Variant variant;
};

inline KernelVariant variant_of(std::string kernel, const NDRange& range) {
  return {std::move(kernel), poclbin::Variant::for_launch(range.global, range.local, range.offset)};
}

}  // namespace kiln
