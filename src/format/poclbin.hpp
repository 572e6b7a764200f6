#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "kiln/error.hpp"

/// PoCL's program archives. Pure functions over byte spans: no OpenCL, no files.
namespace kiln::poclbin {

// (The grammar goes here; see docs/formats/poclbin.md.)

/// One file inside an archive; views into the archive's bytes.
struct File {
  std::string_view path;  ///< begins with '/', e.g. "/saxpy/64-1-1-goffs0-smallgrid/saxpy.so"
  ByteView content;
};

struct Argument {
  std::uint32_t access = 0, address = 0;
  std::uint64_t type_qualifier = 0;
  std::uint32_t type = 0, type_size = 0;
  std::string_view name, type_name;
};

struct Kernel {
  std::string_view name;
  std::array<std::uint64_t, 3> required_size{};
  std::vector<std::uint64_t> local_sizes;  ///< bytes of each automatic __local variable
  std::string_view attributes;
  std::uint64_t metadata_flags = 0;        ///< has_arg_metadata; from version 11 with kernel flags in the high word
  std::optional<std::array<std::uint32_t, 2>> sub_groups;
  std::optional<std::array<std::uint32_t, 5>> work_group;
  std::vector<Argument> arguments;
  std::vector<File> files;
};

struct Archive {
  std::uint64_t device_id = 0;
  std::uint32_t version = 9;
  std::uint64_t flags = 0;
  std::string_view build_hash;  ///< 40 characters, "XY/…"
  std::optional<std::uint64_t> program_scope_bytes;
  std::vector<std::vector<File>> root;  ///< one list of files a root entry
  std::vector<Kernel> kernels;

  const Kernel* find(std::string_view name) const;
};

/// Reads and strictly verifies an archive (versions 9 and 11): every length against what is left,
/// sizes that meet exactly, safe relative paths, counts bounded by the bytes left, no duplicate,
/// nothing left over. Errors say the byte offset and the reason. The result views `bytes`.
Expected<Archive> parse(ByteView bytes);

/// The bytes of an archive: parse(write(a)) == a, and write(parse(b)) is b to the byte.
Bytes write(const Archive& archive);

/// A local-size variant, as PoCL names its folders.
struct Variant {
  std::array<std::uint32_t, 3> local{1, 1, 1};
  bool zero_offset = true;
  bool small_grid = true;
  std::string folder() const;  ///< "64-1-1-goffs0-smallgrid"
  static std::optional<Variant> from_folder(std::string_view folder);
  /// The variant that PoCL looks for when it launches with this geometry.
  static Variant for_launch(std::array<std::size_t, 3> global, std::array<std::size_t, 3> local,
                            std::array<std::size_t, 3> offset);
  auto operator<=>(const Variant&) const = default;
};

/// Variants of a kernel that the archive holds (the generic one, 0-0-0, left out).
std::vector<Variant> variants(const Kernel& kernel);

/// The device id of a device string (the text after "HSTR: " in CL_DEVICE_VERSION): FNV-1, 64 bit.
std::uint64_t device_id(std::string_view device_string);

/// A build hash from a digest: 40 letters A to P with '/' third, the same for the same digest.
std::string build_hash(ByteView digest);

/// The union of the files of two archives of one program. Refused, with the reason, unless device
/// id, version, flags and build hash agree and equal kernel names have equal metadata. For one
/// path with different bytes the first archive's wins for program.bc, and it is a conflict else.
Expected<Bytes> merge(ByteView first, ByteView second);

/// A copy with another build hash, and without the files for which `drop` says true.
Bytes rewrite(const Archive& archive, std::string_view new_build_hash,
              bool (*drop)(std::string_view path));

}  // namespace kiln::poclbin
