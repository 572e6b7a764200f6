#include "schedule/graph_plan/kept_timetables.hpp"

#include <cmath>

#include "base/data/byte_fields.hpp"
#include "base/log.hpp"
#include "store/key/canonical.hpp"

namespace kiln::graph {
namespace {

constexpr std::uint32_t timetable_schema = 1;

/// One task, in the order in which tasks are enqueued.
struct PlacedTask {
  Task task = 0;
  std::uint32_t device = 0;
  Lane lane = 0;
};
struct StoredTimetable {
  double tried_ns = 0;
  std::vector<PlacedTask> places;
};
constexpr auto timetable_fields = [](auto& to, auto& stored) {
  to.field("tried", stored.tried_ns);
  to.list("tasks", stored.places, 3 * sizeof(std::uint32_t), [&](auto& place) {
    to.field("task", place.task);
    to.field("device", place.device);
    to.field("lane", place.lane);
  });
};

constexpr std::uint32_t choice_schema = 1;
constexpr auto choice_fields = [](auto& to, auto& choice) { to.field("choice", choice); };

/// Times within about a sixth of one another are of a class.
std::int64_t class_of_time(double ns) {
  if (ns == never) return std::numeric_limits<std::int64_t>::max();
  return ns < 1 ? 0 : 1 + std::llround(std::log(ns) / std::log(1.35));
}

template <class T>
void hash_in(Blake2b& hash, const T& value) {
  hash.update(std::as_bytes(std::span(&value, 1)));
}

/// The times of tasks that begin, in this order, as soon as they can on their lanes. Nothing where
/// the order is none.
std::optional<Timetable> replayed(const Problem& problem, const std::vector<PlacedTask>& places) {
  if (places.size() != problem.graph.size()) return std::nullopt;
  Timetable table;
  table.tasks.resize(places.size());
  std::vector<char> is_placed(places.size());
  std::vector<std::vector<double>> free_at;
  std::vector<double> slow_down;
  for (const DeviceModel& device : problem.devices) {
    free_at.emplace_back(device.lanes);
    slow_down.push_back(device.slow_down_of(device.lanes));
  }
  for (const auto& [task, device, lane] : places) {
    if (task >= places.size() || is_placed[task] || device >= problem.devices.size() ||
        lane >= problem.devices[device].lanes || problem.run(task, device) == never)
      return std::nullopt;
    double start = std::max(free_at[device][lane], problem.moves_of(task, device).inputs_ns);
    for (const auto& before : problem.graph.predecessors(task)) {
      if (!is_placed[before.task]) return std::nullopt;
      const auto& from = table.tasks[before.task];
      start = std::max(start, from.end_ns + problem.transfer(before.bytes, from.device, device));
    }
    const double end = start + problem.run(task, device) * slow_down[device];
    table.tasks[task] = {device, lane, start, end};
    table.makespan_ns = std::max(table.makespan_ns, end);
    free_at[device][lane] = end;
    is_placed[task] = true;
  }
  return table;
}

}  // namespace

Bytes KeptTimetables::identity_of(const Problem& problem, ByteView what) {
  Blake2b hash;
  for (Task task = 0; task < problem.graph.size(); ++task) {
    for (const auto& before : problem.graph.predecessors(task)) {
      hash_in(hash, before.task);
      hash_in(hash, before.bytes);
    }
    hash_in(hash, task);
    for (std::size_t device = 0; device < problem.devices.size(); ++device)
      hash_in(hash, class_of_time(problem.run(task, device)));
  }
  CanonicalWriter writer("graph timetable", 1);
  writer.bytes("what", what)
      .integer("tasks", static_cast<std::int64_t>(problem.graph.size()))
      .integer("edges", static_cast<std::int64_t>(problem.graph.edges()))
      .digest("graph", hash.finish());
  for (const DeviceModel& device : problem.devices)
    writer.text("device", device.name)
        .integer("memory", device.memory)
        .integer("lanes", device.lanes);
  for (const Link& link : problem.links)
    writer.integer("latency", class_of_time(link.latency_ns))
        .integer("per megabyte", class_of_time(link.ns_per_byte * 1e6));
  return writer.view();
}

std::optional<KeptTimetables::Kept> KeptTimetables::find(const Bytes& identity,
                                                         const Problem& problem) const {
  if (resolver_.store() == nullptr) return std::nullopt;
  const auto lookup = resolver_.store()->get(Kind::record, key_of(identity), identity);
  if (!lookup.entry || lookup.entry->metadata.schema != timetable_schema) return std::nullopt;
  const auto stored =
      read_by<StoredTimetable>(timetable_fields, lookup.entry->content, "graph timetable");
  if (!stored || !std::isfinite(stored->tried_ns) || stored->tried_ns < 0) return std::nullopt;
  auto table = replayed(problem, stored->places);
  if (!table) return std::nullopt;
  return Kept{*std::move(table), stored->tried_ns};
}

std::optional<bool> KeptTimetables::find_choice(const Bytes& identity) const {
  if (resolver_.store() == nullptr) return std::nullopt;
  const auto lookup = resolver_.store()->get(Kind::record, key_of(identity), identity);
  if (!lookup.entry || lookup.entry->metadata.schema != choice_schema) return std::nullopt;
  const auto choice = read_by<bool>(choice_fields, lookup.entry->content, "choice of a graph");
  if (!choice) return std::nullopt;
  return *choice;
}

void KeptTimetables::keep_choice(const Bytes& identity, bool choice) {
  if (resolver_.store() == nullptr) return;
  const auto kept = resolver_.store()->put(Kind::record, key_of(identity), identity,
                                           bytes_by(choice_fields, choice),
                                           {choice_schema, "a graph in parts", "", 0});
  if (!kept) log(LogLevel::info, "a graph's choice is not kept: " + kept.error().message());
}

void KeptTimetables::keep(const Bytes& identity, const Problem& problem, const Kept& kept) {
  if (resolver_.store() == nullptr) return;
  StoredTimetable stored{kept.tried_ns, {}};
  for (const Task task : kept.timetable.order(problem.graph)) {
    const auto& entry = kept.timetable.tasks[task];
    stored.places.push_back({task, entry.device, entry.lane});
  }
  const auto done = resolver_.store()->put(Kind::record, key_of(identity), identity,
                                           bytes_by(timetable_fields, stored),
                                           {timetable_schema, "timetable of a graph", "", 0});
  if (!done) log(LogLevel::info, "a graph's timetable is not kept: " + done.error().message());
}

}  // namespace kiln::graph
