#pragma once

#include <sys/stat.h>

#include <string>

namespace kiln {

/// Who may own a file that is trusted, because what is in it gets loaded as a program, for example.
enum class FileOwner {
  user,          ///< only this user (the effective user id)
  user_or_root,  ///< what a package or an administrator installs, too
};

/// Why others than the owner could have written this file, or what is in this folder: it belongs to
/// another user, or its group or every user may write to it. Empty: none could. (Where there are
/// access control lists, the group's right is the most that any of them grants.)
std::string written_by_others(const std::string& path, const struct stat& status, FileOwner owner);

/// Why every user could put something else in the place of this path: a folder on the way to it is
/// writable for all without the sticky bit, or a link on the way belongs to another user. Empty:
/// none could. Links are followed one by one. Of an absent path, the parts that exist count. A
/// folder that a group may write to is accepted: what a member puts there belongs to another user,
/// and is refused for that.
std::string replaceable_by_others(const std::string& path);

}  // namespace kiln
