#include "schedule/graph_steps/step_values.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::graph {

void StepValues::bring(Task task, ValueId value, std::uint32_t memory, std::uint32_t queue) {
  if (residency_.is_current(value, memory)) return;
  if (memory != 0 && !residency_.is_current(value, 0)) bring(task, value, 0);
  const bool up = memory != 0;
  const Direction direction = up ? Direction::to_device : Direction::to_host;
  const std::uint32_t device_memory = up ? memory : residency_.source_of(value);
  if (queue == none) queue = queue_of_transfer(device_memory, direction);
  Users after = place(task, value, memory, queue);
  join_ready(after, value, up ? 0 : device_memory);
  const ByteRange all{0, work_.values()[value].bytes};
  const std::uint32_t step =
      transfer(value, device_memory, direction, all, queue, std::move(after));
  residency_.set_current(value, memory, step);
}

std::uint32_t StepValues::transfer(ValueId value, std::uint32_t device_memory, Direction direction,
                                   const ByteRange& bytes, std::uint32_t queue, Users after) {
  Step step;
  const bool up = direction == Direction::to_device;
  step.kind = up ? Step::Kind::upload : Step::Kind::download;
  step.queue = queue;
  step.value = value;
  step.bytes = bytes.size();
  step.first_byte = bytes.begin;
  const std::uint32_t device = steps_.queues[step.queue].device;
  step.first_memory = table_.buffer(steps_, residency_.place(value, device_memory), device);
  step.host_memory = table_.host(steps_, residency_.place(value, 0));
  const std::uint32_t number = order_.add(step, std::move(after));
  residency_.note_use(value, 0, step.queue, number);
  residency_.note_use(value, device_memory, step.queue, number);
  (up ? steps_.bytes_up : steps_.bytes_down) += step.bytes;
  return number;
}

void StepValues::join_ready(Users& to, ValueId value, std::uint32_t memory) const {
  order_.join(to, residency_.ready(value, memory));
  if (const auto more = also_ready_.find({value, memory}); more != also_ready_.end())
    Arena::join(to, more->second);
}

StepValues::Users StepValues::place(Task task, ValueId value, std::uint32_t memory,
                                    std::uint32_t queue) {
  for (;;) {
    if (auto users = residency_.give_place(value, memory, queue, order_.known(queue)))
      return *std::move(users);
    if (!put_aside(task, memory))
      throw Error(Errc::device,
                  fmt::format("task {}: its memory does not fit {}", work_.tasks()[task].label,
                              memory == 0 ? "the host" : device_name(memory)));
  }
}

std::string StepValues::device_name(std::uint32_t memory) const {
  for (const auto& entry : devices_.all())
    if (entry.memory == memory) return entry.device->name;
  return "the device";
}

/// Puts the value that is needed last from a memory to the host's. False: there is none.
bool StepValues::put_aside(Task task, std::uint32_t memory) {
  if (memory == 0) return false;
  const auto& entry = work_.tasks()[task];
  ValueId chosen = none;
  std::uint32_t latest = 0;
  for (const ValueId value : residency_.residents(memory)) {
    if (std::ranges::count(entry.reads, value) + std::ranges::count(entry.writes, value) > 0)
      continue;
    std::uint32_t next = none;
    for (const Piece& piece : work_.values()[value].pieces)
      if (position_[piece.producer] > position_[task])
        next = std::min(next, position_[piece.producer]);
    for (const Task reader : work_.values()[value].readers)
      if (position_[reader] > position_[task]) next = std::min(next, position_[reader]);
    if (chosen == none || next > latest || (next == latest && value < chosen)) {
      chosen = value;
      latest = next;
    }
  }
  if (chosen == none) return false;
  if (residency_.source_of(chosen) == memory) bring(task, chosen, 0);
  residency_.drop_copy(chosen, memory);
  return true;
}

void StepValues::move_out(Task task, ValueId value, std::uint32_t memory) {
  if (memory == 0 || work_.values()[value].array != none) return;
  if (!residency_.is_current(value, memory)) return;
  bring(task, value, 0);
  residency_.drop_copy(value, memory);
}

void StepValues::drop(ValueId value) {
  const Value& entry = work_.values()[value];
  if (entry.array == none && entry.input == nullptr) residency_.drop(value);
  // Copies of an input on devices.
  if (entry.input != nullptr)
    for (std::uint32_t memory = 1; memory < devices_.memories(); ++memory)
      residency_.drop_copy(value, memory);
}

}  // namespace kiln::graph
