#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kiln/error.hpp"

/// What a process gets from its user's environment: variables, and the folders that they name.
namespace kiln {

/// The value of an environment variable; empty where it is not set.
std::string environment(const char* name);

/// Whether a variable says on: "off" is off, "on", an empty one and one that is not set are on.
/// Anything else is on, and a warning names it, once in a process. Thread-safe.
bool is_on(const char* name);

/// Gives this process a PATH where it was started without one (cron jobs, `env -i`): PoCL looks
/// there for its linker and aborts where it finds none. For main functions alone, since it changes
/// the environment.
void set_default_path();

/// The program of this name in the first folder of PATH that has one, as an absolute path without
/// links; empty where none has.
std::filesystem::path find_in_path(std::string_view name);

/// The folders of the XDG base directory specification, version 0.8, in which relative paths count
/// as not set.
enum class UserFolder { cache, config, state };

/// Kiln's own folder there: $XDG_CACHE_HOME/kiln or $HOME/.cache/kiln, and so on; empty where none
/// of the two is an absolute path. It may be absent.
std::filesystem::path user_folder(UserFolder folder);

/// The variable that decides user_folder(): "XDG_CACHE_HOME" or "HOME"; empty where none does.
std::string variable_of(UserFolder folder);

/// The folder of this user alone for locks and sockets that all of the user's processes share:
/// `kiln` in $XDG_RUNTIME_DIR; where there is none, kiln-UID in /tmp. Made where it is absent, with
/// mode 0700.
///
/// Another user who made it, or may write into it, could hold a lock in it for ever or answer on a
/// socket in its owner's name. Errors: refused where what stands there is a link or no folder,
/// belongs to another user, or is open to others; io where it cannot be made.
Expected<std::filesystem::path> runtime_folder();

}  // namespace kiln
