#include "kernel/apart/helper.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "base/log.hpp"
#include "base/os/environment.hpp"
#include "kernel/apart/server_client.hpp"
#include "kiln/formats/poclbin.hpp"
#include "kiln/formats/spirv.hpp"

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

/// The first of some places, told from the folder that holds this code, that has a file or folder
/// of this name; empty where none has, or nothing says where this code is.
fs::path find_near(std::initializer_list<const char*> places, std::string_view name) {
  const fs::path folder = own_file().parent_path();
  if (folder.empty()) return {};  // the working directory is anyone's
  for (const char* place : places) {
    std::error_code error;
    const auto path = fs::canonical(folder / place / name, error);
    if (!error) return path;
  }
  return {};
}

}  // namespace

fs::path find_helper(std::string_view name) {
  return find_near({".", "../bin", "../libexec/kiln", "../../libexec/kiln", "../../bin",
                    "../../../libexec/kiln"},
                   name);
}

fs::path find_shared(std::string_view name) {
  return find_near({"share/kiln", "../share/kiln", "../../share/kiln", "../../../share/kiln"},
                   name);
}

fs::path find_compile_helper() {
  if (const char* named = std::getenv("KILN_COMPILE_HELPER")) return named;
  static const fs::path found = find_helper("kiln-compile");
  return found;
}

// Running the helper.

