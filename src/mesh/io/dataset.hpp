#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kiln/mesh/types.hpp"

namespace kiln::mesh::hdf5 {

/// A dataset without its values.
struct Dataset {
  std::string path;  ///< below the root, no slash in front: "p_x", "flow/p_q"
  std::vector<std::uint64_t> extents = {};
  std::optional<ScalarType> type = {};  ///< none: neither an integer nor a float that is known
  // Its attributes, as far as they mean anything here; "" and none where absent.
  std::string type_text = {}, from = {}, to = {}, set = {};
  std::optional<std::int64_t> size = {}, dim = {};

  std::uint64_t elements() const {
    std::uint64_t product = 1;
    for (const std::uint64_t extent : extents)
      if (__builtin_mul_overflow(product, extent, &product)) return ~0ull;
    return product;
  }
};

}  // namespace kiln::mesh::hdf5
