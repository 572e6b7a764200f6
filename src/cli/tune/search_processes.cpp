// The processes of one search and the folder that they share.
#include "cli/tune/search_processes.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/command/context.hpp"
#include "cli/command/session.hpp"
#include "store/default_store.hpp"
#include "store/layer/layers.hpp"
#include "tune/worker/child.hpp"

namespace kiln::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "kiln-tune";
constexpr const char* lock_name = "lock";

/// "kiln-tune-" and the six letters and digits of mkdtemp.
bool is_scratch_name(std::string_view name) {
  if (name.size() != prefix.size() + 7 || !name.starts_with(prefix) || name[prefix.size()] != '-')
    return false;
  const auto is_alnum = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  return std::all_of(name.begin() + prefix.size() + 1, name.end(), is_alnum);
}

/// Takes the lock of a folder that is this user's and that no process holds; nothing for others.
FileDescriptor lock_of_left(const fs::path& folder) {
  const FileDescriptor inside(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat about {};
  if (!inside || ::fstat(inside.get(), &about) != 0 || about.st_uid != ::geteuid()) return {};
  FileDescriptor lock(
      ::openat(inside.get(), lock_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!lock || ::fstat(lock.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
      about.st_uid != ::geteuid() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return {};
  // Another process may have removed the folder meanwhile, and the name may be a new search's.
  struct stat now {};
  if (::fstatat(AT_FDCWD, (folder / lock_name).c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0 ||
      now.st_ino != about.st_ino || now.st_dev != about.st_dev)
    return {};
  return lock;
}

/// More would need candidates further ahead than a strategy can choose well, and each process has a
/// driver in memory.
constexpr std::size_t most_jobs = 8;

std::size_t own_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

/// On a CPU all processors compile, then all of them run what was compiled; with a GPU one
/// processor is left to the process that measures.
std::size_t own_jobs(bool device_is_cpu) {
  const std::size_t processors = own_processors();
  const std::size_t jobs = device_is_cpu ? processors : std::max<std::size_t>(processors, 2) - 1;
  return std::min(jobs, most_jobs);
}

tune::WorkerLimits worker_limits_of(std::chrono::milliseconds hang_time) {
  tune::WorkerLimits limits;
  limits.prepare = limits.run = hang_time;
  return limits;
}

}  // namespace

Expected<ScratchFolder> ScratchFolder::create() {
  auto folder = TemporaryFolder::create(prefix);
  if (!folder) return tl::unexpected(folder.error());
  remove_left_scratch(folder->path().parent_path());
  // Locked before it gets its name: others take a lock file that no process holds for a dead
  // search's.
  const fs::path unnamed = folder->path() / "new-lock", named = folder->path() / lock_name;
  FileDescriptor lock(::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!lock) return tl::unexpected(io_error("open", unnamed, errno));
  // On a file system without locks the file keeps its first name: without a file "lock" no other
  // search takes the folder for a dead one's.
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && ::rename(unnamed.c_str(), named.c_str()) != 0)
    return tl::unexpected(io_error("rename", unnamed, errno));
  ScratchFolder scratch(std::move(lock), *std::move(folder));
  if (::mkdir(scratch.path().c_str(), 0700) != 0)
    return tl::unexpected(io_error("make", scratch.path(), errno));
  return scratch;
}

void remove_left_scratch(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error))
    if (is_scratch_name(entry->path().filename().string())) found.push_back(entry->path());
  for (const auto& folder : found)
    if (const FileDescriptor lock = lock_of_left(folder)) fs::remove_all(folder, error);
}

SearchProcesses::SearchProcesses(const Context& context, const TuningSubject& subject,
                                 std::size_t jobs, std::chrono::milliseconds hang_time)
    : context_(context),
      subject_(subject),
      scratch_(value_or_throw(ScratchFolder::create())),
      worker_(
          [this] {
            open(Into::scratch);
            return subject_.tunable->open(*opened_.resolver, opened_.queue->context(),
                                          *opened_.queue);
          },
          worker_limits_of(hang_time)) {
  if (jobs == 0) jobs = own_jobs(subject.device_is_cpu);
  // A single one on the device's own processor would be no faster than the measuring process
  // itself.
  if (jobs < 2 && subject.device_is_cpu) return;
  compilers_.emplace(
      [this] {
        open(Into::scratch);
        return subject_.tunable->open_compiler(*opened_.resolver, opened_.queue->context(),
                                               *opened_.queue);
      },
      jobs, hang_time);
}

void SearchProcesses::open(Into into) {
  auto store = value_or_throw(open_store(store_settings_of(context_)));
  if (into == Into::scratch)
    store = std::make_unique<ScratchStore>(scratch_.path().string(), std::move(store));
  opened_.resolver = make_resolver(context_, std::move(store));
  const DevicePtr device = subject_.find_device();
  opened_.queue.emplace(kiln::Context::create({device}), device);
}

void SearchProcesses::keep(tune::ConfigurationId winner) {
  const auto compile = [&]() -> std::string {
    open(Into::store);
    if (opened_.resolver->store() == nullptr) return "";
    if (const auto compiler = subject_.tunable->open_compiler(
            *opened_.resolver, opened_.queue->context(), *opened_.queue))
      compiler->compile(winner);
    opened_ = {};  // waits for what is still being compiled or sent
    return "";
  };
  value_or_throw(tune::in_child(compile, std::chrono::minutes(2)));
}

}  // namespace kiln::cli
