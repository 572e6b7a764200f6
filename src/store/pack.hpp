#pragma once

#include <optional>
#include <vector>

#include "store/entry_form.hpp"

/// Packs: many entries in one file, to carry to other machines and to ship in packages.
/// docs/formats/pack.md describes every byte.
namespace kiln {

/// An entry of a pack. The content is a view: of the pack's bytes, or of its owner's.
struct PackEntry {
  EntryHead head;
  std::optional<Signature> signature;  ///< read_pack() does not verify it: that is Trust's to do
  ByteView content;
};

/// Larger packs are neither written nor read: both hold the whole in memory.
inline constexpr std::uint64_t largest_pack = std::uint64_t{1} << 32;

/// The pack of these entries, of which no two have the same kind and key. Their order does not
/// matter: the same entries give the same bytes everywhere. Errors: bad_input for more than
/// largest_pack.
Expected<Bytes> write_pack(std::vector<PackEntry> entries);

/// All entries of a pack, by kind and key. Safe on any bytes, and one set of entries has one pack
/// only: write_pack() gives these bytes again. Checks the digest of the whole and of each content
/// before anything is handed out. No number in a pack decides how much memory is taken: entries
/// take at most six times the bytes of their heads, contents stay where they are. Errors, with the
/// offset: corrupt; unsupported for another version.
Expected<std::vector<PackEntry>> read_pack(ByteView bytes);

}  // namespace kiln
