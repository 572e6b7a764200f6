#include "schedule/graph_steps/live_bytes.hpp"

#include <algorithm>

namespace kiln::graph {

std::vector<std::size_t> most_live_bytes(const WorkGraph& work, const Timetable& timetable,
                                         const GraphDevices& devices) {
  const auto memory_of = [&](Task task) {
    if (work.tasks()[task].work->runs_on_host()) return 0u;
    return devices.all()[timetable.tasks[task].device].memory;
  };
  const auto readers_there = [&](const Value& value, std::uint32_t memory) {
    return std::ranges::count_if(value.readers,
                                 [&](Task reader) { return memory_of(reader) == memory; });
  };
  struct Span {
    double begin = never, end = 0;
  };
  std::vector<Span> spans(devices.memories());
  // By memory: when, and how many bytes come or go.
  std::vector<std::vector<std::pair<double, std::int64_t>>> changes(devices.memories());
  for (const Value& value : work.values()) {
    if (value.array != none) continue;
    std::ranges::fill(spans, Span());
    const auto use = [&](Task task, double begin) {
      Span& span = spans[memory_of(task)];
      span.begin = std::min(span.begin, begin);
      span.end = std::max(span.end, timetable.tasks[task].end_ns);
    };
    WorkGraph::for_each_producer(value, [&](Task task, std::size_t) {
      // What takes the bytes of its base has them as soon as that has them no more. The copy of an
      // input is used up by the only task that is there for it.
      const Value* base = value.base == none ? nullptr : &work.values()[value.base];
      const bool takes_over = value.is_in_place || (base != nullptr && base->input != nullptr &&
                                                    readers_there(*base, memory_of(task)) == 1);
      const auto& when = timetable.tasks[task];
      use(task, takes_over ? when.end_ns : when.start_ns);
    });
    for (const Task reader : value.readers) use(reader, timetable.tasks[reader].start_ns);
    for (std::size_t memory = 1; memory < spans.size(); ++memory) {
      if (spans[memory].begin == never) continue;
      const auto bytes = static_cast<std::int64_t>(value.bytes);
      changes[memory].emplace_back(spans[memory].begin, bytes);
      changes[memory].emplace_back(spans[memory].end, -bytes);
    }
  }
  std::vector<std::size_t> most;
  for (auto& of_memory : changes) {
    std::ranges::sort(of_memory);  // at the same moment, what goes before what comes
    std::int64_t bytes = 0, peak = 0;
    for (const auto& change : of_memory) peak = std::max(peak, bytes += change.second);
    most.push_back(static_cast<std::size_t>(peak));
  }
  return most;
}

}  // namespace kiln::graph
