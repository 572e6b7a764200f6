#include "blas/sweep/rig.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace kiln::blas::testing {
namespace {

/// The buffers of a case, and the call on them.
template <class T>
struct Buffers {
  Buffers(const Rig& rig, const Case<T>& of, const Memory<T>& contents) : call(of.call()) {
    const cl::Context context(rig.context(), true);
    for (const Use& use : Uses(call)) {
      const auto i = static_cast<std::size_t>(use.slot);
      std::vector<T> host = contents[i];
      all[i] = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          host.size() * sizeof(T), host.data());
      call[use.slot].memory = all[i]();
    }
  }
  void write(const cl::CommandQueue& queue, const Memory<T>& contents) const {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i]() != nullptr)
        queue.enqueueWriteBuffer(all[i], CL_TRUE, 0, contents[i].size() * sizeof(T),
                                 contents[i].data());
  }
  Memory<T> read(const cl::CommandQueue& queue, const Case<T>& of) const {
    Memory<T> now = of.memory();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i]() != nullptr)
        queue.enqueueReadBuffer(all[i], CL_TRUE, 0, now[i].size() * sizeof(T), now[i].data());
    return now;
  }

  Call call;
  std::array<cl::Buffer, slot_count> all;
};

void require(Status status) {
  if (status != Status::success)
    throw std::runtime_error(fmt::format("the call's status is {}", static_cast<int>(status)));
}

template <class T>
Memory<T> poisoned(Memory<T> memory) {
  for (auto& argument : memory)
    for (T& element : argument) element = T(std::numeric_limits<Real<T>>::quiet_NaN());
  return memory;
}

}  // namespace

void Rig::add_queues(const std::vector<DevicePtr>& devices, std::size_t queues, Ordering ordering) {
  const cl_command_queue_properties properties =
      ordering == Ordering::out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
  for (std::size_t i = 0; i < queues; ++i) {
    queues_.emplace_back(context_->cl(), devices[i % devices.size()]->handle, properties);
    handles_.push_back(queues_.back()());
  }
  aside_ = cl::CommandQueue(context_->cl(), devices[0]->handle);
}

Rig::Rig(const std::vector<DevicePtr>& devices, std::size_t queues, Ordering ordering)
    : context_(Context::create(devices)) {
  add_queues(devices, queues, ordering);
}

Rig::Rig(const Rig& other, std::size_t queues) : context_(other.context_) {
  add_queues({context_->devices()[0]}, queues, Ordering::in_order);
}

Rig::Rig(std::size_t queues, Ordering ordering)
    : Rig({Machine::get().device_pointer()}, queues, ordering) {}

std::vector<DevicePtr> two_parts() {
  const DevicePtr& device = Machine::get().device_pointer();
  if (device->compute_units < 2) return {};
  auto parts = partition_by_counts(device, {1, device->compute_units - 1});
  return parts ? *parts : std::vector<DevicePtr>();
}

std::vector<DevicePtr> whole_and_part() {
  const auto parts = two_parts();
  if (parts.empty()) return {};
  return {Machine::get().device_pointer(), parts[0]};
}

template <class T>
Memory<T> run_plainly(Library& library, const Rig& rig, const Case<T>& of) {
  const Buffers<T> buffers(rig, of, of.memory());
  require(library.run(buffers.call, {rig.queues()}));
  for (const auto queue : rig.queues()) ::clFinish(queue);
  return buffers.read(rig.aside(), of);
}

template <class T>
Memory<T> run_between_events(Library& library, const Rig& rig, const Case<T>& of) {
  const Buffers<T> buffers(rig, of, poisoned(of.memory()));
  cl::UserEvent gate{cl::Context(rig.context(), true)};
  // Nothing that is enqueued must be left waiting when something throws here.
  struct Open {
    cl::UserEvent& gate;
    bool done = false;
    void now() {
      if (!std::exchange(done, true)) gate.setStatus(CL_COMPLETE);
    }
    ~Open() { now(); }
  } open{gate};
  std::vector<cl_event> events(rig.queues().size(), nullptr);
  const cl_event after[] = {gate()};
  require(library.run(buffers.call, {rig.queues(), after, events.data()}));
  for (const auto queue : rig.queues()) ::clFlush(queue);
  buffers.write(rig.aside(), of.memory());
  open.now();
  bool any = false;
  for (auto* event : events) {
    if (event == nullptr) continue;
    any = true;
    const cl_int status = ::clWaitForEvents(1, &event);
    ::clReleaseEvent(event);
    if (status != CL_SUCCESS) throw std::runtime_error("an event of the call failed");
  }
  if (!any) throw std::runtime_error("the call has given no event");
  return buffers.read(rig.aside(), of);
}

#define KILN_RUNS(T)                                                    \
  template Memory<T> run_plainly(Library&, const Rig&, const Case<T>&); \
  template Memory<T> run_between_events(Library&, const Rig&, const Case<T>&);
KILN_RUNS(float)
KILN_RUNS(double)
KILN_RUNS(std::complex<float>)
KILN_RUNS(std::complex<double>)
#undef KILN_RUNS

}  // namespace kiln::blas::testing
