#pragma once

#include <filesystem>

#include "kiln/store.hpp"
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

/// Writes a package of Debian (Debian Policy 5.6.1, 5.6.2, 5.6.12), which dpkg installs as a system
/// store, with those entries of a store that are `wanted`. It replaces `file`, whole or not at all.
/// Each keeps its signature, unless there is a `key`: then all are signed with that. Looking counts
/// as no use. Errors: those of the store; bad_input for a name, version or maintainer that no
/// package may have, and where the entries would be too many for a pack; not_found where no entry
/// is wanted; unsupported where dpkg-deb or dpkg is not installed; io.
Expected<ExportedSystemStore> write_system_package(
    LocalStore& store, const std::function<bool(const EntryInfo&)>& wanted,
    const SystemPackage& package, const SigningKey* key, const std::filesystem::path& file);

}  // namespace kiln
