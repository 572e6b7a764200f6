#include "base/os/environment.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <set>

#include "base/data/text.hpp"
#include "base/log.hpp"
#include "base/os/file.hpp"
#include "base/os/ownership.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

/// The variable that names a folder, and where it is in the home folder without one.
struct UserFolderNames {
  const char* variable;
  const char* in_home;
};
// In the order of the enumeration.
constexpr UserFolderNames user_folders[] = {{"XDG_CACHE_HOME", ".cache"},
                                            {"XDG_CONFIG_HOME", ".config"},
                                            {"XDG_STATE_HOME", ".local/state"}};
const UserFolderNames& names_of(UserFolder folder) {
  return user_folders[static_cast<std::size_t>(folder)];
}

bool is_absolute(const std::string& path) { return path.starts_with('/'); }

fs::path path_of_runtime_folder() {
  const std::string runtime = environment("XDG_RUNTIME_DIR");
  return is_absolute(runtime) ? fs::path(runtime) / "kiln"
                              : fs::path("/tmp/kiln-" + std::to_string(::geteuid()));
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_on(const char* name) {
  const std::string value = environment(name);
  if (value == "off") return false;
  if (value.empty() || value == "on") return true;
  static std::mutex mutex;
  static std::set<std::string> warned;
  const std::lock_guard lock(mutex);
  if (warned.insert(name).second)
    log(LogLevel::warning,
        std::string(name) + ": found '" + one_line(value) + "', expected on or off; taken as on");
  return true;
}

void set_default_path() {
  if (environment("PATH").empty()) ::setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
}

fs::path find_in_path(std::string_view name) {
  const std::string folders = environment("PATH");
  for (std::size_t at = 0; at < folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    std::error_code error;
    const auto program = fs::canonical(fs::path(folders.substr(at, end - at)) / name, error);
    if (!error && end > at && ::access(program.c_str(), X_OK) == 0) return program;
    at = end + 1;
  }
  return {};
}

std::string variable_of(UserFolder folder) {
  for (const char* name : {names_of(folder).variable, "HOME"})
    if (is_absolute(environment(name))) return name;
  return {};
}

fs::path user_folder(UserFolder folder) {
  const std::string variable = variable_of(folder);
  if (variable.empty()) return {};
  const fs::path base = environment(variable.c_str());
  return (variable == "HOME" ? base / names_of(folder).in_home : base) / "kiln";
}

Expected<fs::path> runtime_folder() {
  const fs::path folder = path_of_runtime_folder();
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return tl::unexpected(io_error("make the folder", folder, errno));
  const auto refuse = [&](const std::string& why) {
    return fail(Errc::refused, folder.string() + ": " + why +
                                   ", expected a folder of this user with mode 0700; "
                                   "XDG_RUNTIME_DIR can name another place");
  };
  struct stat status {};
  // Not followed: a link could lead to a folder in which others hold a lock.
  if (::lstat(folder.c_str(), &status) != 0)
    return tl::unexpected(io_error("look at", folder, errno));
  if (S_ISLNK(status.st_mode)) return refuse("found a symbolic link");
  if (!S_ISDIR(status.st_mode)) return refuse("not a folder");
  if (status.st_uid != ::geteuid()) return refuse("found a folder of another user");
  if ((status.st_mode & 0077) != 0) return refuse("found a folder that is open to other users");
  if (auto why = replaceable_by_others(folder.string()); !why.empty())
    return fail(Errc::refused, std::move(why));
  return folder;
}

}  // namespace kiln
