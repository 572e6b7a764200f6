#include "schedule/graph_findings/task_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mutex>

#include "base/clock.hpp"
#include "base/data/byte_fields.hpp"
#include "device/transfer.hpp"
#include "schedule/placement.hpp"
#include "store/key/canonical.hpp"

namespace kiln::graph {
namespace {

constexpr std::uint32_t times_schema = 1;

struct Stored {
  double ns = 0;
  std::uint32_t count = 0;
};
constexpr auto stored_fields = [](auto& to, auto& stored) {
  to.field("nanoseconds", stored.ns);
  to.field("count", stored.count);
};

Bytes canonical(std::string_view what, const Bytes& kind, const Device& device) {
  CanonicalWriter writer(what, 1);
  writer.bytes("kind", kind).text("device", device.speed_identity());
  return writer.view();
}

}  // namespace

TaskTimes::Known& TaskTimes::known(const Bytes& canonical) {
  const auto [found, is_new] = all_.try_emplace(canonical);
  if (!is_new || resolver_.store() == nullptr) return found->second;
  const auto lookup = resolver_.store()->get(Kind::record, key_of(canonical), canonical);
  if (!lookup.entry || lookup.entry->metadata.schema != times_schema) return found->second;
  const auto stored = read_by<Stored>(stored_fields, lookup.entry->content, "task time");
  if (stored && std::isfinite(stored->ns) && stored->ns >= 0)
    found->second = {stored->ns, stored->count, false, {}};
  return found->second;
}

std::optional<double> TaskTimes::of(const Bytes& kind, const Device& device) {
  const Known& time = known(canonical("task time", kind, device));
  if (time.count == 0) return std::nullopt;
  return time.ns;
}

void TaskTimes::learn(const Bytes& kind, const Device& device, std::vector<double> ns,
                      const std::string& label) {
  if (ns.empty()) return;
  Known& time = known(canonical("task time", kind, device));
  follow_shorter(time.ns, std::max(median(ns), 1.0));
  ++time.count;
  time.is_new = true;
  time.label = label;
}

std::optional<double> TaskTimes::slow_down(const Bytes& kind, const Device& device) {
  const Known& factor = known(canonical("slow-down of two lanes", kind, device));
  if (factor.count == 0) return std::nullopt;
  return factor.ns;
}

void TaskTimes::learn_slow_down(const Bytes& kind, const Device& device, double factor) {
  known(canonical("slow-down of two lanes", kind, device)) = {factor, 1, true, "slow-down"};
}

std::optional<TaskTimes::CommandTimes> TaskTimes::command_times(const Bytes& graph,
                                                                const Device& device) {
  const Known& launch = known(canonical("launch time", graph, device));
  const Known& enqueue = known(canonical("enqueue time", graph, device));
  if (launch.count == 0 || enqueue.count == 0) return std::nullopt;
  return CommandTimes{launch.ns, enqueue.ns};
}

void TaskTimes::learn(const Bytes& graph, const Device& device, const CommandTimes& times) {
  known(canonical("launch time", graph, device)) = {std::max(times.launch_ns, 1.0), 1, true,
                                                    "launch"};
  known(canonical("enqueue time", graph, device)) = {std::max(times.enqueue_ns, 1.0), 1, true,
                                                     "enqueue"};
}

TaskTimes::Links TaskTimes::links(const GraphDevices::Entry& device) {
  constexpr std::size_t small = 4096, large = 8 << 20;
  constexpr const char* names[] = {
      "pinned upload, small",   "pinned upload, large", "pinned download, small",
      "pinned download, large", "fill, small",          "fill, large"};
  constexpr std::size_t count = std::size(names);
  double ns[count];
  bool all_known = true;
  for (std::size_t i = 0; i < count; ++i) {
    const Known& time = known(canonical(names[i], {}, *device.device));
    ns[i] = time.ns;
    all_known &= time.count > 0 || (device.memory == 0 && i < 4);
  }
  if (!all_known) {
    const Queue& queue = device.queues(Queue::Times::none).lanes.front();
    HostArray memory = transfer_memory(queue, large);
    std::memset(memory.data(), 0, large);
    const Buffer buffer = make_buffer(*queue.context(), *device.device, nullptr, large);
    const auto move = [&](std::size_t i, std::size_t bytes) {
      constexpr cl_uint zero = 0;
      if (i < 2) {
        enqueue_write(queue, buffer.cl, 0, memory.view().first(bytes), {.waits = true});
      } else if (i < 4) {
        enqueue_read(queue, buffer.cl, 0, memory.span().first(bytes), {.waits = true});
      } else {
        check_cl(::clEnqueueFillBuffer(queue.cl()(), buffer.cl(), &zero, sizeof zero, 0, bytes, 0,
                                       nullptr, nullptr),
                 "clEnqueueFillBuffer");
        check_cl(::clFinish(queue.cl()()), "clFinish");
      }
    };
    // Nothing moves where the device works in the host's memory.
    for (std::size_t i = device.memory == 0 ? 4 : 0; i < count; ++i) {
      const std::size_t bytes = i % 2 == 0 ? small : large;
      std::vector<double> taken;
      for (int round = 0; round < 6; ++round) {
        const auto start = now_ns();
        move(i, bytes);
        if (round > 0) taken.push_back(static_cast<double>(now_ns() - start));
      }
      Known& time = known(canonical(names[i], {}, *device.device));
      time = {median(taken), 1, true, "transfer"};
      ns[i] = time.ns;
    }
  }
  const auto link = [](double few, double many) {
    const double per_byte = std::max(0.0, many - few) / static_cast<double>(large - small);
    return Link{few, per_byte};
  };
  return {link(ns[0], ns[1]), link(ns[2], ns[3]), link(ns[4], ns[5])};
}

namespace {

/// The time of a short command on one queue after the other, each waiting for the one before, and
/// the part of the host that enqueues it.
TaskTimes::CommandTimes alternating(const Queue& first, const Queue& second, std::size_t bytes) {
  constexpr int commands = 64;
  const std::array<const Queue*, 2> queues{&first, &second};
  const bool are_two = &first != &second;
  const bool are_foreign = first.context() != second.context();
  std::array<Buffer, 2> buffers;
  for (std::size_t i : {0, 1})
    buffers[i] = make_buffer(*queues[i]->context(), *queues[i]->device(), nullptr, bytes);
  std::vector<double> taken, enqueued;
  for (int round = 0; round < 8; ++round) {
    const auto start = now_ns();
    cl::Event before;
    for (std::size_t i = 0; i < commands; ++i) {
      const Queue& queue = *queues[i % 2];
      constexpr cl_uint zero = 0;
      cl_event done = nullptr;
      const bool waits = are_two && before() != nullptr;
      // Events of another context are waited for by the host.
      if (waits && are_foreign) before.wait();
      const bool gives_event = waits && !are_foreign;
      check_cl(::clEnqueueFillBuffer(queue.cl()(), buffers[i % 2].cl(), &zero, sizeof zero, 0,
                                     bytes, gives_event ? 1 : 0, gives_event ? &before() : nullptr,
                                     are_two || i + 1 == commands ? &done : nullptr),
               "clEnqueueFillBuffer");
      before = cl::Event(done);
      if (are_two) ::clFlush(queue.cl()());
    }
    const auto end = now_ns();
    before.wait();
    if (round < 2) continue;
    taken.push_back(static_cast<double>(now_ns() - start) / commands);
    enqueued.push_back(static_cast<double>(end - start) / commands);
  }
  return {median(taken), median(enqueued)};
}

double measured_hand_over(const Queue& a, const Queue& b) {
  // So long that a device which waits goes to sleep: waking it up is most of the price.
  constexpr std::size_t bytes = 1 << 19;
  // In turns, and several times: it is the small difference of times that scatter.
  std::vector<double> found;
  for (int round = 0; round < 5; ++round) {
    const double alone =
        (alternating(a, a, bytes).launch_ns + alternating(b, b, bytes).launch_ns) / 2;
    found.push_back(std::max(alternating(a, b, bytes).launch_ns - alone, 0.0));
  }
  return median(found);
}

}  // namespace

double TaskTimes::hand_over_ns(const GraphDevices& devices) {
  if (devices.all().size() < 2) return 0;
  const auto &first = devices.all()[0], &second = devices.all()[1];
  const std::string other = second.device->speed_identity();
  const auto name = as_bytes(other);
  const Bytes key = canonical("hand over", Bytes(name.begin(), name.end()), *first.device);
  Known& time = known(key);
  if (time.count == 0) {
    // It takes a good part of a second: once a process, for graphs that have no store as well.
    static std::mutex mutex;
    static std::map<Bytes, double> measured;
    const std::lock_guard lock(mutex);
    auto found = measured.find(key);
    if (found == measured.end()) {
      const Queue& a = first.queues(Queue::Times::none).lanes.front();
      const Queue& b = second.queues(Queue::Times::none).lanes.front();
      found = measured.emplace(key, measured_hand_over(a, b)).first;
    }
    time = {found->second, 1, true, "hand over"};
  }
  return time.ns;
}

TaskTimes::CommandTimes TaskTimes::command_times(const GraphDevices::Entry& device) {
  if (auto known = command_times(Bytes(), *device.device)) return *known;
  const Queue& queue = device.queues(Queue::Times::none).lanes.front();
  const CommandTimes measured = alternating(queue, queue, 4096);
  learn(Bytes(), *device.device, measured);
  return measured;
}

void TaskTimes::save() {
  if (resolver_.store() == nullptr) return;
  for (auto& [canonical, time] : all_) {
    if (!time.is_new) continue;
    time.is_new = false;
    const Stored stored{time.ns, time.count};
    const auto kept =
        resolver_.store()->put(Kind::record, key_of(canonical), canonical,
                               bytes_by(stored_fields, stored), {times_schema, time.label, "", 0});
    if (!kept) log(LogLevel::info, "a task's time is not kept: " + kept.error().message());
  }
}

}  // namespace kiln::graph
