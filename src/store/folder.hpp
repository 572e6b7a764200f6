#pragma once

#include <string>

#include "base/ownership.hpp"
#include "kiln/error.hpp"

namespace kiln {

enum class FolderUse {
  look,  ///< what is absent stays absent
  make,  ///< the folder and its parents are made where absent, with mode 0700
};

/// The longest path of a store's folder in bytes, links followed: SQLite opens no database whose
/// path, with that of its journal, is longer than 512.
inline constexpr std::size_t longest_store_folder = 495;

/// Checks that a folder may hold a store (what is in it gets loaded as programs): it is a folder,
/// belongs to its owner, nobody else may write to it, and it lies in no folder where anybody could
/// put another in its place. True: it is there; false: it is absent (only with FolderUse::look).
/// The error says what is wrong with it.
Expected<bool> check_store_folder(const std::string& folder, FolderUse use,
                                  FileOwner owner = FileOwner::user);

/// Checks what is in a store's folder, as far as it is there: the database, its journal and the
/// folder of contents belong to the store's owner, and nobody else may write to them.
Expected<void> check_store_files(const std::string& folder, FileOwner owner = FileOwner::user);

}  // namespace kiln
