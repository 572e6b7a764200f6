#pragma once

#include <filesystem>

#include "kiln/store.hpp"
#include "store/local/local_store.hpp"

// Entries of a store as a package of Debian: a system store that dpkg installs.
namespace kiln {

/// Writes the package with those entries of a store that are `wanted` to `file`, which appears
/// whole or not at all. Each keeps its signature, unless there is a `key`: then all are signed with
/// that. Looking counts as no use. Errors: those of the store; bad_input for a name, version or
/// maintainer that no package may have, and where the entries would be too many for a pack;
/// not_found where no entry is wanted; unsupported where dpkg-deb or dpkg is not installed; io.
Expected<ExportedSystemStore> write_system_package(
    LocalStore& store, const std::function<bool(const EntryInfo&)>& wanted,
    const SystemPackage& package, const SigningKey* key, const std::filesystem::path& file);

}  // namespace kiln
