#include "blas/api/library.hpp"

#include <algorithm>
#include <new>

#include "base/clock.hpp"
#include "base/lifetime.hpp"
#include "blas/api/entry.hpp"
#include "blas/call/recorded_call.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/matrix_unit_generator.hpp"
#include "blas/generator/template_generator.hpp"
#include "blas/kdb_records/kdb_records.hpp"
#include "blas/routines/routines.hpp"
#include "blas/sequence/sequence_builder.hpp"
#include "device/opencl.hpp"
#include "device/queue_handle.hpp"
#include "kernel/traits/driver_findings.hpp"

namespace kiln::blas {

// ---- Sequences that no call is using
std::unique_ptr<SolutionSequence> SequenceCache::take(const Shape& shape) {
  const std::uint64_t hash = shape.hash();
  for (auto& place : set_of(hash)) {
    if (place.hash.load(std::memory_order_relaxed) != hash) continue;
    std::unique_ptr<SolutionSequence> found(
        place.sequence.exchange(nullptr, std::memory_order_acquire));
    if (found && found->shape() == shape) return found;
    if (found) put(std::move(found));
  }
  return nullptr;
}

void SequenceCache::put(std::unique_ptr<SolutionSequence> sequence) {
  const std::uint64_t hash = sequence->shape().hash();
  auto& set = set_of(hash);
  SolutionSequence* ours = sequence.release();
  for (auto& place : set) {
    SolutionSequence* none = nullptr;
    if (place.sequence.compare_exchange_strong(none, ours, std::memory_order_release))
      return place.hash.store(hash, std::memory_order_relaxed);
  }
  // Full: one after another has to go.
  auto& place = set[victim_.fetch_add(1, std::memory_order_relaxed) % ways];
  delete place.sequence.exchange(ours, std::memory_order_acq_rel);
  place.hash.store(hash, std::memory_order_relaxed);
}

void SequenceCache::clear() {
  for (auto& set : all_)
    for (auto& place : set) delete place.sequence.exchange(nullptr, std::memory_order_acquire);
}

// ---- The library
namespace {

// Calls of one shape on several queues, or on one out of order, run at the same time, each with
// workspace of its own, up to this many; and as long as all of it is no more bytes than this.
constexpr std::size_t most_pending = 4;
constexpr std::size_t most_workspace_beside = std::size_t{256} << 20;

// OpenCL does not tell when a caller is done with a context, which stays alive, with a megabyte of
// programs and workspace, for as long as it is known here. A process that makes one after another
// is bounded by this; those that still need theirs build again.
constexpr std::size_t most_contexts = 32;

bool all_have_doubles(std::span<const cl_command_queue> queues) {
  return std::all_of(queues.begin(), queues.end(), [](cl_command_queue queue) {
    cl_device_fp_config doubles = 0;
    return ::clGetDeviceInfo(queue_fact<cl_device_id>(queue, CL_QUEUE_DEVICE),
                             CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles,
                             nullptr) == CL_SUCCESS &&
           doubles != 0;
  });
}

}  // namespace

Library::Library(Resolver& resolver, std::string gemm_form)
    : resolver_(resolver), gemm_form_(std::move(gemm_form)) {
  for (auto& generator : template_generators()) resolver.add(std::move(generator));
  resolver.add(std::make_unique<GemmGenerator>());
  resolver.add(std::make_unique<MatrixUnitGenerator>());
  if (auto records = kdb_records_of_environment()) resolver.mount(std::move(records));
}

namespace {
std::atomic<bool> was_used = false;
}

Library& Library::process() {
  // At a process's end the driver may be gone before us.
  static NeverDestroyed<Library> library(Resolver::process());
  if (!was_used.load(std::memory_order_relaxed)) was_used = true;
  return *library;
}

Library& Library::of(Runtime::State& runtime) {
  return runtime.has_own_resolver() ? runtime.front_end<Library>() : process();
}

Status Library::run(const Call& call, const Execution& execution) {
  refuse_after_fork();
  if (const Status status = validate(call, execution); status != Status::success) return status;
  for (const auto& queue : execution.queues)
    if (is_marked_otherwise(queue)) return Status::invalid_queue;
  const Shape shape = shape_of(call, execution);
  auto sequence = take(shape, execution);
  if (!sequence) {
    if (const Status status = check_queues(call, execution); status != Status::success)
      return status;
    sequence = build(call, execution, shape);
  }
  sequence->run(call, execution);
  sequences_.put(std::move(sequence));
  return Status::success;
}

std::unique_ptr<SolutionSequence> Library::take(const Shape& shape, const Execution& execution) {
  using LastRun = SolutionSequence::LastRun;
  std::array<std::unique_ptr<SolutionSequence>, most_pending> pending;
  std::size_t count = 0;
  std::unique_ptr<SolutionSequence> found;
  while (!found && count < most_pending) {
    auto sequence = sequences_.take(shape);
    if (!sequence) break;
    const LastRun last = sequence->last_run(execution.queues);
    if (last == LastRun::ready)
      found = std::move(sequence);
    else if (last == LastRun::pending)
      pending[count++] = std::move(sequence);
  }
  const bool must_wait =
      count == most_pending ||
      (count > 0 && pending[0]->workspace_bytes() > most_workspace_beside / most_pending);
  if (!found && must_wait) found = std::move(pending[0]);
  for (auto& other : pending)
    if (other) sequences_.put(std::move(other));
  return found;
}

Status Library::check_queues(const Call& call, const Execution& execution) {
  if (!std::all_of(execution.queues.begin(), execution.queues.end(), is_queue))
    return Status::invalid_queue;
  return !is_double(call.precision) || all_have_doubles(execution.queues) ? Status::success
                                                                          : Status::invalid_device;
}

std::unique_ptr<SolutionSequence> Library::build(const Call& call, const Execution& execution,
                                                 const GivenParameters* given) {
  refuse_after_fork();
  return build(call, execution, shape_of(call, execution), given);
}

std::unique_ptr<SolutionSequence> Library::build(const Call& call, const Execution& execution,
                                                 const Shape& shape, const GivenParameters* given) {
  const auto start = now_ns();
  const ContextPtr context = context_of(shape.context);
  std::vector<DevicePtr> devices;
  for (const auto& queue : execution.queues.first(shape.queues))
    devices.push_back(Queue::adopt(queue, context).device());
  for (const auto& device : devices) pin_workers_as_found(resolver_.findings(), *context, device);
  CallCounter* const counter = counter_of(call, devices);
  SequenceBuilder builder(call, context, std::move(devices), resolver_, gemm_form_, given);
  builder.use(set_parameters_);
  add_steps(builder);
  auto sequence = std::make_unique<SolutionSequence>(shape, builder.take());
  sequence->count_in(counter);
  if (counter != nullptr) counter->add_prepare(now_ns() - start);
  return sequence;
}

ContextPtr Library::context_of(cl_context context) {
  std::map<cl_context, ContextPtr> gone;  // goes outside the lock: this may end contexts
  const std::lock_guard lock(contexts_mutex_);
  if (const auto known = contexts_.find(context); known != contexts_.end()) return known->second;
  if (contexts_.size() >= most_contexts) {
    sequences_.clear();
    gone.swap(contexts_);
  }
  return contexts_[context] = Context::adopt(context);
}

Shape Library::shape_of(const Call& call, const Execution& execution) {
  const std::size_t count = std::min(execution.queues.size(), most_queues);
  std::array<cl_device_id, most_queues> devices{};
  for (std::size_t queue = 0; queue < count; ++queue)
    devices[queue] = queue_fact<cl_device_id>(execution.queues[queue], CL_QUEUE_DEVICE);
  return {call, queue_fact<cl_context>(execution.queues[0], CL_QUEUE_CONTEXT), devices.data(),
          count};
}

void Library::clear() {
  sequences_.clear();
  std::map<cl_context, ContextPtr> gone;  // goes outside the lock: this may end contexts
  const std::lock_guard lock(contexts_mutex_);
  gone.swap(contexts_);
}

// ---- The library of this process, and the way from libclBLAS.so into it (entry.hpp)
int status_of_failure() noexcept {
  try {
    throw;
  } catch (const ClError& error) {
    return error.status();
  } catch (const cl::Error& error) {
    return error.err();
  } catch (const Error& error) {
    switch (error.code()) {
      case Errc::build:
        return CL_BUILD_PROGRAM_FAILURE;
      case Errc::unsupported:
        return static_cast<int>(Status::not_implemented);
      default:
        return CL_OUT_OF_RESOURCES;
    }
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  } catch (...) {
    return CL_OUT_OF_RESOURCES;
  }
}

Status run_in(Library& library, const Call& call, const Execution& execution) {
  Execution aside = execution;
  NewEvents made(aside);
  const Status status = library.run(call, aside);
  if (status == Status::success) made.hand_over();
  return status;
}

}  // namespace kiln::blas

int kiln_blas_run(const kiln::blas::Call& call, const kiln::blas::Execution& execution) noexcept {
  try {
    return static_cast<int>(kiln::blas::run_in(kiln::blas::Library::process(), call, execution));
  } catch (...) {
    return kiln::blas::status_of_failure();
  }
}

void kiln_blas_forget() noexcept {
  // A library that was never used is not made in order to forget.
  if (kiln::blas::was_used) kiln::blas::Library::process().clear();
}

void kiln_blas_set_parameters(cl_device_id device, const std::string& family,
                              kiln::blas::Precision precision,
                              const kiln::blas::NamedValues& values) noexcept {
  try {
    kiln::Parameters parameters;
    for (const auto& [name, value] : values) parameters.set(name, value);
    kiln::blas::Library& library = kiln::blas::Library::process();
    library.set_parameters().set(device, family, precision, std::move(parameters));
    library.clear();
  } catch (...) {  // there is no memory: what was set before stays
  }
}

bool kiln_is_queue(cl_command_queue queue) noexcept {
  try {
    return kiln::is_queue(queue);
  } catch (...) {
    return false;
  }
}
