#include "python/core/blas_call.hpp"

#include <algorithm>
#include <unordered_set>

namespace kiln::python {
namespace {

/// Whether this process has run a call of this shape there, so that its kernels are made. Says yes
/// from the second time on. The interpreter's lock is held.
bool was_run(const blas::Call& call, const std::optional<Runtime>& runtime,
             cl_command_queue queue) {
  constexpr std::size_t most = 4096;
  static auto& known = *new std::unordered_set<std::string>;
  std::string shape;
  const auto add = [&](const auto& value) {
    shape.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add(call.routine), add(call.precision), add(call.order), add(call.side), add(call.uplo);
  add(call.trans_a), add(call.trans_b), add(call.diag), add(queue);
  add(runtime ? runtime->shared_state().get() : nullptr);
  for (const std::size_t size : {call.m, call.n, call.k, call.kl, call.ku}) add(size);
  for (const blas::Operand& operand : call.operands)
    add(operand.stride), add(operand.stored), add(operand.batch_stride);
  for (const std::size_t size : {call.batch, call.group_a, call.group_b}) add(size);
  add(call.epilogue.bias), add(call.epilogue.scale), add(call.epilogue.activation);
  add(call.epilogue.residual), add(call.invariant), add(call.emulated);
  // These have kernels of their own.
  add(call.alpha == blas::Scalar(0)), add(call.alpha == blas::Scalar(1)), add(call.real_alpha);
  if (known.size() >= most) known.clear();
  return !known.insert(std::move(shape)).second;
}

std::vector<cl_event> handles_of(const std::vector<Event>& events) {
  std::vector<cl_event> handles;
  for (const Event& event : events)
    if (event.handle() != nullptr) handles.push_back(event.handle());
  return handles;
}

/// Elements that an array's elements of `element_bytes` come to: of int4, two each.
std::size_t elements_before(const blas::Operand& operand, std::size_t bytes,
                            std::size_t element_bytes) {
  return bytes / element_bytes * (operand.stored == blas::Storage::int4 ? 2 : 1);
}

/// An event that the caller of OpenCL was given.
Event taken(cl_event event) {
  const Event held = Event::adopt(event);
  ::clReleaseEvent(event);
  return held;
}

}  // namespace

void BlasCall::add(blas::Slot slot, const py::object& array, ArrayKind kind, std::int64_t first,
                   std::int64_t stride, std::size_t extent, std::size_t element_bytes,
                   Access access, blas::Storage stored, std::int64_t item_stride) {
  call_[slot].stride = stride;
  call_[slot].stored = stored;
  call_[slot].batch_stride = item_stride;
  uses_.append(array);
  const auto bytes = first * static_cast<std::int64_t>(element_bytes);
  if (kind == ArrayKind::numpy) {
    const auto elements = array.cast<py::array>();
    auto* const data = static_cast<std::byte*>(const_cast<void*>(elements.data()));
    hosts_.push_back({slot, {data + bytes, extent * element_bytes}, element_bytes, access});
    return;
  }
  if (kind == ArrayKind::kiln) {
    auto& elements = array.cast<NumericArray&>();
    arrays_.push_back({slot, elements.elements(), access});
    return;
  }
  const auto offset = array.attr("offset").cast<std::int64_t>() + bytes;
  if (offset < 0 || offset % static_cast<std::int64_t>(element_bytes) != 0)
    throw Error(Errc::bad_input, "an array of pyopencl begins at byte " + std::to_string(offset) +
                                     " of its buffer, expected a multiple of " +
                                     std::to_string(element_bytes));
  call_[slot].memory = handle_of<cl_mem>(array.attr("base_data"), "a buffer");
  call_[slot].offset =
      elements_before(call_[slot], static_cast<std::size_t>(offset), element_bytes);
  for (const auto event : array.attr("events"))
    after_.push_back(Event::adopt(handle_of<cl_event>(event, "an event")));
}

BlasCall::Work BlasCall::work(const std::optional<Runtime>& runtime, cl_command_queue queue,
                              std::vector<Event> after) const {
  after.insert(after.end(), after_.begin(), after_.end());
  return {call_, hosts_, arrays_, runtime, queue, std::move(after)};
}

/// Pieces of memory that overlap, such as columns of one matrix, are one buffer: a device with
/// memory of its own would bring back the one over the other.
void BlasCall::Work::lend_hosts(MemoryUse& use) {
  std::sort(hosts.begin(), hosts.end(), [](const HostOperand& one, const HostOperand& other) {
    return one.memory.data() < other.memory.data();
  });
  for (auto first = hosts.begin(); first != hosts.end();) {
    std::byte* const begin = first->memory.data();
    std::byte* end = begin + first->memory.size();
    Access access = first->access;
    auto last = first + 1;
    for (; last != hosts.end() && last->memory.data() < end; ++last) {
      end = std::max(end, last->memory.data() + last->memory.size());
      if (access != Access::in || last->access != Access::in) access = Access::inout;
    }
    const auto part = use.memory({begin, end}, access, first->element);
    for (; first != last; ++first) {
      const std::size_t offset =
          part.offset + static_cast<std::size_t>(first->memory.data() - begin);
      if (offset % first->element != 0)
        throw Error(Errc::bad_input,
                    "found arrays that overlap by a part of an element, expected whole ones");
      call[first->slot].memory = part.memory;
      call[first->slot].offset = elements_before(call[first->slot], offset, first->element);
    }
  }
}

void BlasCall::Work::lend(MemoryUse& use) {
  lend_hosts(use);
  for (const ArrayOperand& operand : arrays)
    call[operand.slot].memory = use.memory(operand.array, operand.access);
  after.insert(after.end(), use.after().begin(), use.after().end());
}

template <class Enqueue>
Event BlasCall::Work::with_memory(const Enqueue& enqueue) {
  if (!runtime || (hosts.empty() && arrays.empty())) return enqueue(queue);
  MemoryUse use(*runtime, queue);
  lend(use);
  return use.end(enqueue(use.queue()));
}

Event BlasCall::Work::run() {
  return with_memory([this](cl_command_queue on) {
    if (runtime) return blas::run(call, *runtime, {after, on});
    cl_event done = nullptr;
    blas::run(call, on, handles_of(after), &done);
    return taken(done);
  });
}

Event BlasCall::Work::run(blas::Plan& plan) {
  return with_memory([this, &plan](cl_command_queue) {
    cl_event done = nullptr;
    plan.run(call, handles_of(after), {&done, 1});
    return taken(done);
  });
}

/// A plan is made of a call that has memory, but does not keep it.
std::shared_ptr<blas::Plan> BlasCall::Work::plan() {
  if (!runtime) return std::make_shared<blas::Plan>(call, queue);
  MemoryUse use(*runtime, queue);
  lend(use);
  auto made = std::make_shared<blas::Plan>(call, *runtime, queue);
  for (const Event& transfer : use.after()) transfer.wait();
  return made;
}

std::shared_ptr<blas::Plan> BlasCall::plan(const std::optional<Runtime>& runtime,
                                           cl_command_queue queue) const {
  return without_lock(
      [all = work(runtime, queue, {}), uses = Kept(uses_)]() mutable { return all.plan(); });
}

PendingEvent BlasCall::run(const std::optional<Runtime>& runtime, cl_command_queue queue,
                           std::vector<Event> after) {
  Work all = work(runtime, queue, std::move(after));
  Event done;
  if (was_run(call_, runtime, queue)) {
    const py::gil_scoped_release unlocked;
    done = all.run();
  } else {
    done = without_lock([all, uses = Kept(uses_)]() mutable {
      const Event made = all.run();
      // An interrupted call goes on in the background, and must not outlive the arrays of NumPy.
      if (!all.hosts.empty()) made.wait();
      return made;
    });
  }
  return {std::move(done), uses_};
}

PendingEvent BlasCall::run(blas::Plan& plan, const std::optional<Runtime>& runtime,
                           cl_command_queue queue, std::vector<Event> after) {
  Work all = work(runtime, queue, std::move(after));
  Event done;
  {
    const py::gil_scoped_release unlocked;
    done = all.run(plan);
  }
  return {std::move(done), uses_};
}

}  // namespace kiln::python
