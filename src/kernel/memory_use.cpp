#include <algorithm>
#include <utility>

#include "base/lifetime.hpp"
#include "device/array_storage.hpp"
#include "device/opencl.hpp"
#include "kernel/runtime.hpp"

namespace kiln {
struct MemoryUse::State {
  State(const Runtime& of, cl_command_queue handle)
      : runtime(of.shared_state()), queue(of.state().queue(handle)) {}

  struct UsedArray {
    std::shared_ptr<ArrayStorage> storage;
    bool is_written = false;
  };
  /// Memory of the host that the device has a copy of.
  struct HostCopy {
    std::span<std::byte> host;
    Buffer buffer;
    bool is_written = false;
  };

  void add_after(cl_event event) { after.push_back(Event::adopt(event)); }
  cl::Event bring_back(cl_event done) const;

  std::shared_ptr<Runtime::State> runtime;  ///< first: its contexts outlive the buffers
  Queue queue;
  std::vector<UsedArray> arrays;
  std::vector<HostCopy> copies;
  std::vector<cl::Buffer> in_place;
  std::vector<Event> after;
};

MemoryUse::MemoryUse(const Runtime& runtime, cl_command_queue queue)
    : state_(std::make_unique<State>(runtime, queue)) {
  refuse_after_fork();
}
MemoryUse::~MemoryUse() = default;
MemoryUse::MemoryUse(MemoryUse&&) noexcept = default;
MemoryUse& MemoryUse::operator=(MemoryUse&&) noexcept = default;

cl_command_queue MemoryUse::queue() const { return held(state_, "MemoryUse").queue.cl()(); }

const std::vector<Event>& MemoryUse::after() const { return held(state_, "MemoryUse").after; }

cl_mem MemoryUse::memory(const ArrayBase& array, Access access) {
  State& state = held(state_, "MemoryUse");
  const auto& storage = array.storage();
  if (!storage)
    throw Error(Errc::bad_input, "found an Array that holds nothing, expected one with elements");
  std::vector<cl_event> before;
  const cl_mem memory = storage->on_device(state.queue, before);
  storage->share_copy(state.queue);
  for (const cl_event event : before) state.add_after(event);
  const bool is_written = access != Access::in;
  const auto known = std::find_if(state.arrays.begin(), state.arrays.end(),
                                  [&](const auto& used) { return used.storage == storage; });
  if (known == state.arrays.end())
    state.arrays.push_back({storage, is_written});
  else
    known->is_written = known->is_written || is_written;
  return memory;
}

MemoryUse::Part MemoryUse::memory(std::span<std::byte> host, Access access,
                                  std::size_t element_bytes) {
  State& state = held(state_, "MemoryUse");
  if (host.empty()) throw Error(Errc::bad_input, "found no memory, expected one element at least");
  const Device& device = *state.queue.device();
  const Context& context = *state.queue.context();
  // A buffer may begin before the memory, on the same page: the commands do not touch what is not
  // theirs.
  const std::size_t before = reinterpret_cast<std::uintptr_t>(host.data()) % buffer_alignment;
  if (device.host_memory && before % std::max<std::size_t>(element_bytes, 1) == 0) {
    Buffer made = make_buffer(context, device, host.data() - before, host.size() + before);
    state.in_place.push_back(std::move(made.cl));
    return {state.in_place.back()(), before};
  }
  Buffer made = make_buffer(context, device, nullptr, host.size());
  if (access != Access::out) state.add_after(enqueue_write(state.queue, made.cl, 0, host)());
  state.copies.push_back({host, std::move(made), access != Access::in});
  return {state.copies.back().buffer.cl(), 0};
}

/// What was written, to the host; null where nothing has to be brought.
cl::Event MemoryUse::State::bring_back(cl_event done) const {
  std::vector<cl::Event> transfers;
  for (const HostCopy& copy : copies)
    if (copy.is_written)
      transfers.push_back(
          enqueue_read(queue, copy.buffer.cl, 0, copy.host, {.after = std::span(&done, 1)}));
  if (transfers.size() < 2) return transfers.empty() ? cl::Event() : transfers.front();
  std::vector<cl_event> ends;
  for (const cl::Event& transfer : transfers) ends.push_back(transfer());
  cl_event all = nullptr;
  check_cl(::clEnqueueMarkerWithWaitList(queue.cl()(), static_cast<cl_uint>(ends.size()),
                                         ends.data(), &all),
           "clEnqueueMarkerWithWaitList");
  return cl::Event(all);
}

Event MemoryUse::end(const Event& done) {
  State& state = held(state_, "MemoryUse");
  refuse_after_fork();
  Event last = done;
  if (last.handle() == nullptr) {
    cl_event marker = nullptr;
    check_cl(::clEnqueueMarkerWithWaitList(state.queue.cl()(), 0, nullptr, &marker),
             "clEnqueueMarkerWithWaitList");
    last = Event::adopt(cl::Event(marker)());
  }
  for (const auto& used : state.arrays)
    used.is_written ? used.storage->written_by(state.queue, last.handle())
                    : used.storage->read_by(state.queue, last.handle());
  if (const cl::Event transferred = state.bring_back(last.handle()); transferred() != nullptr)
    last = Event::adopt(transferred());
  check_cl(::clFlush(state.queue.cl()()), "clFlush");
  return last;
}

}  // namespace kiln
