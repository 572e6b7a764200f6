#pragma once

#include <string>
#include <vector>

#include "format/poclbin.hpp"
#include "format/poclbin/wiki.hpp"

/// One archive in another format version or layout. Contents of files are never changed, so code
/// that one PoCL release made does not become another's; each result says what got lost. Pure,
/// thread-safe.
namespace kiln::poclbin {

struct Converted {
  Bytes bytes;                     ///< parse, or wiki::parse, accepts them
  std::vector<std::string> lost;   ///< what the target has no place for: a phrase each
  std::vector<std::string> notes;  ///< what had to be assumed, and what may go wrong at loading
};

/// The archive in another format version. With its own version it stays as it is, to the byte.
/// Refused (Errc::refused, with the reason) where the version is not one from 1 to 12 and where
/// the target cannot hold a size or a kernel's name.
Expected<Converted> convert(const Archive& archive, std::uint32_t version);

/// The archive's files in the wiki's layout, with the build hash as base. All metadata are lost.
Converted convert_to_wiki(const Archive& archive);

/// A real archive from files of the wiki's layout, with device, flags and kernels of `metadata`.
/// The build hash is kept where the wiki's base is that hash and no file of an equal path differs,
/// and is made from the contents else. Refused where a file is of no kernel that `metadata` has.
Expected<Converted> convert_from_wiki(const wiki::Archive& archive, const Archive& metadata,
                                      std::uint32_t version);

}  // namespace kiln::poclbin
