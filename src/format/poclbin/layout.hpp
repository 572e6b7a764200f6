#pragma once

#include <cstddef>
#include <cstdint>

#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {

/// What stands between the header and the kernels.
enum class Root : std::uint8_t { none, one_file, entries };

/// What differs between the format versions. Reader, writer and conversion ask this table and never
/// compare version numbers themselves, so that another version is another row.
struct Layout {
  std::uint32_t version;
  bool flags;                        ///< the header has them
  unsigned binary_type_shift;        ///< the binary type's place in the flags; 0: not there
  std::uint64_t program_scope_flag;  ///< the flag that announces the program-scope size, or 0
  Root root;
  std::size_t fewest_roots, most_roots;  ///< root entries that the releases of this version take
  bool required_size;                    ///< kernels have a required work-group size
  /// Attributes and has_arg_metadata; an argument's size stands in its record, with 32 bits, and
  /// no longer in a list before, with 64 bits; is_local and is_set are gone.
  bool metadata;
  /// The kernel flags that are known; 0: has_arg_metadata is one 64-bit field without them.
  std::uint32_t kernel_flags;
  bool clipped_names;  ///< releases of this version shorten long folder names
  std::uint64_t smallest_kernel, smallest_argument;  ///< bytes of records, which bound their counts
};

/// The layout of a version, or null for one that is not read.
const Layout* layout_of(std::uint32_t version);

/// The layout that a model is written in: its version's, and of one that is not read the next
/// older one's, so that writing needs no error.
const Layout& writing_layout(std::uint32_t version);

// Bits of the header's flags and of a kernel's (see the grammar in poclbin.hpp).
inline constexpr std::uint64_t flush_denormals = 1;
inline constexpr std::uint32_t work_group_block = 2, sub_group_block = 4, required_sub_group = 8;
inline constexpr std::uint64_t all_argument_metadata = 31;

inline constexpr std::uint64_t smallest_root = 8 + 9;  // a size, and a file of one path byte
inline constexpr std::size_t build_hash_size = 40;

inline constexpr std::string_view bitcode_path = "/program.bc";
/// Also of a path in the wiki's layout, which has no leading slash.
inline bool is_bitcode(std::string_view path) {
  return path == bitcode_path || path == bitcode_path.substr(1);
}

/// The root file of an archive without bitcode whose version demands one.
File bitcode_replacement();
bool is_bitcode_replacement(const File& file);

/// Whether a root file is the initialiser of program-scope variables, which has an entry of its
/// own.
bool is_initialiser(std::string_view path);

/// Takes out root entries without a file, and replacements of the bitcode that are not needed any
/// more; adds one where the archive's version has to have a root file.
void complete_root(Archive& archive);

}  // namespace kiln::poclbin
