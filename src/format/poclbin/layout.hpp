#pragma once

#include <cstddef>
#include <cstdint>

namespace kiln::poclbin {

/// What differs between the format versions. Reader and writer ask this table and never compare
/// version numbers themselves, so that another version is another row.
struct Layout {
  std::uint32_t version;
  std::uint64_t program_scope_flag;      ///< the flag that announces the program-scope size, or 0
  bool kernel_flags;                     ///< has_arg_metadata is 32 bits and kernel flags follow it
  std::size_t fewest_roots, most_roots;  ///< root entries that the releases of this version take
};

/// The layout of a version, or null for one that is not read.
const Layout* layout_of(std::uint32_t version);

/// The layout that a model is written in: its version's, and of one that is not read the next
/// older one's, so that writing needs no error.
const Layout& writing_layout(std::uint32_t version);

// Bits of the header's flags and of a kernel's (see the grammar in poclbin.hpp).
inline constexpr std::uint64_t flush_denormals = 1;
inline constexpr unsigned binary_type_shift = 32;
inline constexpr std::uint32_t work_group_block = 2, sub_group_block = 4;
inline constexpr std::uint64_t all_argument_metadata = 31;

// The least bytes of records, which bound their counts.
inline constexpr std::uint64_t smallest_root = 8 + 9;  // a size, and a file of one path byte
inline constexpr std::uint64_t smallest_kernel = 68, smallest_argument = 32;

inline constexpr std::size_t build_hash_size = 40;

}  // namespace kiln::poclbin
