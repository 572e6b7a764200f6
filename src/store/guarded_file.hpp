#pragma once

#include <cstddef>
#include <string>

#include "kiln/error.hpp"

namespace kiln {

/// What the others on a machine may not do with a file whose text decides what is run here.
enum class Guard {
  unread,     ///< a secret: only its owner reads or writes it
  unchanged,  ///< known to all, and written by its owner alone
};

/// Reads a small text file that must belong to root or to this user and be guarded so. The rights
/// are those of the very file that is read, which no other can replace in between. Errors:
/// not_found, io; bad_input where it is larger than `limit` or no regular file; refused where
/// others could have read or written it.
Expected<std::string> read_guarded(const std::string& path, Guard guard, std::size_t limit);

}  // namespace kiln
