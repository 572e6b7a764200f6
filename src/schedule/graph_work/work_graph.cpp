#include "schedule/graph_work/work_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::graph {

ValueId WorkGraph::add_input(const HostArray& memory) {
  Value value;
  value.bytes = memory.size();
  value.input = &memory;
  values_.push_back(std::move(value));
  return static_cast<ValueId>(values_.size() - 1);
}

std::uint32_t WorkGraph::add_array(std::shared_ptr<ArrayStorage> storage) {
  for (std::uint32_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].storage == storage) return i;
  const auto array = static_cast<std::uint32_t>(arrays_.size());
  Value value;
  value.bytes = storage->bytes();
  value.array = array;
  values_.push_back(std::move(value));
  const auto first = static_cast<ValueId>(values_.size() - 1);
  arrays_.push_back({std::move(storage), first, first});
  return array;
}

Task WorkGraph::add(WorkPtr work, const std::vector<ValueId>& reads, const TaskOptions& options) {
  const auto& uses = work->uses();
  const auto task = static_cast<Task>(tasks_.size());
  const std::string label = options.label.empty() ? work->name() : options.label;
  if (reads.size() != uses.size())
    throw Error(Errc::bad_input, fmt::format("task {}: found {} pieces of memory, expected {}",
                                             label, reads.size(), uses.size()));
  TaskEntry entry{std::move(work), label,          reads, std::vector<ValueId>(uses.size(), none),
                  options.device,  options.cluster};
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if ((reads[i] == none) != (uses[i].access == Access::out))
      throw Error(Errc::bad_input,
                  fmt::format("task {}: {}: found {}, expected {}", label, uses[i].name,
                              reads[i] == none ? "nothing to read" : "a value to read",
                              reads[i] == none ? "one" : "an output, which reads none"));
    if (reads[i] == none) continue;
    if (values_[reads[i]].bytes != uses[i].bytes)
      throw Error(Errc::bad_input,
                  fmt::format("task {}: {}: found a value of {} bytes, expected {}", label,
                              uses[i].name, values_[reads[i]].bytes, uses[i].bytes));
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (reads[i] != none) values_[reads[i]].readers.push_back(task);
    if (uses[i].access == Access::in) continue;
    Value value;
    value.bytes = uses[i].bytes;
    value.producer = task;
    value.base = reads[i];
    if (i < options.arrays.size()) value.array = options.arrays[i];
    entry.writes[i] = static_cast<ValueId>(values_.size());
    values_.push_back(std::move(value));
    if (const auto array = values_.back().array; array != none)
      arrays_[array].last = entry.writes[i];
  }
  tasks_.push_back(std::move(entry));
  for (const Task before : options.after) add_order(before, task);
  return task;
}

void WorkGraph::split(Task task, const std::vector<Part>& parts) {
  ++cut_tasks_;
  const std::string label = tasks_[task].label;
  const auto name = [&](std::size_t part) {
    return fmt::format("{}, part {} of {}", label, part + 1, parts.size());
  };
  const auto orders = orders_;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const Task made = part == 0 ? task : static_cast<Task>(tasks_.size());
    if (part > 0) {
      tasks_.push_back(tasks_[task]);
      for (const ValueId read : tasks_[task].reads)
        if (read != none) values_[read].readers.push_back(made);
      for (const auto& order : orders) {
        if (order.from == task) add_order(made, order.to);
        if (order.to == task) add_order(order.from, made);
      }
    }
    tasks_[made].work = parts[part].work;
    tasks_[made].label = name(part);
    for (std::size_t use = 0; use < tasks_[made].writes.size(); ++use)
      if (const ValueId value = tasks_[made].writes[use]; value != none)
        values_[value].pieces.push_back({made, parts[part].writes[use]});
  }
}

Expected<TaskGraph> WorkGraph::close() {
  std::vector<TaskGraph::Edge> edges = orders_;
  for (const Value& value : values_)
    for_each_producer(value, [&](Task producer, std::size_t bytes) {
      for (const Task reader : value.readers)
        edges.push_back({producer, reader, static_cast<double>(bytes)});
    });
  // An Array has one place: who makes it anew waits for all who use what it held.
  std::vector<ValueId> last_of(arrays_.size());
  for (std::size_t i = 0; i < arrays_.size(); ++i) last_of[i] = arrays_[i].first;
  for (ValueId id = 0; id < values_.size(); ++id) {
    Value& value = values_[id];
    value.is_in_place = false;
    if (value.array == none || value.producer == none) continue;
    const Value& before = values_[last_of[value.array]];
    for (const Task reader : before.readers)
      if (reader != value.producer) edges.push_back({reader, value.producer, 0});
    if (before.producer != none && before.producer != value.producer)
      edges.push_back({before.producer, value.producer, 0});
    value.is_in_place = value.base == last_of[value.array];
    last_of[value.array] = id;
  }
  auto graph = TaskGraph::make(tasks_.size(), edges);
  if (!graph) return graph;
  decide_in_place(*graph, edges);
  return TaskGraph::make(tasks_.size(), std::move(edges));
}

void WorkGraph::decide_in_place(const TaskGraph& graph, std::vector<TaskGraph::Edge>& edges) {
  std::vector<std::uint32_t> position(graph.size());
  std::uint32_t next = 0;
  for (const Task task : graph.topological_order()) position[task] = next++;
  const auto first_change = [&](const Value& value) {
    std::uint32_t first = none;
    for_each_producer(value,
                      [&](Task task, std::size_t) { first = std::min(first, position[task]); });
    return first;
  };
  const auto makes = [](Task task, const Value& value) {
    bool found = false;
    for_each_producer(value, [&](Task producer, std::size_t) { found |= producer == task; });
    return found;
  };
  std::vector<ValueId> last_change(values_.size(), none);  // by base
  for (ValueId id = 0; id < values_.size(); ++id) {
    const Value& value = values_[id];
    if (value.base == none || value.array != none) continue;
    const Value& base = values_[value.base];
    if (base.input != nullptr || base.array != none || base.is_result) continue;
    ValueId& last = last_change[value.base];
    if (last == none || first_change(values_[last]) < first_change(value)) last = id;
  }
  // The new edges keep to the one order of `position`, so that they can make no cycle together.
  for (ValueId base = 0; base < values_.size(); ++base) {
    if (last_change[base] == none) continue;
    Value& value = values_[last_change[base]];
    const auto& readers = values_[base].readers;
    const auto is_later = [&](Task reader) {
      return position[reader] > first_change(value) && !makes(reader, value);
    };
    if (std::ranges::any_of(readers, is_later)) continue;
    // A task that takes the same value twice cannot change it under its own eyes.
    if (std::ranges::count(readers, value.producer) > 1) continue;
    value.is_in_place = true;
    for_each_producer(value, [&](Task producer, std::size_t) {
      for (const Task reader : readers)
        if (!makes(reader, value)) edges.push_back({reader, producer, 0});
    });
  }
}

}  // namespace kiln::graph
