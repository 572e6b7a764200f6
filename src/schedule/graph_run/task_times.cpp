#include "schedule/graph_run/task_times.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/data/byte_fields.hpp"
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

double TaskTimes::launch_ns(const Device& device) {
  const Known& time = known(canonical("launch time", {}, device));
  return time.count > 0 ? time.ns : 5000;
}

void TaskTimes::learn_launch(const Device& device, double ns) {
  Known& time = known(canonical("launch time", {}, device));
  follow_shorter(time.ns, std::max(ns, 1.0));
  ++time.count;
  time.is_new = true;
  time.label = "launch";
}

TaskTimes::Links TaskTimes::links(const GraphDevices::Entry& device) {
  constexpr std::size_t small = 4096, large = 8 << 20;
  const char* const names[] = {"upload, small", "upload, large", "download, small",
                               "download, large"};
  double ns[4];
  bool all_known = true;
  for (int i = 0; i < 4; ++i) {
    const Known& time = known(canonical(names[i], {}, *device.device));
    ns[i] = time.ns;
    all_known &= time.count > 0;
  }
  if (!all_known) {
    const Queue& queue = device.queues(Queue::Times::none).lanes.front();
    HostArray memory(large);
    const Buffer buffer = make_buffer(*queue.context(), *device.device, nullptr, large);
    for (int i = 0; i < 4; ++i) {
      const std::size_t bytes = i % 2 == 0 ? small : large;
      std::vector<double> taken;
      for (int round = 0; round < 6; ++round) {
        const auto start = now_ns();
        if (i < 2)
          enqueue_write(queue, buffer.cl, 0, memory.view().first(bytes), {.waits = true});
        else
          enqueue_read(queue, buffer.cl, 0, memory.span().first(bytes), {.waits = true});
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
  return {link(ns[0], ns[1]), link(ns[2], ns[3])};
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
