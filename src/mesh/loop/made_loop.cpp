#include "mesh/loop/made_loop.hpp"

#include "mesh/object/halo.hpp"

namespace kiln::mesh {

void MadeLoop::set_constants() {
  for (auto& constant : constants_) {
    if (constant.seen == constant.state->version) continue;
    const auto& data = constant.state->data;
    if (constant.state->dim == 1) {
      const ByteView value{const_cast<Residence&>(data).initial().data(), data.bytes()};
      for (std::size_t i = 0; i < loop_launches_; ++i)
        launches_[i].set_scalar(constant.position, value);
    }
    constant.seen = constant.state->version;
  }
}

bool MadeLoop::begin_exchanges(const Queue& queue) {
  bool any = false;
  for (DatState* dat : halo_reads_) {
    if (!dat->is_halo_stale) continue;
    begin_exchange(*dat, queue);
    any = true;
  }
  return any;
}

void MadeLoop::end_exchanges(const Queue& queue) {
  for (DatState* dat : halo_reads_)
    if (dat->is_halo_stale) end_exchange(*dat, queue);
}

/// With the times of the first and the last launch of all.
void MadeLoop::enqueue_timed(const Queue& queue, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const bool is_first = i == 0, is_last = i + 1 == launches_.size();
    if (is_first) timed_.emplace_back();
    cl_event event = nullptr;
    launches_[i].enqueue(queue.cl()(), {}, is_first || is_last ? &event : nullptr);
    if (is_first) timed_.back().first = cl::Event(event, is_last);
    if (is_last) timed_.back().last = cl::Event(event);
  }
}

void MadeLoop::run(const Queue& queue, bool is_timed) {
  const bool exchanges = !halo_reads_.empty() && begin_exchanges(queue);
  for (Residence* input : inputs_) input->on_device(queue);
  set_constants();
  const auto some = [&](std::size_t begin, std::size_t end) {
    is_timed ? enqueue_timed(queue, begin, end) : enqueue(queue, begin, end);
  };
  std::size_t done = 0;
  if (exchanges) {
    some(0, done = core_launches_);
    if (done > 0) check_cl(::clFlush(queue.cl()()), "clFlush");
    end_exchanges(queue);
  }
  some(done, launches_.size());
  // A driver keeps much for an event.
  constexpr std::size_t most_events = 1024;
  if (timed_.size() >= most_events) collect(false);
  for (Residence* output : outputs_) output->device_writes();
  for (DatState* dat : halo_writes_) dat->is_halo_stale = true;
  for (GlobalState* global : extrema_) global->is_extremum = true;
}

/// Adds up the times of runs: of all, or of the older half, which are done or soon will be.
void MadeLoop::collect(bool all) {
  const std::size_t count = all ? timed_.size() : timed_.size() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const cl_event last = timed_[i].last(), first = timed_[i].first();
    check_cl(::clWaitForEvents(1, &last), "clWaitForEvents");
    cl_ulong start = 0, end = 0;
    check_cl(
        ::clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
        "clGetEventProfilingInfo");
    check_cl(::clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
             "clGetEventProfilingInfo");
    seconds_ += 1e-9 * static_cast<double>(end - start);
  }
  timed_.erase(timed_.begin(), timed_.begin() + static_cast<std::ptrdiff_t>(count));
}

double MadeLoop::seconds() {
  collect(true);
  return seconds_;
}
void MadeLoop::clear_seconds() {
  collect(true);
  seconds_ = 0;
}

}  // namespace kiln::mesh
