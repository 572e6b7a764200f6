// A loop ready to run, and its runs. Its making is in loop_maker.cpp.
#include "mesh/loop/made_loop.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mesh/loop/arguments.hpp"

namespace kiln::mesh {

LoopCut::LoopCut(const Parameters& parameters, unsigned units)
    : form(form_of(parameters)), compute_units(units) {
  const auto number = [&](const char* name) {
    return static_cast<std::size_t>(std::max<std::int64_t>(parameters.get(name, 1), 1));
  };
  block = number("BLOCK");
  group = form == Form::blocks ? 1 : number("GROUP");
}

std::size_t LoopCut::groups_for(std::size_t elements) const {
  if (in_blocks()) return (elements + block - 1) / block;
  return std::clamp<std::size_t>((elements + group - 1) / group, 1, most_groups(compute_units));
}

NDRange LoopCut::range_of(std::size_t groups, std::size_t group) {
  NDRange range;
  range.local[0] = group;
  range.global[0] = groups * group;
  return range;
}

std::string LoopCut::text(std::size_t colours) const {
  static constexpr const char* names[] = {"blocks", "atomic", "coloured", "staged"};
  std::string text = names[static_cast<int>(form)];
  if (in_blocks()) text += fmt::format(" of {}", block);
  if (colours > 0) text += fmt::format(" in {} colour{}", colours, colours == 1 ? "" : "s");
  return text;
}

void MadeLoop::note_data(const LoopShape& shape, const LoopOver& over,
                         std::span<const Arg> arguments) {
  for (const Arg& arg : arguments) {
    Residence& data = data_of(arg);
    if (arg.kind == Arg::Kind::dat) note_halo(dat_of(arg), shape, arg);
    if (arg.kind == Arg::Kind::global && is_extremum(arg)) extrema_.push_back(&global_of(arg));
    if (arg.kind == Arg::Kind::mat) {
      add_once(inputs_, &sparsity_of(arg).rowptr());
      add_once(inputs_, &sparsity_of(arg).colidx());
    }
    add_once(inputs_, &data);
    if (arg.access != Access::read) add_once(outputs_, &data);
    for (MapState* map : {arg.map, arg.column_map}) {
      if (map == nullptr) continue;
      add_once(inputs_, &map->values);
      if (shape.extruded) add_once(inputs_, &*map->device_offsets);
    }
  }
  if (over.subset != nullptr) add_once(inputs_, &over.subset->device);
}

/// Halo elements are read through Maps; directly where they are computed redundantly.
void MadeLoop::note_halo(DatState& dat, const LoopShape& shape, const Arg& arg) {
  if (!dat.has_halo()) return;
  const bool reads = arg.access == Access::read || arg.access == Access::rw;
  const bool reaches = arg.map != nullptr || needs_exec_halo(shape);
  if (reads && reaches && Handles::state(dat.on.set())->exchange) add_once(halo_reads_, &dat);
  if (arg.access != Access::read) add_once(halo_writes_, &dat);
}

void MadeLoop::set_constants() {
  for (auto& constant : constants_) {
    if (constant.seen == constant.state->version) continue;
    Residence& data = constant.state->data;
    if (constant.state->dim == 1) {
      const ByteView value{data.initial().data(), data.bytes()};
      for (std::size_t i = 0; i < loop_launches_; ++i)
        launches_[i].set_scalar(constant.position, value);
      if (joined_) joined_->set_scalar(constant.position, value);
    }
    constant.seen = constant.state->version;
  }
}

bool MadeLoop::begin_exchanges(const Queue& queue) {
  bool any = false;
  for (DatState* dat : halo_reads_) {
    if (!dat->is_halo_stale) continue;
    dat->begin_exchange(queue);
    any = true;
  }
  return any;
}

void MadeLoop::end_exchanges(const Queue& queue) {
  for (DatState* dat : halo_reads_)
    if (dat->is_halo_stale) dat->end_exchange(queue);
}

void MadeLoop::refresh_halos(const Queue& queue) {
  if (parts_->exchange) parts_->exchange->refresh(queue);
  if (begin_exchanges(queue)) end_exchanges(queue);
}

void MadeLoop::bring_inputs(const Queue& queue) {
  for (Residence* input : inputs_) input->on_device(queue);
  set_constants();
}

void MadeLoop::launch(const Queue& queue, bool is_timed, std::size_t begin, std::size_t end,
                      const char* half) {
  if (!is_timed) return enqueue(queue, begin, end);
  for (std::size_t i = begin; i < end; ++i)
    times_.enqueue(launches_[i], queue, LaunchTimes::part(i - begin, end - begin), half);
}

void MadeLoop::launch_all(const Queue& queue, bool is_timed) {
  if (!joined_) return launch(queue, is_timed, 0, launches_.size());
  if (is_timed)
    times_.enqueue(*joined_, queue, LaunchTimes::Part::only);
  else
    joined_->enqueue(queue.cl()());
}

/// Others wait for elements behind the core: these come first, so that they travel while the core
/// is computed.
void MadeLoop::launch_ahead_of(LoopParts& next, const Queue& queue, bool is_timed) {
  std::optional<std::size_t> first;
  for (const DatState* dat : halo_writes_)
    if (const auto sent = next.exchange->first_sent(*dat))
      first = std::min(first.value_or(*sent), *sent);
  if (!first) {
    next.exchange->begin_early(queue, next.exchange_goes);
    launch_all(queue, is_timed);
  } else if (!joined_ || !parts_->writes_own || *first < parts_->core) {
    return launch_all(queue, is_timed);
  } else {
    launch(queue, is_timed, core_launches_, launches_.size(), " (rest)");
    note_changes();
    next.exchange->begin_early(queue, next.exchange_goes);
    launch(queue, is_timed, 0, core_launches_, " (core)");
  }
  next.exchange->depart(queue);
}

void MadeLoop::note_changes() {
  for (Residence* output : outputs_) output->device_writes();
  for (DatState* dat : halo_writes_) dat->halo_changed();
  for (GlobalState* global : extrema_) global->is_extremum = true;
}

/// What other parts' shares of its Globals, and elements that are stale, are to a loop.
void MadeLoop::prepare_parts() {
  LoopParts& parts = *parts_;
  for (const auto& [global, access] : parts.globals)
    if (access == Access::read && global->share != GlobalState::Share::whole)
      parts.all->shares.bring_together();
  for (const auto& [global, access] : parts.globals)
    if (access != Access::read) parts.all->shares.begin(*global, access);
  for (DatState* dat : parts.checked_reads)
    if (!parts.exchange || !parts.exchange->is_bringing(*dat)) poison(*dat);
}

void MadeLoop::run(const Queue& queue, bool is_timed, LoopParts* next) {
  Exchange* const own = parts_->exchange.get();
  if (next != nullptr && !(next->exchange && next->exchange->begins_early())) next = nullptr;
  const GiveUpOnFailure on_failure(own, next != nullptr ? next->exchange.get() : nullptr);
  if (parts_->is_distributed) prepare_parts();
  Exchange* const exchange =
      own != nullptr && own->begin(queue, parts_->exchange_goes) ? own : nullptr;
  try {
    const bool exchanges = (!halo_reads_.empty() && begin_exchanges(queue)) || exchange != nullptr;
    bring_inputs(queue);
    if (exchanges) {
      launch(queue, is_timed, 0, core_launches_, " (core)");
      if (core_launches_ > 0) check_cl(::clFlush(queue.cl()()), "clFlush");
      if (exchange != nullptr) exchange->send(queue);
      end_exchanges(queue);
      if (exchange != nullptr) exchange->finish(queue);
      launch(queue, is_timed, core_launches_, launches_.size(), " (rest)");
    } else if (next != nullptr) {
      launch_ahead_of(*next, queue, is_timed);
    } else {
      launch_all(queue, is_timed);
    }
  } catch (...) {
    // Some may be on their way. Where none is, the device's copies are as good as the host's.
    note_changes();
    throw;
  }
  note_changes();
}

void MadeLoop::launch(const Queue& queue, bool is_timed) {
  try {
    launch(queue, is_timed, 0, launches_.size());
  } catch (...) {
    note_changes();
    throw;
  }
  note_changes();
}

void MadeLoop::try_out(const Queue& queue, bool is_timed) {
  bring_inputs(queue);
  for (Residence* output : outputs_) output->device_writes();
  if (parts_->exchange)
    launch(queue, is_timed, 0, launches_.size());
  else
    launch_all(queue, is_timed);
}

}  // namespace kiln::mesh
