#include "layer/measure/report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/lifetime.hpp"
#include "base/os/file.hpp"
#include "layer/measure/queue.hpp"

namespace kiln::layer::measure {
namespace {

using Json = nlohmann::ordered_json;

/// Spans that a process writes: a viewer shows no more in good order.
constexpr std::uint64_t most_spans = 1 << 18;
constexpr std::size_t span_buffer = 1 << 16;
constexpr std::size_t most_sizes = 8;  ///< of a kernel's launches, in the file

/// The files of this process.
struct Files {
  std::string folder, profile, spans;
  bool is_traced = false;
  std::int64_t started_ns = now_ns();
  std::int64_t started_at = std::time(nullptr);
  std::vector<std::string> command;

  std::mutex writing;
  std::atomic<std::int64_t> due_ns{0};  ///< when the profile is written again

  std::mutex span_mutex;
  std::string span_text;
  std::atomic<std::uint64_t> span_count{0};
};
Files& files() {
  static NeverDestroyed<Files> all;
  return *all;
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// The first free name of this process: it may have been another program before, or may reuse the
/// number of one that has ended.
bool take_name(Files& all) {
  constexpr int most = 1000;
  for (int number = 1; number <= most; ++number) {
    const std::string stem = fmt::format("{}/{}-{}", all.folder, ::getpid(), number);
    const FileDescriptor file(
        ::open((stem + ".json").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file && errno == EEXIST) continue;
    if (!file) return false;
    all.profile = stem + ".json";
    all.spans = stem + ".spans";
    return true;
  }
  return false;
}

Json sizes_of(const std::array<std::uint64_t, 3>& sizes, std::uint32_t dimensions) {
  Json list = Json::array();
  for (std::uint32_t d = 0; d < dimensions; ++d) list.push_back(sizes[d]);
  return list;
}

bool is_any(const std::array<std::uint64_t, 3>& sizes) {
  return sizes[0] != 0 || sizes[1] != 0 || sizes[2] != 0;
}

void add_times(Json& to, const Series& series) {
  const Times& times = series.times;
  to["calls"] = series.calls.load(std::memory_order_relaxed);
  to["timed"] = times.count();
  to["failed"] = series.failed;
  to["total_ns"] = times.total();
  to["median_ns"] = times.median();
  to["min_ns"] = times.least();
  to["max_ns"] = times.most();
  to["bytes"] = series.bytes;
}

Json kernel_json(const Series& kernel) {
  Json to{{"name", kernel.name}, {"program", kernel.program}, {"device", kernel.device}};
  add_times(to, kernel);
  to["work_items"] = kernel.work_items;
  std::uint64_t shown = 0;
  Json launches = Json::array();
  for (const auto& seen : kernel.sizes.most_frequent(most_sizes)) {
    const LaunchSizes& sizes = seen.sizes;
    Json one{{"calls", seen.calls}, {"global", sizes_of(sizes.global, sizes.dimensions)}};
    one["local"] = is_any(sizes.local) ? sizes_of(sizes.local, sizes.dimensions) : Json();
    one["offset"] = is_any(sizes.offset) ? sizes_of(sizes.offset, sizes.dimensions) : Json();
    launches.push_back(std::move(one));
    shown += seen.calls;
  }
  to["launches"] = std::move(launches);
  to["other_launches"] = kernel.sizes.calls() - shown;
  return to;
}

Json device_json(const Device& device) {
  return {{"name", device.name},           {"vendor", device.vendor},
          {"version", device.version},     {"driver_version", device.driver_version},
          {"platform", device.platform},   {"platform_version", device.platform_version},
          {"type", device.type},           {"compute_units", device.compute_units},
          {"clock_mhz", device.clock_mhz}, {"is_part", device.is_part}};
}

Json host_json(const HostTime& time) {
  return {{"calls", time.calls.load(std::memory_order_relaxed)},
          {"ns", time.ns.load(std::memory_order_relaxed)}};
}

/// The whole file; the books are locked.
Json profile_json(const Files& all, const Books& books, End end) {
  Json file{{"format", "kiln profile"}, {"version", 1}};
  file["process"] = {{"pid", ::getpid()},
                     {"command", all.command},
                     {"started", all.started_at},
                     {"wall_ns", now_ns() - all.started_ns},
                     {"ended", end == End::yes}};
  for (const char* list : {"devices", "programs", "kernels", "transfers"})
    file[list] = Json::array();
  for (const Device& device : books.devices) {
    file["devices"].push_back(device_json(device));
    for (const Series& series : device.transfer) {
      if (series.calls.load(std::memory_order_relaxed) == 0) continue;
      Json one{{"kind", series.name}, {"device", series.device}};
      add_times(one, series);
      file["transfers"].push_back(std::move(one));
    }
  }
  for (const Program& program : books.programs)
    file["programs"].push_back({{"identity", program.identity},
                                {"has_text", program.has_text},
                                {"options", program.options},
                                {"builds", program.builds},
                                {"build_ns", program.build_ns}});
  for (const Series& kernel : books.kernels) file["kernels"].push_back(kernel_json(kernel));
  file["builds"] = {{"build", host_json(books.build)},
                    {"compile", host_json(books.compile)},
                    {"link", host_json(books.link)},
                    {"binaries", host_json(books.binaries)},
                    {"failed", books.failed_builds.load(std::memory_order_relaxed)}};
  file["waits"] = {{"finish", host_json(books.finish)},
                   {"wait_for_events", host_json(books.wait_for_events)},
                   {"blocking_transfer", host_json(books.blocking_transfer)}};
  if (!all.is_traced) return file;
  Json queues = Json::array();
  for (const Queue* queue : books.queues) {
    const std::int64_t distance = queue->clock_distance.load(std::memory_order_relaxed);
    queues.push_back({{"device", queue->device->number},
                      {"clock_distance_ns", distance == Queue::no_distance ? 0 : distance}});
  }
  const std::uint64_t spans = all.span_count.load(std::memory_order_relaxed);
  file["trace"] = {{"queues", std::move(queues)},
                   {"started_ns", all.started_ns},
                   {"spans", std::min(spans, most_spans)},
                   {"left_out", spans - std::min(spans, most_spans)}};
  return file;
}

/// Locks within some time, or not: what holds it may be a thread that the end of the process has
/// caught.
bool lock_within(std::mutex& mutex, long milliseconds) {
  timespec until;
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += milliseconds % 1000 * 1'000'000;
  until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1'000'000'000;
  until.tv_nsec %= 1'000'000'000;
  return ::pthread_mutex_timedlock(mutex.native_handle(), &until) == 0;
}

/// Appends the spans that wait; their mutex is locked.
void write_spans(Files& all) {
  if (all.span_text.empty()) return;
  const FileDescriptor file(
      ::open(all.spans.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (file) (void)write_all(file.get(), as_bytes(all.span_text), all.spans);
  all.span_text.clear();
}

void write_profile(Files& all, End end) {
  const std::int64_t started = now_ns();
  constexpr long patience = 200;
  if (all.is_traced && lock_within(all.span_mutex, patience)) {
    const std::lock_guard lock(all.span_mutex, std::adopt_lock);
    write_spans(all);
  }
  std::string text;
  if (!lock_within(books().mutex, patience)) return;
  {
    const std::lock_guard lock(books().mutex, std::adopt_lock);
    text = profile_json(all, books(), end).dump(1, ' ', false, Json::error_handler_t::replace);
  }
  text += '\n';
  (void)write_file(all.profile, as_bytes(text), 0600);
  // At most a two-hundredth of the time.
  constexpr std::int64_t least_pause = 50'000'000;
  const std::int64_t ended = now_ns();
  all.due_ns.store(ended + std::max(least_pause, 200 * (ended - started)),
                   std::memory_order_relaxed);
}

}  // namespace

bool open_report(const char* folder, bool traced) noexcept {
  try {
    Files& all = files();
    all.folder = folder;
    all.is_traced = traced;
    all.command = command_line();
    return take_name(all);
  } catch (...) {
    return false;
  }
}

void report_sometimes() noexcept {
  if (now_ns() >= files().due_ns.load(std::memory_order_relaxed)) report_now(End::no);
}

void report_now(End end) noexcept {
  try {
    Files& all = files();
    if (all.profile.empty()) return;  // no report is asked for
    if (end == End::no ? !all.writing.try_lock() : !lock_within(all.writing, 200)) return;
    const std::lock_guard lock(all.writing, std::adopt_lock);
    write_profile(all, end);
  } catch (...) {
    // No memory, or no room: what was written before stays.
  }
}

bool is_traced() noexcept { return files().is_traced; }

namespace {

/// Notes that there is one more; false where there are too many.
bool has_room_for_span() noexcept {
  return files().span_count.fetch_add(1, std::memory_order_relaxed) < most_spans;
}

void add_span(const std::string& line) {
  Files& all = files();
  const std::lock_guard lock(all.span_mutex);
  all.span_text += line;
  if (all.span_text.size() >= span_buffer) write_spans(all);
}

}  // namespace

void trace(int queue, const Series& series, std::int64_t start, std::int64_t end,
           std::uint64_t bytes) noexcept {
  if (!has_room_for_span()) return;
  try {
    const std::string what = series.number < 0 ? series.name : std::to_string(series.number);
    add_span(fmt::format("{} {} {} {} {}\n", queue, what, start, end - start, bytes));
  } catch (...) {
    // No memory: one span less.
  }
}

void trace_host(const char* what, std::int64_t start, std::int64_t end) noexcept {
  if (is_child() || !has_room_for_span()) return;
  try {
    add_span(fmt::format("host {} {} {} 0\n", what, start, end - start));
  } catch (...) {
    // As above.
  }
}

void keep_text(const std::string& identity, const std::string& text) noexcept {
  try {
    (void)write_new_file(files().folder + "/" + identity + ".cl", as_bytes(text), 0600);
  } catch (...) {
    // The page goes without it.
  }
}

}  // namespace kiln::layer::measure
