#include "kernel/apart/helper.hpp"

#include <dlfcn.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdlib>

#include "kernel/apart/server.hpp"
#include "kernel/compile.hpp"

namespace kiln {
namespace fs = std::filesystem;
namespace {

/// The file that holds this code: libkiln.so, or the program it is linked into.
fs::path own_file() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&find_compile_helper), &info) == 0 ||
      info.dli_fname == nullptr)
    return {};
  std::error_code error;
  // A program's own name may be relative to a folder that was left since; the kernel knows better.
  const fs::path named = fs::canonical(info.dli_fname, error);
  if (!error && named.extension() != "") return named;
  return fs::canonical("/proc/self/exe", error);
}

}  // namespace

fs::path find_compile_helper() {
  if (const char* named = std::getenv("KILN_COMPILE_HELPER")) return named;
  static const fs::path found = [] {
    const fs::path folder = own_file().parent_path();
    for (const char* place : {"kiln-compile", "../bin/kiln-compile", "../libexec/kiln/kiln-compile",
                              "../../libexec/kiln/kiln-compile"}) {
      std::error_code error;
      const auto path = fs::canonical(folder / place, error);
      if (!error) return path;
    }
    return fs::path();
  }();
  return found;
}

namespace apart {
namespace {

/// The driver waits for the disk after each of the many files that it writes: a tenth of a compile.
/// Where memory can be had as files, there is nothing to wait for. Empty: there is none, or little.
fs::path memory_folder() {
  constexpr const char* place = "/dev/shm";
  constexpr std::uint64_t enough = 48u << 20;
  constexpr long tmpfs = 0x01021994;
  struct statfs status {};
  const bool fits = ::statfs(place, &status) == 0 && status.f_type == tmpfs &&
                    status.f_bavail * static_cast<std::uint64_t>(status.f_bsize) >= enough &&
                    ::access(place, W_OK | X_OK) == 0;
  return fits ? place : fs::path();
}

bool serves() {
  const char* set = std::getenv("KILN_COMPILE_SERVER");
  return set == nullptr || std::string_view(set) != "off";
}

}  // namespace

Expected<HelperRun> run_helper(const Job& job, const HelperSetting& setting) {
  const auto helper = find_compile_helper();
  if (helper.empty()) return fail(Errc::unsupported, "the compile helper kiln-compile is absent");
  auto folder = TemporaryFolder::create("kiln-compile", memory_folder());
  if (!folder) return tl::unexpected(folder.error());
  std::error_code error;
  fs::create_directory(folder->path() / cache_folder, error);
  if (auto written = write_file(folder->path() / job_file, encode(job), 0600); !written)
    return tl::unexpected(written.error());

  if (setting.shared && serves()) {
    ServerRequest request{folder->path(), setting.limit, setting.environment};
    if (auto result = ask_server(helper, request)) {
      result->errors = read_text(folder->path() / said_file).value_or("");
      return HelperRun{std::move(*folder), std::move(*result)};
    }
    // What a server that ended has begun must not be taken for the helper's work.
    for (const char* name : {artifact_file, log_file, cache_folder})
      fs::remove_all(folder->path() / name, error);
    fs::create_directory(folder->path() / cache_folder, error);
  }
  ProcessRequest process;
  process.program = helper;
  process.folder = folder->path();
  process.limit = setting.limit;
  process.environment = setting.environment;
  // A relative cache folder keeps this machine's paths, and so the user's name, out of the archive.
  process.environment.emplace_back("POCL_CACHE_DIR", cache_folder);
  process.environment.emplace_back("POCL_KERNEL_CACHE", "1");
  auto result = run_process(process);
  if (!result) return tl::unexpected(result.error());
  if (!setting.keep.empty()) {
    fs::copy(folder->path(), setting.keep, fs::copy_options::recursive, error);
    if (error)
      return fail(Errc::io,
                  "cannot keep intermediates in " + setting.keep.string() + ": " + error.message());
  }
  return HelperRun{std::move(*folder), std::move(*result)};
}

}  // namespace apart
}  // namespace kiln
