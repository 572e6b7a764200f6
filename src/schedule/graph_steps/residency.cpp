#include "schedule/graph_steps/residency.hpp"

#include <algorithm>
#include <limits>

namespace kiln::graph {

Residency::Residency(const WorkGraph& work, const GraphDevices& devices, std::size_t memory_limit,
                     std::vector<std::size_t> roomy)
    : work_(work),
      memories_(devices.memories()),
      copies_(work.values().size() * memories_),
      array_users_(work.arrays().size() * memories_),
      home_(work.values().size(), none),
      arenas_(memories_),
      chunk_limit_(memories_, std::numeric_limits<std::size_t>::max() / 2),
      limit_(memories_, std::numeric_limits<std::size_t>::max() / 2),
      alignment_(memories_, buffer_alignment),
      roomy_(std::move(roomy)),
      residents_(memories_) {
  roomy_.resize(memories_);
  for (const auto& entry : devices.all()) {
    if (entry.memory == 0) continue;
    chunk_limit_[entry.memory] = entry.device->max_allocation;
    // The driver and other programs need some, too.
    limit_[entry.memory] = entry.device->global_memory / 16 * 15;
    if (memory_limit > 0) limit_[entry.memory] = std::min(limit_[entry.memory], memory_limit);
    // What sub-buffers must begin at.
    const auto bits = entry.device->handle.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>();
    alignment_[entry.memory] = std::max<std::size_t>(buffer_alignment, bits / 8);
  }
  const auto& values = work.values();
  for (ValueId value = 0; value < values.size(); ++value) {
    if (values[value].is_result && values[value].array == none)
      home_[value] = static_cast<std::uint32_t>(results_++);
    // What no task makes is in the host's memory when a run begins; an Array is in every memory
    // that uses it.
    if (values[value].producer != none) continue;
    for (std::uint32_t memory = 0; memory < memories_; ++memory) {
      if (values[value].array == none && memory > 0) break;
      copy(value, memory).current = true;
      copy(value, memory).place.kind =
          values[value].array != none ? Place::Kind::array : Place::Kind::input;
      copy(value, memory).place.memory = memory;
      copy(value, memory).place.index = values[value].array != none ? values[value].array : value;
      copy(value, memory).place.bytes = values[value].bytes;
    }
  }
  // What becomes a result in place is in the result's memory from the beginning.
  for (ValueId value = static_cast<ValueId>(values.size()); value-- > 0;)
    if (values[value].is_in_place && values[value].array == none)
      home_[values[value].base] = home_[value];
}

std::uint32_t Residency::source_of(ValueId value) const {
  for (std::uint32_t memory = 0; memory < memories_; ++memory)
    if (copy(value, memory).current) return memory;
  return none;
}

Residency::Users& Residency::users_of(ValueId value, std::uint32_t memory) {
  const std::uint32_t array = work_.values()[value].array;
  return array != none ? array_users_[array * memories_ + memory] : copy(value, memory).users;
}

std::optional<Residency::Users> Residency::give_place(ValueId value, std::uint32_t memory,
                                                      std::uint32_t queue, const Users& known) {
  Copy& mine = copy(value, memory);
  if (mine.place.kind != Place::Kind::absent) return users_of(value, memory);
  const Value& entry = work_.values()[value];
  Place place{Place::Kind::absent, memory, 0, 0, 0, entry.bytes};
  if (entry.array != none) {
    place.kind = Place::Kind::array;
    place.index = entry.array;
    mine.place = place;
    return users_of(value, memory);
  }
  if (home_[value] != none && memory == 0) {
    place.kind = Place::Kind::result;
    place.index = home_[value];
    mine.place = place;
    return Users();
  }
  auto& chunks = arenas_[memory];
  if (memory == 0) {
    // Of the host's memory each queue has bytes of its own: devices that share it would else wait
    // for one another's bytes all the time.
    while (chunks.size() <= queue) chunks.emplace_back(limit_[0], alignment_[0]);
    Arena& arena = chunks[queue];
    auto block = arena.take(entry.bytes, known, 2 * (arena.peak() + entry.bytes));
    if (!block) return std::nullopt;
    keep_place(value, {Place::Kind::arena, 0, queue, 0, block->offset, entry.bytes});
    return std::move(block->after);
  }
  std::size_t taken = 0;
  for (const Arena& chunk : chunks) taken += chunk.size();
  for (std::uint32_t chunk = 0; chunk <= chunks.size(); ++chunk) {
    if (chunk == chunks.size()) {
      if (taken >= limit_[memory]) return std::nullopt;
      chunks.emplace_back(std::min(chunk_limit_[memory], limit_[memory] - taken),
                          alignment_[memory]);
    }
    const std::size_t others = taken - std::min(taken, chunks[chunk].size());
    const std::size_t roomy = roomy_[memory] - std::min(roomy_[memory], others);
    auto block = chunks[chunk].take(entry.bytes, known, roomy);
    if (!block) {
      // An empty new chunk that is too small has no use.
      if (chunks[chunk].size() == 0) {
        chunks.pop_back();
        return std::nullopt;
      }
      continue;
    }
    keep_place(value, {Place::Kind::arena, memory, chunk, 0, block->offset, entry.bytes});
    return std::move(block->after);
  }
  return std::nullopt;
}

/// Bytes of an arena that a value got.
void Residency::keep_place(ValueId value, const Place& place) {
  copy(value, place.memory).place = place;
  copy(value, place.memory).users.clear();
  residents_[place.memory].push_back(value);
}

void Residency::leave(ValueId value, std::uint32_t memory) {
  auto& residents = residents_[memory];
  const auto found = std::find(residents.rbegin(), residents.rend(), value);
  if (found != residents.rend()) {
    *found = residents.back();
    residents.pop_back();
  }
}

Residency::Users Residency::take_over(ValueId value, std::uint32_t memory) {
  const ValueId base = work_.values()[value].base;
  Copy& from = copy(base, memory);
  Copy& to = copy(value, memory);
  to.place = from.place;
  Users before = users_of(base, memory);
  if (from.place.kind == Place::Kind::arena) {
    leave(base, memory);
    residents_[memory].push_back(value);
  }
  from = {};
  return before;
}

Residency::Users Residency::share(ValueId value, std::uint32_t memory) {
  const ValueId base = work_.values()[value].base;
  copy(value, memory).place = copy(base, memory).place;
  return users_of(base, memory);
}

void Residency::take_over_shared(ValueId value, std::uint32_t memory) {
  const Users later = users_of(value, memory);
  Users& users = users_of(value, memory);
  users = take_over(value, memory);
  Arena::join(users, later);
}

void Residency::set_current(ValueId value, std::uint32_t memory, std::uint32_t step) {
  Copy& mine = copy(value, memory);
  mine.current = true;
  mine.ready = step;
}

void Residency::note_use(ValueId value, std::uint32_t memory, std::uint32_t queue,
                         std::uint32_t step) {
  Users& users = users_of(value, memory);
  if (users.size() <= queue) users.resize(queue + 1);
  users[queue] = std::max(users[queue], step);
}

void Residency::drop_copy(ValueId value, std::uint32_t memory) {
  Copy& mine = copy(value, memory);
  if (mine.place.kind == Place::Kind::arena) {
    arenas_[memory][mine.place.chunk].free(mine.place.offset, mine.place.bytes,
                                           std::move(mine.users));
    leave(value, memory);
  }
  mine = {};
}

void Residency::drop(ValueId value) {
  for (std::uint32_t memory = 0; memory < memories_; ++memory) drop_copy(value, memory);
}

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
