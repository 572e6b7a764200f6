#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/layer/entry_form.hpp"
#include "store/local/local_store.hpp"
#include "store/trust/trust.hpp"

// Packs: many entries in one file, to carry to other machines and to ship in packages; how a
// store's entries get into one, and from one into a store. docs/formats/pack.md describes every
// byte.
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

struct Exported {
  Bytes pack;
  std::uint64_t entries = 0, contents = 0;  ///< contents that are equal stand in a pack once
  struct LeftOut {
    Kind kind{};
    Key key;
    std::string reason;
  };
  std::vector<LeftOut> left_out;  ///< damaged, or not to be used by this machine either
};

/// The pack of a store's entries that are `wanted`. Each keeps its signature, unless there is a
/// `key`: then all are signed with that. Looking counts as no use. What goes away meanwhile is not
/// in it. Errors: those of the store; bad_input where the pack would be too large.
Expected<Exported> export_pack(LocalStore& store,
                               const std::function<bool(const EntryInfo&)>& wanted,
                               const SigningKey* key = nullptr);

/// The same pack with every entry signed. Errors: those of read_pack().
Expected<Bytes> sign_pack(ByteView pack, const SigningKey& key);

/// What became of an entry of a pack.
enum class Outcome : std::uint8_t {
  imported,
  present,  ///< the store has it, with this content and all that is said of it
  kept,     ///< the store has another under this key, which stays; the reason says why
  refused,  ///< this machine does not trust it, as the reason says: nothing of it is stored
};

/// "imported", "present", "kept" or "refused".
const char* name_of(Outcome outcome) noexcept;

/// Whether an import writes.
enum class ImportMode : bool { write, dry_run };

using ImportReport =
    std::function<void(const PackEntry& entry, Outcome outcome, const std::string& reason)>;

/// Takes the entries of a pack into a store, as made elsewhere and with their signatures, and
/// reports what became of each. Entries that were made on this machine are never replaced, nor
/// signed ones by unsigned ones. A dry run reports the same and stores nothing. Errors: the
/// store's, at the first entry that it cannot take; those before it are stored.
Expected<void> import_pack(LocalStore& store, const std::vector<PackEntry>& pack,
                           const Trust& trust, ImportMode mode, const ImportReport& report);

}  // namespace kiln
