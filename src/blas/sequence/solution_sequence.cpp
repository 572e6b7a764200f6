#include "blas/sequence/solution_sequence.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/clock.hpp"

namespace kiln::blas {

// ---- Shapes
static_assert(std::has_unique_object_representations_v<Shape>);

Shape::Shape(const Call& call, cl_context in_context, const cl_device_id* on, std::size_t count)
    : routine(static_cast<std::uint8_t>(call.routine)),
      precision(static_cast<std::uint8_t>(call.precision)),
      order(static_cast<std::uint8_t>(call.order)),
      side(static_cast<std::uint8_t>(call.side)),
      uplo(static_cast<std::uint8_t>(call.uplo)),
      trans_a(static_cast<std::uint8_t>(call.trans_a)),
      trans_b(static_cast<std::uint8_t>(call.trans_b)),
      diag(static_cast<std::uint8_t>(call.diag)),
      real_alpha(call.real_alpha ? 1 : 0),
      alpha_is_zero(call.alpha == Scalar(0) ? 1 : 0),
      alpha_is_one(call.alpha == Scalar(1) ? 1 : 0),
      queues(static_cast<std::uint8_t>(std::min(count, most_queues))),
      bias(static_cast<std::uint8_t>(call.epilogue.bias)),
      scale(static_cast<std::uint8_t>(call.epilogue.scale)),
      activation(static_cast<std::uint8_t>(call.epilogue.activation)),
      residual(call.epilogue.residual ? 1 : 0),
      stored{},
      first_index(finds_place(call.routine) ? call.first_index : 0),
      invariant(call.invariant ? 1 : 0),
      emulated(call.emulated ? 1 : 0),
      by_items(call.by_items ? 1 : 0),
      unused{},
      m(call.m),
      n(call.n),
      k(call.k),
      kl(call.kl),
      ku(call.ku),
      batch(call.batch),
      group_a(call.group_a),
      group_b(call.group_b),
      window{},
      strides{},
      batch_strides{},
      context(in_context),
      devices{} {
  for (const Use& use : Uses(call)) {
    const auto slot = static_cast<std::size_t>(use.slot);
    strides[slot] = call[use.slot].stride;
    stored[slot] = static_cast<std::uint8_t>(call[use.slot].stored);
    batch_strides[slot] = call[use.slot].batch_stride;
  }
  if (is_windowed(call.routine)) {
    const Window& w = call.window;
    window = {w.channels, w.height,   w.width,    w.kernel_h,   w.kernel_w,   w.pad_h,
              w.pad_w,    w.stride_h, w.stride_w, w.dilation_h, w.dilation_w, w.flipped ? 1u : 0u};
  }
  std::copy_n(on, queues, devices.begin());
}

bool Shape::operator==(const Shape& other) const {
  return std::memcmp(this, &other, sizeof *this) == 0;
}

std::uint64_t Shape::hash() const { return XXH3_64bits(this, sizeof *this); }

// ---- Runs
namespace {

bool has_property(cl_command_queue queue, cl_command_queue_properties property) {
  return (queue_fact<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES) & property) != 0;
}
bool runs_out_of_order(cl_command_queue queue) {
  return has_property(queue, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

void release(std::vector<cl_event>& events) {
  for (auto& event : events)
    if (event != nullptr) ::clReleaseEvent(std::exchange(event, nullptr));
}

/// CL_COMPLETE; more while a command has not ended, less where it failed.
cl_int state_of(cl_event event) {
  cl_int state = CL_COMPLETE;
  const cl_int status =
      ::clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  return status == CL_SUCCESS ? state : status;
}

}  // namespace

/// What the steps of one run share.
struct SolutionSequence::Run {
  Run(const Call& of, const Execution& how)
      : call(of),
        execution(how),
        alpha(of.alpha, of.real_alpha ? real_of(of.precision) : of.precision),
        conjugate_alpha(std::conj(of.alpha), of.precision),
        beta(of.beta, of.precision) {
    last.fill(none);
  }
  const ScalarBytes& scalar(Varying::What what) const {
    return what == Varying::What::alpha  ? alpha
           : what == Varying::What::beta ? beta
                                         : conjugate_alpha;
  }
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  const Call& call;
  const Execution& execution;
  ScalarBytes alpha, conjugate_alpha, beta;
  std::array<bool, most_queues> unordered{};
  std::array<std::size_t, most_queues> last;  ///< each queue's step so far
};

SolutionSequence::SolutionSequence(const Shape& shape, Parts parts)
    : shape_(shape), parts_(std::move(parts)), events_(parts_.steps.size(), nullptr) {
  for (const auto& buffer : parts_.workspace) workspace_bytes_ += buffer.getInfo<CL_MEM_SIZE>();
  waits_.reserve(parts_.steps.size() + 8);
  std::array<bool, most_queues> seen{};
  for (auto step = parts_.steps.rbegin(); step != parts_.steps.rend(); ++step)
    step->ends_queue = !std::exchange(seen[step->queue], true);
  for (const auto& step : parts_.steps)
    most_items_ = std::max(most_items_, step.end_item - step.first_item);
}

SolutionSequence::~SolutionSequence() {
  if (counter_ != nullptr) sample_.read(*counter_);
  release(events_);
}

void SolutionSequence::run(const Call& call, const Execution& execution) {
  if (counter_ == nullptr) return enqueue_all(call, execution);
  const auto start = now_ns();
  sample_.read(*counter_);
  // The events of a batch's items take one another's places: its first one is gone at the end.
  sample_.begin(shape_.queues == 1 && most_items_ == 1 ? execution.queues[0] : nullptr);
  enqueue_all(call, execution);
  counter_->add_call(now_ns() - start);
}

void SolutionSequence::enqueue_all(const Call& call, const Execution& execution) {
  Run run(call, execution);
  for (std::size_t queue = 0; queue < shape_.queues; ++queue)
    run.unordered[queue] = runs_out_of_order(execution.queues[queue]);
  try {
    enqueue_items(run);
    finish(run);
  } catch (...) {
    release(events_);
    throw;
  }
}

SolutionSequence::LastRun SolutionSequence::last_run(
    std::span<const cl_command_queue> queues) const {
  if (queues[0] == busy_queue_) return LastRun::ready;
  LastRun last = LastRun::ready;
  for (const auto& event : busy_) {
    const cl_int state = state_of(event());
    if (state < CL_COMPLETE) return LastRun::failed;
    if (state > CL_COMPLETE) last = LastRun::pending;
  }
  return last;
}

void SolutionSequence::enqueue_only(std::span<const cl_command_queue> queues) {
  for (auto& step : parts_.steps) step.launch.enqueue(queues[step.queue]);
}

void SolutionSequence::enqueue_items(Run& run) {
  // Item by item on all queues in turn, so that none waits for the host to be done with another.
  for (std::size_t item = 0; item < most_items_; ++item)
    for (std::size_t index = 0; index < parts_.steps.size(); ++index) {
      const Step& step = parts_.steps[index];
      if (step.first_item + item < step.end_item) enqueue(run, index, step.first_item + item);
    }
}

void SolutionSequence::set_varying(const Run& run, Step& step, std::size_t item) {
  for (const auto& varying : step.varying) {
    const Operand& operand = run.call[varying.slot];
    switch (varying.what) {
      case Varying::What::memory:
        step.launch.set_memory(varying.position, operand.memory);
        break;
      case Varying::What::offset:
        step.launch.set_scalar(varying.position,
                               static_cast<std::int64_t>(operand.offset) + varying.add +
                                   static_cast<std::int64_t>(item) * operand.batch_stride);
        break;
      default:
        step.launch.set_scalar(varying.position, run.scalar(varying.what).view());
    }
  }
}

void SolutionSequence::enqueue(Run& run, std::size_t index, std::size_t item) {
  Step& step = parts_.steps[index];
  set_varying(run, step, item);
  collect_waits(run, step);
  const bool ends = step.ends_queue && item + 1 == step.end_item;
  const bool noted = step.awaited || run.unordered[step.queue] || !run.execution.after.empty() ||
                     (ends && (run.execution.events != nullptr || workspace_bytes_ > 0)) ||
                     (sample_.is_wanted() && (index == 0 || step.ends_queue));
  cl_event done = nullptr;
  step.launch.enqueue(run.execution.queues[step.queue], waits_, noted ? &done : nullptr);
  // The item before's, which what is enqueued now waits for where it has to.
  if (cl_event before = std::exchange(events_[index], done); before != nullptr) {
    if (!run.execution.after.empty()) waiting_.emplace_back(before, true);
    ::clReleaseEvent(before);
  }
  run.last[step.queue] = index;
}

void SolutionSequence::collect_waits(const Run& run, const Step& step) {
  waits_.clear();
  const std::size_t last = run.last[step.queue];
  if (last == Run::none) {
    waits_.assign(run.execution.after.begin(), run.execution.after.end());
    if (run.unordered[step.queue] || run.execution.queues[step.queue] != busy_queue_)
      for (const auto& event : busy_) waits_.push_back(event());
  } else if (run.unordered[step.queue]) {
    waits_.push_back(events_[last]);
  }
  for (const auto before : step.after) waits_.push_back(events_[before]);
}

void SolutionSequence::finish(Run& run) {
  if (parts_.steps.empty()) {
    // Nothing to compute, and still something that can be waited for.
    check_cl(::clEnqueueMarkerWithWaitList(
                 run.execution.queues[0], static_cast<cl_uint>(run.execution.after.size()),
                 run.execution.after.empty() ? nullptr : run.execution.after.data(),
                 run.execution.events),
             "clEnqueueMarkerWithWaitList");
    return;
  }
  if (sample_.is_wanted()) sample_.take(events_.front(), events_.back());
  busy_.clear();
  busy_queue_ = shape_.queues == 1 && !run.unordered[0] ? run.execution.queues[0] : nullptr;
  for (std::size_t queue = 0; queue < shape_.queues; ++queue) {
    const std::size_t last = run.last[queue];
    if (last == Run::none || events_[last] == nullptr) continue;
    if (workspace_bytes_ > 0) busy_.emplace_back(events_[last], true);
    if (run.execution.events != nullptr)
      run.execution.events[queue] = std::exchange(events_[last], nullptr);
  }
  if (!run.execution.after.empty() || !waiting_.empty()) hold(run.execution);
  release(events_);
}

void SolutionSequence::hold(const Execution& execution) {
  std::erase_if(waiting_, [](const cl::Event& event) { return state_of(event()) <= CL_COMPLETE; });
  if (execution.after.empty()) return;
  for (auto& event : events_)
    if (event != nullptr) waiting_.emplace_back(std::exchange(event, nullptr));
}

// ---- Samples of the time that runs take
namespace {

/// The first runs, and then ever fewer: a time that drifts shows, and a million runs cost nothing.
bool is_due(std::uint64_t run) { return run < 8 || std::has_single_bit(run); }

}  // namespace

void RunSample::begin(cl_command_queue queue) {
  wanted_ = is_due(runs_++) && last_() == nullptr && queue != nullptr &&
            has_property(queue, CL_QUEUE_PROFILING_ENABLE) && !runs_out_of_order(queue);
}

void RunSample::take(cl_event first, cl_event last) {
  wanted_ = false;
  if (first == nullptr || last == nullptr) return;
  first_ = cl::Event(first, true);
  last_ = cl::Event(last, true);
}

void RunSample::read(CallCounter& counter) {
  if (last_() == nullptr) return;
  const cl_int state = state_of(last_());
  if (state > CL_COMPLETE) return;
  cl_ulong start = 0, end = 0;
  if (state == CL_COMPLETE &&
      ::clGetEventProfilingInfo(first_(), CL_PROFILING_COMMAND_START, sizeof start, &start,
                                nullptr) == CL_SUCCESS &&
      ::clGetEventProfilingInfo(last_(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) ==
          CL_SUCCESS &&
      end > start)
    counter.add_timed(static_cast<std::int64_t>(end - start));
  first_ = last_ = cl::Event();
}

}  // namespace kiln::blas
