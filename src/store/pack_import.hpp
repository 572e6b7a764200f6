#pragma once

#include <functional>
#include <string>

#include "store/local_store.hpp"
#include "store/pack.hpp"
#include "store/trust.hpp"

namespace kiln {

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
