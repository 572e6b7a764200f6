#pragma once

#include <cstddef>
#include <string>

#include "base/os/ownership.hpp"
#include "kiln/error.hpp"

// Folders and files whose contents decide what is run here, and so must not be writable for others:
// a store's folder, and small files of keys. Also which folders are on network file systems, where
// a store cannot be.
namespace kiln {

enum class FolderUse {
  look,  ///< what is absent stays absent
  make,  ///< the folder and its parents are made where absent, with mode 0700
};

/// The longest path of a store's folder in bytes, links followed: SQLite opens no database whose
/// path, with that of its journal, is longer than 512.
inline constexpr std::size_t longest_store_folder = 495;

/// Checks that a folder may hold a store (what is in it gets loaded as programs): it is a folder,
/// belongs to its owner, no one else may write to it, and it lies in no folder where another user
/// could put another in its place. True: it is there; false: it is absent (only with
/// FolderUse::look). The error says what is wrong with it.
Expected<bool> check_store_folder(const std::string& folder, FolderUse use,
                                  FileOwner owner = FileOwner::user);

/// Checks what is in a store's folder, as far as it is there: the database, its journal and the
/// folder of contents belong to the store's owner, and no one else may write to them.
Expected<void> check_store_files(const std::string& folder, FileOwner owner = FileOwner::user);

/// What the others on a machine may not do with a file whose text decides what is run here.
enum class Guard {
  unread,     ///< a secret: only its owner reads or writes it
  unchanged,  ///< known to all, and written by its owner alone
};

/// Whether something has this name. Anything but a clear no is a yes: what cannot be looked at must
/// not count as absent.
bool is_there(const std::string& path);

/// Reads a small text file that must belong to root or to this user and be guarded so. The rights
/// are those of the very file that is read, which no other can replace in between. Errors:
/// not_found, io; bad_input where it is larger than `limit` or no regular file; refused where
/// others could have read or written it.
Expected<std::string> read_guarded(const std::string& path, Guard guard, std::size_t limit);

/// The name of the network file system that a folder is on ("NFS"), or "" for one of this machine;
/// of an absent folder its nearest parent counts. On a network file system locks and renames are
/// not what the store builds on, so a folder of the machine itself is used in its place.
std::string network_file_system(const std::string& folder);

/// The same by the number that statfs() gives as f_type.
std::string network_file_system_of_type(long type);

/// The store of this user on this machine: /var/tmp/kiln-UID.
std::string node_local_folder();

}  // namespace kiln
