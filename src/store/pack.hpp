#pragma once

#include "kiln/store/pack.hpp"
#include "store/layer/entry_form.hpp"
#include "store/local/local_store.hpp"

// How a store's entries get into a pack (kiln/store/pack.hpp), and from one into a store.
namespace kiln {

/// The pack of these entries, of which no two have the same kind and key. Their order does not
/// matter: the same entries give the same bytes everywhere, and those of read_pack() the bytes that
/// they are from. Errors: bad_input for more than largest_pack.
Expected<Bytes> write_pack(std::vector<PackEntry> entries);

/// The pack of a store's entries that are `wanted`. Each keeps its signature, unless there is a
/// `key`: then all are signed with that. Looking counts as no use. What goes away meanwhile is not
/// in it. Errors: those of the store; bad_input where the pack would be too large.
Expected<ExportedPack> export_pack(LocalStore& store,
                                   const std::function<bool(const EntryInfo&)>& wanted,
                                   const SigningKey* key = nullptr);

/// Takes the entries of a pack into a store, as made elsewhere and with their signatures, and
/// reports what became of each. Entries that were made on this machine are never replaced, nor
/// signed ones by unsigned ones. A dry run reports the same and stores nothing. Errors: the
/// store's, at the first entry that it cannot take; those before it are stored.
Expected<void> import_pack(LocalStore& store, const std::vector<PackEntry>& pack,
                           const Trust& trust, ImportMode mode, const ImportReport& report);

}  // namespace kiln
