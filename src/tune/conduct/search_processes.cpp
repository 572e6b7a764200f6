#include "tune/conduct/search_processes.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/os/process.hpp"
#include "store/layer/layers.hpp"
#include "tune/search/journal.hpp"
#include "tune/worker/child.hpp"

namespace kiln::tune {

// ---- The device

KnownDevice look_at_device(const FindDevice& find_device,
                           const std::function<std::string(const Device&)>& more) {
  const auto look = [&] {
    const auto device = find_device();
    return dumped({{"name", device->name},
                   {"speed", device->speed_identity()},
                   {"doubles", device->doubles},
                   {"fingerprint", RecordedDevice::of(*device).fingerprint},
                   {"type", name_of(device->type)},
                   {"vendor", device->vendor},
                   {"units", device->compute_units},
                   {"floats", device->native_floats},
                   {"local", device->local_memory},
                   {"more", more ? more(*device) : ""}});
  };
  const auto json = nlohmann::json::parse(value_or_throw(in_child(look, longest_opening)));
  return {json["name"],
          json["speed"],
          json["type"] == name_of(DeviceType::cpu),
          json["doubles"],
          {json["name"], json["fingerprint"], json["units"]},
          {json["type"], json["vendor"], json["units"], json["floats"], json["local"]},
          json["more"]};
}

// ---- The folder, and what killed searches left of theirs

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

// ---- The processes

namespace {

/// More would need candidates further ahead than a strategy can choose well, and each process has a
/// driver in memory.
constexpr std::size_t most_jobs = 8;

/// On a CPU all processors compile, then all of them run what was compiled; with a GPU one
/// processor is left to the process that measures.
std::size_t own_jobs(bool device_is_cpu) {
  const std::size_t processors = usable_processors();
  const std::size_t jobs = device_is_cpu ? processors : std::max<std::size_t>(processors, 2) - 1;
  return std::min(jobs, most_jobs);
}

WorkerLimits worker_limits_of(std::chrono::milliseconds hang_time) {
  WorkerLimits limits;
  limits.prepare = limits.run = hang_time;
  return limits;
}

}  // namespace

SearchProcesses::SearchProcesses(const SearchTask& task, std::size_t jobs,
                                 std::chrono::milliseconds hang_time)
    : task_(task),
      scratch_(value_or_throw(ScratchFolder::create())),
      worker_(
          [this] {
            open(Into::scratch);
            return task_.tunable->open(*opened_.resolver, opened_.queue->context(), *opened_.queue);
          },
          worker_limits_of(hang_time)) {
  if (jobs == 0) jobs = own_jobs(task.device.is_cpu);
  // A single one on the device's own processor would be no faster than the measuring process
  // itself.
  if (jobs < 2 && task.device.is_cpu) return;
  compilers_.emplace(
      [this] {
        open(Into::scratch);
        return task_.tunable->open_compiler(*opened_.resolver, opened_.queue->context(),
                                            *opened_.queue);
      },
      jobs, hang_time);
}

void SearchProcesses::open(Into into) {
  auto store = value_or_throw(open_store(task_.store));
  const std::string scratch = scratch_.path().string();
  if (into == Into::scratch) {
    store = std::make_unique<ScratchStore>(scratch, std::move(store));
  } else if (store != nullptr) {
    std::vector<LayeredStore::Below> below;
    below.push_back({.layer = open_local_store(scratch), .copied = true});
    store = std::make_unique<LayeredStore>(std::move(store), std::move(below));
  }
  opened_.resolver =
      std::make_unique<Resolver>(std::move(store), task_.compile, &ShippedRecords::process());
  const DevicePtr device = task_.find_device();
  opened_.queue.emplace(kiln::Context::create({device}), device);
}

void SearchProcesses::keep(ConfigurationId winner) {
  const auto keep_it = [&]() -> std::string {
    open(Into::store);
    if (opened_.resolver->store() == nullptr) return "";
    if (const auto compile = task_.tunable->open_compiler(*opened_.resolver,
                                                          opened_.queue->context(), *opened_.queue))
      compile(winner);
    opened_ = {};  // waits for what is still being compiled or sent
    return "";
  };
  value_or_throw(in_child(keep_it, longest_opening));
}

}  // namespace kiln::tune
