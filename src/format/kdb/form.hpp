#pragma once

#include "format/kdb.hpp"

namespace kiln::kdb {

inline constexpr std::size_t header_bytes = 23, setting_bytes = 16, sum_bytes = 4;
/// A pattern's header without its name.
inline constexpr std::size_t pattern_bytes = 12;
inline std::size_t header_bytes_of(const Pattern& pattern) {
  return pattern_bytes + pattern.name.size() + (pattern.terminated ? 1 : 0);
}
/// clBLAS has room for this many: 50 functions of 8 patterns. It bounds what tiny patterns, which
/// take more memory than file, can cost.
inline constexpr std::size_t most_patterns = 400;

/// What differs between the layouts. Reader and writer ask this table and never compare layouts
/// themselves.
struct Form {
  Layout layout;
  std::uint32_t version;
  std::size_t record_bytes;             ///< its sum included
  std::uint32_t first_type;             ///< the file's number of float
  bool holds_binaries;                  ///< from binary_data_start on
  bool terminated_names;                ///< a name must have its NUL
  std::uint64_t most, most_offset;      ///< largest size in a level, largest kernel offset
  Record (*read)(const std::byte* at);  ///< record_bytes are there
  void (*write)(const Record& record, std::byte* at);  ///< all but the sum
  // The sums over the bytes of a part without its sum field.
  std::uint32_t (*header_sum)(ByteView bytes);
  std::uint32_t (*pattern_sum)(ByteView bytes);
  std::uint32_t (*setting_sum)(ByteView bytes);
  std::uint32_t (*record_sum)(ByteView bytes);
};

const Form& form_of(Layout layout);

}  // namespace kiln::kdb
