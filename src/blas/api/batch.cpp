#include "kiln/blas/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "base/lifetime.hpp"
#include "blas/api/entry.hpp"
#include "blas/api/library.hpp"
#include "blas/call/validate.hpp"
#include "device/opencl.hpp"
#include "kernel/runtime.hpp"

// Batches whose items the host knows one by one: tables of places, and calls of any kind.
namespace kiln::blas {
namespace {

/// The queues of some calls, each of which goes to one of them as a whole. Its events are those of
/// the last call of each queue, or, where a queue keeps no order, of a marker behind all of them.
class Spread {
 public:
  explicit Spread(const Execution& execution)
      : execution_(execution),
        ends_(std::min(execution.queues.size(), most_queues)),
        work_(ends_.size(), 0) {}

  /// Enqueues a call; `work` in any unit.
  void enqueue(Library& library, const Call& call, double work) {
    const auto least = std::min_element(work_.begin(), work_.end()) - work_.begin();
    const auto queue = static_cast<std::size_t>(least);
    work_[queue] += work;
    cl::Event done;
    const bool wants = execution_.events != nullptr;
    const Status status = library.run(
        call, {execution_.queues.subspan(queue, 1), execution_.after, wants ? &done() : nullptr});
    throw_refusal(call, status);
    if (!wants) return;
    const auto properties =
        queue_fact<cl_command_queue_properties>(execution_.queues[queue], CL_QUEUE_PROPERTIES);
    if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0) ends_[queue].clear();
    ends_[queue].push_back(std::move(done));
  }

  /// Gives the caller the events.
  void hand_over() {
    if (execution_.events == nullptr) return;
    NewEvents made(execution_);
    for (std::size_t queue = 0; queue < ends_.size(); ++queue) {
      std::vector<cl_event> ends;
      for (const auto& event : ends_[queue]) ends.push_back(event());
      // Of no calls the first queue says when the wait list has come.
      if (ends.empty() && queue == 0)
        ends.assign(execution_.after.begin(), execution_.after.end());
      else if (ends.empty())
        continue;
      check_cl(::clEnqueueMarkerWithWaitList(
                   execution_.queues[queue], static_cast<cl_uint>(ends.size()),
                   ends.empty() ? nullptr : ends.data(), &execution_.events[queue]),
               "clEnqueueMarkerWithWaitList");
    }
    made.hand_over();
  }

 private:
  Execution execution_;
  std::vector<std::vector<cl::Event>> ends_;
  std::vector<double> work_;
};

/// What a call costs, roughly: to share calls out.
double work_of(const Call& call) {
  return is_compute_bound(call.routine) ? operations_of(call) : traffic_of(call);
}

/// The records of a table (Call::by_items).
std::vector<char> table_of(std::span<const BatchItem> items, Precision precision) {
  std::vector<char> table(items.size() * item_bytes(precision));
  char* record = table.data();
  for (const BatchItem& item : items) {
    char* to = record;
    const auto put = [&](const void* from, std::size_t bytes) {
      std::memcpy(to, from, bytes);
      to += bytes;
    };
    for (const Scalar& scalar : {item.alpha, item.beta})
      put(ScalarBytes(scalar, precision).view().data(), size_of(precision));
    for (const std::size_t place : {item.a, item.b, item.c}) put(&place, sizeof(cl_long));
    record += item_bytes(precision);
  }
  return table;
}

/// The same in memory of a queue's context.
cl::Buffer table_on(cl_command_queue queue, std::span<const BatchItem> items, Precision precision) {
  std::vector<char> table = table_of(items, precision);
  try {
    return {cl::Context(queue_fact<cl_context>(queue, CL_QUEUE_CONTEXT), true),
            CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, table.size(), table.data()};
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
}

/// A call of the items of a table.
Call by_table(Call call, std::size_t items, cl_mem table) {
  call.by_items = true;
  call.batch = items;
  // One number of its own for all sequences of tables: a scalar of the call is not read.
  call.alpha = 2;
  call[Slot::items] = {table};
  for (const Slot slot : {Slot::a, Slot::b, Slot::c}) call[slot].batch_stride = 0;
  return call;
}

}  // namespace

// ---- Calls of any kind
namespace {

void run_all(std::span<const Call> calls, Library& library, const Execution& execution) {
  for (std::size_t i = 0; i < calls.size(); ++i) try {
      throw_refusal(calls[i], validate(calls[i], execution));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("call {}: {}", i, error.message()));
    }
  Spread spread(execution);
  for (const Call& call : calls) spread.enqueue(library, call, work_of(call));
  spread.hand_over();
}

}  // namespace

void run(std::span<const Call> calls, std::span<const cl_command_queue> queues,
         std::span<const cl_event> after, std::span<cl_event> events) {
  run_all(calls, Library::process(), execution_of(queues, after, events));
}

