#include "kernel/apart/helper.hpp"

#include <dlfcn.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/environment.hpp"
#include "base/log.hpp"
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

bool serves() { return is_on("KILN_COMPILE_SERVER"); }

/// Programs in the helper's place that were none, and why. Each is told of once: those who compile
/// go on without a helper, and would not say it. One that failed may have lacked something for a
/// moment (memory, descriptors, a library), and is tried again a few times.
class Strangers {
 public:
  std::optional<std::string> reason(const fs::path& program) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(identity_of(program));
    if (found == known_.end() || found->second.failures < most_failures) return {};
    return found->second.reason;
  }
  void add(const fs::path& program, const std::string& reason, bool may_recover) {
    {
      const std::lock_guard lock(mutex_);
      Known& known = known_[identity_of(program)];
      known.failures = may_recover ? known.failures + 1 : most_failures;
      if (std::exchange(known.reason, reason) == reason) return;
    }
    log(LogLevel::warning, reason);
  }

 private:
  static constexpr int most_failures = 3;
  struct Known {
    int failures = 0;
    std::string reason;
  };
  std::mutex mutex_;
  std::map<std::string, Known> known_;
};

Strangers& strangers() {
  static Strangers all;
  return all;
}

/// A new private folder with the job and an empty cache.
Expected<TemporaryFolder> make_job_folder(const Job& job) {
  auto folder = TemporaryFolder::create("kiln-compile", memory_folder());
  if (!folder) return folder;
  std::error_code error;
  if (!fs::create_directory(folder->path() / cache_folder, error))
    return tl::unexpected(io_error("make a folder in", folder->path(), error.value()));
  if (auto written = write_file(folder->path() / job_file, encode(job), 0600); !written)
    return tl::unexpected(written.error());
  return folder;
}

Expected<ProcessResult> run_own_helper(const fs::path& helper, const fs::path& folder,
                                       const HelperSetting& setting) {
  ProcessRequest process;
  process.program = helper;
  process.arguments = {std::string(job_option)};
  process.folder = folder;
  process.limit = setting.limit;
  process.environment = setting.environment;
  process.greeting = std::string(greeting) + "\n";
  process.greeting_limit = setting.patience;
  for (auto& variable : compiler_environment()) process.environment.push_back(std::move(variable));
  auto result = run_process(process);
  if (!result && result.error().code() == Errc::not_found)
    strangers().add(helper, "no compile helper: " + result.error().message(), true);
  if (!result || result->not_expected.empty()) return result;
  const std::string reason =
      helper.string() + " is not Kiln's compile helper: " + result->not_expected;
  const bool ended_by_itself = result->signal != SIGKILL;  // else by this process's bounds
  strangers().add(helper, reason, result->output.empty() && ended_by_itself);
  return fail(Errc::unsupported, reason);
}

Expected<void> keep_intermediates(const fs::path& folder, const fs::path& keep) {
  if (keep.empty()) return {};
  std::error_code error;
  fs::copy(folder, keep, fs::copy_options::recursive, error);
  if (!error) return {};
  return fail(Errc::io, "cannot keep intermediates in " + keep.string() + ": " + error.message());
}

/// Empty where no server does it, for whatever reason.
std::optional<HelperRun> run_by_server(const fs::path& helper, TemporaryFolder folder,
                                       const HelperSetting& setting) {
  // What it writes is read by this process.
  constexpr std::uint64_t most_said = 16u << 20;
  auto result =
      ask_server(helper, {folder.path(), setting.limit, setting.environment, setting.patience});
  if (!result) return {};
  result->errors = read_text(folder.path() / said_file, most_said).value_or("");
  return HelperRun{std::move(folder), std::move(*result), true};
}

}  // namespace

Expected<HelperRun> run_helper(const Job& job, const HelperSetting& setting) {
  const auto helper = find_compile_helper();
  if (helper.empty()) return fail(Errc::unsupported, "the compile helper kiln-compile is absent");
  if (const auto reason = strangers().reason(helper)) return fail(Errc::unsupported, *reason);
  if (setting.shared && serves()) {
    auto folder = make_job_folder(job);
    if (!folder) return tl::unexpected(folder.error());
    if (auto run = run_by_server(helper, std::move(*folder), setting)) return std::move(*run);
    // A server that lives on removes what a client that gave up has left, and its worker may be
    // writing there still: this folder is no place for another helper.
  }
  auto folder = make_job_folder(job);
  if (!folder) return tl::unexpected(folder.error());
  auto result = run_own_helper(helper, folder->path(), setting);
  if (!result) return tl::unexpected(result.error());
  if (auto kept = keep_intermediates(folder->path(), setting.keep); !kept)
    return tl::unexpected(kept.error());
  return HelperRun{std::move(*folder), std::move(*result)};
}

}  // namespace apart
}  // namespace kiln
