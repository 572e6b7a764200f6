#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.hpp"

namespace kiln::npy {

/// More dimensions than NumPy's own limit has ever allowed.
inline constexpr std::size_t most_dimensions = 64;

/// What the header's dictionary says, and where in the file (for errors about its meaning).
struct HeaderDict {
  std::string_view descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t descr_at = 0, fortran_order_at = 0, shape_at = 0;
};

/// Parses the dictionary (grammar in npy.hpp). `offset` is that of the text in the file, for the
/// errors' byte numbers. The result views `text`.
Expected<HeaderDict> parse_header(std::string_view text, std::size_t offset);

}  // namespace kiln::npy
