#pragma once

#include <functional>

#include "kiln/store/entry.hpp"

/// Packs: many entries in one file, to carry to other machines and to ship in packages.
/// docs/formats/pack.md describes every byte.
namespace kiln {

/// All of an entry but its content, which it names: what is signed.
struct EntryHead {
  EntryKind kind{};
  Key key;  ///< of the canonical bytes; decoding computes it
  Bytes canonical;
  Metadata metadata;       ///< without its `made_elsewhere` and `signature`
  std::uint64_t size = 0;  ///< bytes of content
  Digest content;          ///< BLAKE2b-256 of the content
  bool operator==(const EntryHead&) const = default;
};

/// An entry of a pack. The content is a view: of the pack's bytes, or of its owner's.
struct PackEntry {
  EntryHead head;
  std::optional<Signature> signature;  ///< read_pack() does not verify it: refusal_of() does
  ByteView content;
};

/// Larger packs are neither written nor read: both hold the whole in memory.
inline constexpr std::uint64_t largest_pack = std::uint64_t{1} << 32;

/// All entries of a pack, by kind and key. Safe on any bytes. Checks the digest of the whole and of
/// each content before anything is handed out. No number in a pack decides how much memory is
/// taken: entries take at most six times the bytes of their heads, contents stay where they are.
/// Errors, with the offset: corrupt; unsupported for another version.
KILN_API Expected<std::vector<PackEntry>> read_pack(ByteView bytes);

/// The same pack with every entry signed. Errors: those of read_pack().
KILN_API Expected<Bytes> sign_pack(ByteView pack, const SigningKey& key);

/// Why a machine that trusts these keys would not take an entry; empty: it would.
KILN_API std::string refusal_of(const PackEntry& entry, const Trust& trust);

struct ExportedPack {
  Bytes pack;
  std::uint64_t entries = 0, contents = 0;  ///< contents that are equal stand in a pack once
  struct LeftOut {
    EntryKind kind{};
    Key key;
    std::string reason;
  };
  std::vector<LeftOut> left_out;  ///< damaged, or not to be used by this machine either
};

/// What became of an entry of a pack.
enum class ImportOutcome : std::uint8_t {
  imported,
  present,  ///< the store has it, with this content and all that is said of it
  kept,     ///< the store has another under this key, which stays; the reason says why
  refused,  ///< this machine does not trust it, as the reason says: nothing of it is stored
};

/// "imported", "present", "kept" or "refused".
KILN_API const char* name_of(ImportOutcome outcome) noexcept;

/// Whether an import writes.
enum class ImportMode : bool { write, dry_run };

using ImportReport =
    std::function<void(const PackEntry& entry, ImportOutcome outcome, const std::string& reason)>;

}  // namespace kiln
