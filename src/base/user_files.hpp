#pragma once

#include <filesystem>

#include "kiln/error.hpp"

/// Files that the processes of one user share: where they are, and how none is overwritten.
namespace kiln {

/// The folder of this user alone for locks and sockets that all of the user's processes share:
/// `kiln` in $XDG_RUNTIME_DIR; where there is none, kiln-UID in /tmp. Made where it is absent, with
/// mode 0700.
///
/// Whoever else made it, or may write into it, could hold a lock in it for ever or answer on a
/// socket in its owner's name. Errors: refused where what stands there is a link or no folder,
/// belongs to another user, or is open to others; io where it cannot be made.
Expected<std::filesystem::path> runtime_folder();

/// Gives a file the first free of the names PATH.1, PATH.2, … and says which: it is out of the way,
/// and no other file is overwritten. Errors: io, not_found.
Expected<std::filesystem::path> rename_aside(const std::filesystem::path& path);

}  // namespace kiln
