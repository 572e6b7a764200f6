#pragma once

#include "format/poclbin.hpp"

/// The layout of PoCL's old wiki page "Proper Binary Format", which no release ever wrote: paths
/// and contents, and nothing else. The page leaves much open; [k] marks Kiln's reading
/// (docs/formats/poclbin.md lists every point). The same rules as for real archives: pure
/// functions, thread-safe, models view the bytes.
///
///     archive   = "poclbin"  u32 version  base NUL  file*  ; seven letters [k], version 1 [k],
///                                                          ; files up to the end of the bytes
///     base      = relative path, may be empty [k]
///     file      = path NUL  u32 size  byte{size}           ; little-endian [k], no leading slash
///     [k]
namespace kiln::poclbin::wiki {

struct Archive {
  std::uint32_t version = 1;
  std::string_view base;    ///< the folder of all files, usually the build hash
  std::vector<File> files;  ///< paths without a leading slash

  bool operator==(const Archive&) const = default;
};

/// Reads and strictly verifies: paths as safe as those of real archives, no duplicate, nothing
/// after the last file. An archive that was cut between two files cannot be told from a whole one.
/// Errors as poclbin::parse.
Expected<Archive> parse(ByteView bytes);

/// Accepts just what parse accepts and makes no model.
Expected<Verified> verify(ByteView bytes);

/// The bytes: parse(write(a)) == a, write(parse(b)) is b. Defined for every model; what breaks the
/// grammar gives bytes that parse refuses, or reads as another model where a path holds a NUL.
Bytes write(const Archive& archive);

}  // namespace kiln::poclbin::wiki
