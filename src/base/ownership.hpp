#pragma once

#include <sys/stat.h>

#include <string>

namespace kiln {

/// Whose files may be that are believed, because what is in them gets loaded as programs, say.
enum class FileOwner {
  user,          ///< this user's (the effective user id), and nobody else's
  user_or_root,  ///< what a package or an administrator installs, too
};

/// Why others than the owner could have written this file, or what is in this folder: it belongs to
/// somebody else, or its group or every user may write to it. Empty: none could. (Where there are
/// access control lists, the group's right is the most that any of them grants.)
std::string written_by_others(const std::string& path, const struct stat& status, FileOwner owner);

/// The first folder above this path to which every user may write and whose sticky bit is not set,
/// so that anybody may put another thing in the path's place; empty: none. Both the path as it is
/// given and the one that its links lead to are followed. Of an absent path, the parts that are
/// there count. A group that may write there is the concern of whoever gave it the right: what it
/// would put in the path's place belongs to another user, and is refused for that.
std::string replaceable_by_anybody(const std::string& path);

}  // namespace kiln