namespace apart {
namespace {

/// What a process said before it died, as one line: the end of a long text.
std::string last_words(std::string_view errors) {
  constexpr std::size_t most = 1000;
  while (!errors.empty() && (errors.back() == '\n' || errors.back() == ' '))
    errors.remove_suffix(1);
  const bool cut = errors.size() > most;
  if (cut) errors.remove_prefix(errors.size() - most);
  std::string text(errors);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return (cut ? "…" : "") + one_line(text);
}

/// The driver waits for the disk after each of the many files that it writes: a tenth of a compile.
/// A file system in memory has nothing to wait for. Empty: there is none, or it has little room.
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

/// Programs in the helper's place that turned out not to be the helper, and why. Each is logged
/// once: callers go on without a helper, and would not say it. One that failed may have lacked
/// something for a moment (memory, descriptors, a library), and is tried again a few times.
class UnusableHelpers {
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

UnusableHelpers& unusable_helpers() {
  static UnusableHelpers all;
  return all;
}

/// A new private folder with the job and an empty cache.
TemporaryFolder make_job_folder(const Job& job) {
  auto folder = value_or_throw(TemporaryFolder::create("kiln-compile", memory_folder()));
  std::error_code error;
  if (!fs::create_directory(folder.path() / cache_folder, error))
    throw io_error("make a folder in", folder.path(), error.value());
  value_or_throw(write_file(folder.path() / job_file, encode(job), 0600));
  return folder;
}

ProcessResult run_own_helper(const fs::path& helper, const HelperSetting& setting) {
  ProcessRequest process;
  process.program = helper;
  process.arguments = {std::string(job_option)};
  process.folder = setting.folder;
  process.limit = setting.limit;
  process.environment = setting.environment;
  process.greeting = std::string(greeting) + "\n";
  process.greeting_limit = setting.patience;
  for (auto& variable : compiler_environment()) process.environment.push_back(std::move(variable));
  auto result = run_process(process);
  if (!result && result.error().code() == Errc::not_found) {
    const std::string reason = "no compile helper: " + result.error().message();
    unusable_helpers().add(helper, reason, true);
    throw Error(Errc::unsupported, reason);
  }
  if (!result || result->not_expected.empty()) return value_or_throw(std::move(result));

  const std::string reason =
      helper.string() + " is not Kiln's compile helper: " + result->not_expected;
  const bool ended_by_itself = result->signal != SIGKILL;  // else by this process's bounds
  unusable_helpers().add(helper, reason, result->output.empty() && ended_by_itself);
  throw Error(Errc::unsupported, reason);
}

void keep_intermediates(const fs::path& folder, const fs::path& keep) {
  if (keep.empty()) return;
  std::error_code error;
  fs::copy(folder, keep, fs::copy_options::recursive, error);
  if (error)
    throw Error(Errc::io, "cannot keep intermediates in " + keep.string() + ": " + error.message());
}

HelperRun run_helper_or_throw(const Job& job, HelperSetting setting) {
  const auto helper = find_compile_helper();
  value_or_throw(usable_helper(helper));
  if (setting.shared && serves()) {
    auto folder = make_job_folder(job);
    setting.folder = folder.path();
    if (auto result = ask_server(helper, setting)) {
      // What it writes is read by this process.
      constexpr std::uint64_t most_said = 16u << 20;
      result->errors = read_text(setting.folder / said_file, most_said).value_or("");
      return {std::move(folder), *std::move(result), true};
    }
    // A server that lives on removes what a client that gave up has left, and its worker may be
    // writing there still: this folder is no place for another helper.
  }
  auto folder = make_job_folder(job);
  setting.folder = folder.path();
  auto result = run_own_helper(helper, setting);
  keep_intermediates(folder.path(), setting.keep);
  return {std::move(folder), std::move(result)};
}

}  // namespace

Expected<void> usable_helper(const fs::path& helper) {
  if (helper.empty()) return fail(Errc::unsupported, "the compile helper kiln-compile is absent");
  if (const auto reason = unusable_helpers().reason(helper))
    return fail(Errc::unsupported, *reason);
  return {};
}

bool serves() { return is_on("KILN_COMPILE_SERVER"); }

std::optional<std::string> how_it_failed(const HelperRun& run) {
  const ProcessResult& result = run.result;
  if (!result.timed_out && result.signal == 0 && result.exit_code == done) return {};
  if (result.timed_out) return "it did not end";
  if (result.signal == 0)
    return one_line(read_text(run.folder.path() / log_file).value_or(result.errors));
  const std::string said = last_words(result.errors);
  return signal_name(result.signal) + (said.empty() ? "" : ": ") + said;
}

bool ended_by_chance(const HelperRun& run) {
  if (!how_it_failed(run)) return false;
  const ProcessResult& result = run.result;
  if (result.timed_out || (result.signal == 0 && result.exit_code == hindered)) return true;
  constexpr int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  if (result.signal != 0 && std::ranges::find(faults, result.signal) == std::end(faults))
    return true;
  // A driver that finds no room for its files may end in any way.
  constexpr std::uint64_t some_room = 1u << 20;
  std::error_code error;
  const auto space = fs::space(run.folder.path(), error);
  return error || space.available < some_room;
}

Expected<HelperRun> run_helper(const Job& job, const HelperSetting& setting) {
  return expected_from([&] { return run_helper_or_throw(job, setting); });
}

}  // namespace apart

// What is made of the result.

namespace {

std::string variant_list(const std::vector<KernelVariant>& variants) {
  std::set<std::string> folders;
  for (const auto& one : variants) folders.insert(one.variant.folder());
  return fmt::format("{}", fmt::join(folders, ","));
}

// What a helper may write; a server's might write anything.
constexpr std::uint64_t most_artifact = 256u << 20, most_log = 16u << 20;

/// Throws where the helper does not say that the job is done, and takes what it says besides.
void check_is_done(const Device& device, const apart::HelperRun& run, const ApartRequest& request) {
  const auto& [folder, result, by_server] = run;
  if (result.timed_out)
    throw Error(Errc::timeout, fmt::format("compiling {} took longer than {} s", request.label,
                                           static_cast<double>(request.limit.count()) / 1000));
  if (result.signal != 0) {
    const auto possible = can_compile_here(device);
    std::string why = possible ? apart::last_words(result.errors) : possible.error().message();
    if (!why.empty()) why.insert(0, ": ");
    throw Error(Errc::device, fmt::format("the driver's compiler died of {} on {}{}",
                                          signal_name(result.signal), request.label, why));
  }
  const auto log = read_text(folder.path() / apart::log_file, most_log);
  if (result.exit_code == apart::does_not_build) {
    // What is wrong with a module is said by a converter that the driver starts, on its output.
    const bool is_module = spirv::is_module(as_bytes(request.text));
    throw build_error(request.label,
                      log.value_or("") + (is_module ? "\n" + visible_text(result.errors) : ""));
  }
  if (result.exit_code != apart::done)
    throw Error(Errc::internal, fmt::format("the compile helper failed (exit code {}): {}",
                                            result.exit_code, log.value_or(result.errors)));
  if (request.build_log != nullptr) *request.build_log = log.value_or("");
  if (request.facts == nullptr) return;
  const auto facts = read_file(folder.path() / apart::facts_file, most_artifact);
  *request.facts = facts ? decode_kernel_facts(*facts) : nullptr;
}

/// Throws where an archive is not the one that the job asked for: its build hash comes from the
/// Key, and the driver knows the program by it.
void check_is_of(const apart::Job& job, ByteView bytes) {
  if (job.build_hash.empty()) return;  // of no program in particular
  if (job.form == apart::Job::Form::as_it_is) return;
  const auto archive = value_or_throw(poclbin::parse(bytes));
  if (archive.build_hash != job.build_hash)
    throw Error(Errc::bad_input, fmt::format("an archive of {}, expected {}",
                                             one_line(archive.build_hash), job.build_hash));
  for (const auto& [name, variant] : job.variants) {
    const auto* kernel = archive.find(name);
    if (kernel != nullptr && poclbin::find_object(*kernel, variant) == nullptr)
      throw Error(Errc::bad_input,
                  fmt::format("an archive without variant {} of {}", variant, name));
  }
}

Bytes compile_once(const Device& device, const ApartRequest& request) {
  apart::Job job;
  job.fingerprint = device.fingerprint();
  job.options = request.options;
  job.source = request.text;
  job.archive.assign(request.archive.begin(), request.archive.end());
  job.build_hash = request.build_hash;
  job.generic = request.generic;
  job.stubs = request.ways.stubs;
  job.form = request.ways.archives ? apart::Job::Form::archive : apart::Job::Form::as_it_is;
  job.facts = request.facts != nullptr;
  for (const auto& one : request.variants)
    job.variants.emplace_back(one.kernel, one.variant.folder());
  apart::HelperSetting setting;
  setting.limit = request.limit;
  setting.keep = request.intermediates;
  setting.shared = setting.keep.empty() && request.ways.server;
  setting.environment = {{"POCL_BINARY_SPECIALIZE_WG", variant_list(request.variants)}};
  if (!setting.keep.empty())
    setting.environment.emplace_back("POCL_LEAVE_KERNEL_COMPILER_TEMP_FILES", "1");
  for (;; setting.shared = false) {
    ApartEnd unwanted;
    ApartEnd& end = request.end != nullptr ? *request.end : unwanted;
    end = {false, true};
    const auto run = value_or_throw(apart::run_helper(job, setting));
    end = {run.by_server, apart::ended_by_chance(run)};
    check_is_done(device, run, request);
    try {
      Bytes made =
          value_or_throw(read_file(run.folder.path() / apart::artifact_file, most_artifact));
      check_is_of(job, made);
      return made;
    } catch (const Error& error) {
      end.by_chance = error.code() == Errc::io;
      const std::string message =
          fmt::format("the compile {} said that it was done, but its result is not usable: {}",
                      run.by_server ? "server" : "helper", error.message());
      if (!run.by_server) throw Error(Errc::internal, message);
      log(LogLevel::warning, message);
      apart::give_server_up(find_compile_helper());
    }
  }
}

/// In one process PoCL 3.1 takes a function for large grids for the one for small grids of the same
/// local size and offset, and makes only the first of the two.
Bytes compile_in_steps(const Device& device, const ApartRequest& request) {
  const auto is_small = [](const KernelVariant& wanted) { return wanted.variant.small_grid; };
  ApartRequest first = request;
  const auto large = std::stable_partition(first.variants.begin(), first.variants.end(), is_small);
  const bool is_one_kind = large == first.variants.begin() || large == first.variants.end();
  // Where nothing can be added, the driver compiles the functions for large grids at the launch.
  if (is_one_kind || !request.ways.archives) return compile_once(device, request);
  if (!request.ways.additions) {
    first.variants.erase(large, first.variants.end());
    return compile_once(device, first);
  }
  ApartRequest second = request;
  second.variants.assign(large, first.variants.end());
  first.variants.erase(large, first.variants.end());
  const Bytes archive = compile_once(device, first);
  second.text.clear();
  second.archive = archive;
  second.generic = false;
  second.facts = nullptr;
  if (!second.intermediates.empty()) second.intermediates += "-large-grids";
  return compile_once(device, second);
}

}  // namespace

Expected<Bytes> compile_apart(const Device& device, const ApartRequest& request) {
  return expected_from([&] { return compile_in_steps(device, request); });
}

}  // namespace kiln
