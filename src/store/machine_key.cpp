#include "store/machine_key.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "store/folder.hpp"

namespace kiln {
namespace {

/// Under a name of its own until it is whole, then under the asked one if that is still free.
Expected<void> write_new_key(const std::filesystem::path& path, const SigningKey& key) {
  // Two stores of a process may both be without it.
  const std::string aside =
      fmt::format("{}.{}.{}", path.string(), ::getpid(), ::syscall(SYS_gettid));
  if (auto written = write_file(aside, as_bytes(key.text()), 0600); !written) return written;
  const int failure = ::link(aside.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(aside.c_str());
  if (failure == 0 || failure == EEXIST) return {};
  return tl::unexpected(io_error("make", path, failure));
}

}  // namespace

std::string machine_key_path() {
  if (auto named = environment("KILN_MACHINE_KEY"); !named.empty())
    return named == "off" ? "" : named;
  const auto folder = user_folder(UserFolder::state);
  return folder.empty() ? "" : (folder / "machine-key").string();
}

Expected<SigningKey> read_machine_key() {
  const std::string path = machine_key_path();
  if (path.empty())
    return fail(Errc::not_found,
                "no path for this machine's key: set KILN_MACHINE_KEY, XDG_STATE_HOME or HOME");
  return SigningKey::read(path);
}

Expected<SigningKey> make_machine_key() {
  auto present = read_machine_key();
  if (present || present.error().code() != Errc::not_found) return present;
  const std::filesystem::path path = machine_key_path();
  if (path.empty()) return present;
  if (path.has_parent_path())
    if (auto folder = check_store_folder(path.parent_path(), FolderUse::make); !folder)
      return tl::unexpected(folder.error());
  if (auto written = write_new_key(path, SigningKey::generate()); !written)
    return tl::unexpected(written.error());
  return read_machine_key();
}

}  // namespace kiln