Event run(std::span<const Call> calls, const Runtime& runtime, const EnqueueOptions& options) {
  const Queue queue = runtime.state().queue(options.queue);
  const cl_command_queue handle = queue.cl()();
  const std::vector<cl_event> after = handles_of(options.after);
  cl::Event done;
  run_all(calls, Library::of(runtime.state()), execution_of({&handle, 1}, after, {&done(), 1}));
  return Event::adopt(done());
}

// ---- Items at places of their own
struct Batch::State {
  std::shared_ptr<Runtime::State> runtime;  ///< null: programs are of the process's Resolver
  Call call;                                ///< of one item, or of all by a table
  std::vector<BatchItem> items;
  std::vector<cl::CommandQueue> queues;
  std::vector<cl_command_queue> handles;
  cl::Buffer table;

  Library& library() const { return runtime ? Library::of(*runtime) : Library::process(); }
};

namespace {

/// A call of one item.
Call call_of(Call call, const BatchItem& item) {
  call.alpha = item.alpha;
  call.beta = item.beta;
  const auto move = [&](Slot slot, std::size_t by) {
    auto& offset = call[slot].offset;
    if (__builtin_add_overflow(offset, by, &offset)) offset = static_cast<std::size_t>(-1);
  };
  move(Slot::a, item.a);
  move(Slot::b, item.b);
  move(Slot::c, item.c);
  return call;
}

/// Refuses items that reach beyond a buffer: the largest place of each operand says.
void check_items(const Call& call, std::span<const BatchItem> items, const Execution& execution) {
  for (const auto place : {&BatchItem::a, &BatchItem::b, &BatchItem::c}) {
    const auto last = std::max_element(
        items.begin(), items.end(),
        [&](const BatchItem& one, const BatchItem& other) { return one.*place < other.*place; });
    try {
      throw_refusal(call, validate(call_of(call, *last), execution));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("item {}: {}", last - items.begin(), error.message()));
    }
  }
}

}  // namespace

Batch::Batch(const Call& call, std::span<const BatchItem> items,
             std::span<const cl_command_queue> queues)
    : state_(std::make_unique<State>()) {
  prepare(call, items, queues);
}

Batch::Batch(const Call& call, std::span<const BatchItem> items, const Runtime& runtime,
             cl_command_queue queue)
    : state_(std::make_unique<State>()) {
  state_->runtime = runtime.shared_state();
  const Queue chosen = runtime.state().queue(queue);
  const cl_command_queue handle = chosen.cl()();
  prepare(call, items, {&handle, 1});
}

void Batch::prepare(const Call& call, std::span<const BatchItem> items,
                    std::span<const cl_command_queue> queues) {
  const Execution execution = execution_of(queues, {}, {});
  if (call.routine != Routine::gemm || call.batch != 1 || call.by_items)
    throw Error(Errc::bad_input, full_name_of(call) + ": a Batch is of one gemm without a batch");
  if (items.empty()) throw Error(Errc::bad_input, full_name_of(call) + ": a Batch has items");
  check_items(call, items, execution);
  throw_refusal(call, Library::check_queues(call, execution));
  state_->call = call;
  for (auto* queue : queues) state_->queues.emplace_back(queue, true);
  state_->handles.assign(queues.begin(), queues.end());
  state_->items.assign(items.begin(), items.end());
  const bool is_plain = call.epilogue == Epilogue{} && (call.group_a | call.group_b) == 0 &&
                        !call.invariant && !call.emulated && !has_stored(call);
  if (!is_plain || !is_small_product(call.m, call.n, call.k)) return;
  state_->table = table_on(queues[0], items, call.precision);
  state_->call = by_table(call, items.size(), state_->table());
  state_->items.clear();
}

Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

void Batch::run(std::span<const cl_event> after, std::span<cl_event> events) {
  State& state = held(state_, "Batch");
  const Execution execution = execution_of(state.handles, after, events);
  if (state.call.by_items)
    return throw_refusal(state.call, run_in(state.library(), state.call, execution));
  Spread spread(execution);
  for (const BatchItem& item : state.items)
    spread.enqueue(state.library(), call_of(state.call, item), 1);
  spread.hand_over();
}

}  // namespace kiln::blas

int kiln_blas_run_items(const kiln::blas::Call& call, std::span<const kiln::blas::BatchItem> items,
                        const kiln::blas::Execution& execution) noexcept {
  using namespace kiln::blas;
  Call batch = call;
  batch.batch = items.size();
  if (!has_table_form(batch) || has_stored(call)) return static_cast<int>(Status::not_implemented);
  try {
    // The driver keeps the table until the call has ended.
    const cl::Buffer table = table_on(execution.queues[0], items, call.precision);
    return kiln_blas_run(by_table(call, items.size(), table()), execution);
  } catch (...) {
    return status_of_failure();
  }
}
