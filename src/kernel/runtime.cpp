#include "kernel/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/lifetime.hpp"
#include "device/array_storage.hpp"
#include "device/opencl.hpp"
#include "device/queue_handle.hpp"
#include "kernel/resolver/entry.hpp"
#include "store/local/local_store.hpp"

namespace kiln {
namespace {

/// Null for the process's own.
std::unique_ptr<Resolver> resolver_over(const std::string& store) {
  if (store.empty()) return nullptr;
  return std::make_unique<Resolver>(store == "off" ? nullptr : open_local_store(store),
                                    CompilePolicy::apart, &ShippedRecords::process());
}

int index_of(const Device& device) {
  const Device& whole = device.parent ? *device.parent : device;
  const auto all = all_devices();
  if (!all) return -1;
  const auto found = std::find_if(all->begin(), all->end(), [&](const DevicePtr& other) {
    return other->handle() == whole.handle();
  });
  return found == all->end() ? -1 : static_cast<int>(found - all->begin());
}

DeviceInfo info_of(const Device& device) {
  return {.name = device.name,
          .vendor = device.vendor,
          .driver = device.driver_version,
          .version = device.version,
          .platform = device.platform_name,
          .platform_version = device.platform_version,
          .il_versions = device.il_versions,
          .fingerprint = device.fingerprint(),
          .index = index_of(device),
          .part = device.parent ? std::optional(device.part) : std::nullopt,
          .type = device.type,
          .compute_units = device.compute_units,
          .memory_bytes = device.global_memory,
          .local_memory = device.local_memory,
          .largest_buffer = device.max_allocation,
          .largest_work_group = device.max_work_group_size,
          .uses_host_memory = device.host_memory,
          .has_doubles = device.doubles,
          .handle = device.handle()};
}

std::size_t bytes_of_elements(std::size_t count, std::size_t element_bytes) {
  if (count == 0 || count > SIZE_MAX / 2 / element_bytes)
    throw Error(Errc::bad_input, fmt::format("an array of {} elements of {} bytes, expected one at "
                                             "least and fewer bytes than memory can have",
                                             count, element_bytes));
  return count * element_bytes;
}

cl_int status_of(cl_event event) {
  cl_int status = CL_QUEUED;
  check_cl(
      ::clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
      "clGetEventInfo");
  // In a child of fork() it would stay so for ever.
  if (status > CL_COMPLETE) refuse_after_fork();
  return status;
}

}  // namespace

// --- Event ---

Event Event::adopt(cl_event event) {
  if (event == nullptr || ::clRetainEvent(event) != CL_SUCCESS)
    throw Error(Errc::bad_input, "the handle is not that of an event");
  Event made;
  made.event_ = event;
  return made;
}

Event::Event(const Event& other) noexcept : event_(other.event_) {
  if (event_ != nullptr) ::clRetainEvent(event_);
}

Event& Event::operator=(const Event& other) noexcept {
  Event copy(other);
  std::swap(event_, copy.event_);
  return *this;
}

Event::~Event() {
  if (event_ != nullptr) ::clReleaseEvent(event_);
}

void Event::wait() const {
  if (event_ == nullptr) return;
  refuse_after_fork();
  check_cl(::clWaitForEvents(1, &event_), "clWaitForEvents");
  // NVIDIA's driver says CL_SUCCESS for a user event that was set to an error.
  if (const cl_int status = status_of(event_); status < 0) check_cl(status, "the event's command");
}

bool Event::is_complete() const { return event_ == nullptr || status_of(event_) == CL_COMPLETE; }

std::int64_t Event::nanoseconds() const {
  if (event_ == nullptr) return 0;
  wait();
  const auto stamp = [&](cl_profiling_info which) {
    cl_ulong time = 0;
    const cl_int status = ::clGetEventProfilingInfo(event_, which, sizeof time, &time, nullptr);
    if (status == CL_PROFILING_INFO_NOT_AVAILABLE)
      throw Error(Errc::unsupported,
                  "the event has no times, expected one of a queue with CL_QUEUE_PROFILING_ENABLE");
    check_cl(status, "clGetEventProfilingInfo");
    return static_cast<std::int64_t>(time);
  };
  return stamp(CL_PROFILING_COMMAND_END) - stamp(CL_PROFILING_COMMAND_START);
}

// --- Array ---

std::size_t ArrayBase::bytes() const { return storage_ ? storage_->bytes() : 0; }

std::byte* ArrayBase::on_host(HostUse use) const {
  refuse_after_fork();
  // The enumerators are the same, by number.
  return storage_ ? storage_->on_host(static_cast<ArrayStorage::HostUse>(use)) : nullptr;
}

// --- Runtime::State ---

// Not Resolver::process(): libkiln-mesh.so has a copy of this code, and a process has one Resolver.
Runtime::State::State(std::unique_ptr<Resolver> resolver, std::string device_list, Single single)
    : own_resolver_(std::move(resolver)),
      resolver_(own_resolver_ ? own_resolver_.get() : kiln_process_resolver()),
      device_list_(std::move(device_list)),
      single_(single) {}

Runtime::State::State(std::unique_ptr<Resolver> resolver, std::vector<Queue> queues)
    : State(std::move(resolver), std::string()) {
  is_adopted_ = true;
  queues_ = std::move(queues);
  has_run_ = true;
  for (const Queue& queue : queues_) devices_.push_back(queue.device());
}

const std::vector<DevicePtr>& Runtime::State::devices() {
  const std::lock_guard lock(mutex_);
  if (!devices_.empty()) return devices_;
  failed_ = true;
  auto chosen = value_or_throw(select_devices(device_list_));
  if (single_ == Single::halved && chosen.size() == 1)
    if (auto halves = partition_equally(chosen.front(), 2)) chosen = *std::move(halves);
  failed_ = false;
  has_run_ = true;
  return devices_ = std::move(chosen);
}

const std::vector<Queue>& Runtime::State::queues() {
  const std::lock_guard lock(mutex_);
  make_queues(devices().size());
  return queues_;
}

void Runtime::State::make_queues(std::size_t count) {
  if (queues_.size() >= count) return;
  failed_ = true;
  while (queues_.size() < count) {
    const DevicePtr& device = devices_[queues_.size()];
    queues_.emplace_back(context_for(device), device);
  }
  failed_ = false;
}

ContextPtr Runtime::State::context_for(const DevicePtr& device) const {
  if (!device->host_memory) return Context::create({device});
  const auto is_with_it = [&](const DevicePtr& other) {
    return other->host_memory && other->platform_name == device->platform_name &&
           other->platform_version == device->platform_version;
  };
  for (const Queue& queue : queues_)
    if (is_with_it(queue.device())) return queue.context();
  std::vector<DevicePtr> together;
  std::ranges::copy_if(devices_, std::back_inserter(together), is_with_it);
  return Context::create(std::move(together));
}

Queue Runtime::State::queue(cl_command_queue handle) {
  if (handle == nullptr) {
    const std::lock_guard lock(mutex_);
    devices();
    make_queues(1);
    return queues_.front();
  }
  const auto& own = queues();
  for (const Queue& queue : own)
    if (queue.cl()() == handle) return queue;
  cl_context context = nullptr;
  if (is_queue(handle) && ::clGetCommandQueueInfo(handle, CL_QUEUE_CONTEXT, sizeof(cl_context),
                                                  &context, nullptr) == CL_SUCCESS)
    for (const Queue& queue : own)
      if (queue.context()->cl()() == context) return Queue::adopt(handle, queue.context());
  throw Error(Errc::bad_input, "the queue is of no context of this Runtime");
}

std::string Runtime::State::lost_device() {
  const std::lock_guard lock(mutex_);
  for (const Queue& queue : queues_)
    if (::clEnqueueMarkerWithWaitList(queue.cl()(), 0, nullptr, nullptr) != CL_SUCCESS ||
        ::clFinish(queue.cl()()) != CL_SUCCESS)
      return queue.device()->name;
  return {};
}

// --- Runtime ---

Runtime::Runtime(const Options& options)
    : state_(std::make_shared<State>(resolver_over(options.store), options.devices)) {}

Runtime Runtime::adopt(cl_context context, std::span<const cl_command_queue> queues,
                       const std::string& store) {
  if (queues.empty()) throw Error(Errc::bad_input, "no queue was given, expected one at least");
  const auto adopted = Context::adopt(context);
  std::vector<Queue> taken;
  for (const cl_command_queue queue : queues) taken.push_back(Queue::adopt(queue, adopted));
  return Runtime(std::make_shared<State>(resolver_over(store), std::move(taken)));
}

Runtime::State& Runtime::state() const { return held(state_, "Runtime"); }

std::vector<DeviceInfo> Runtime::devices() const {
  std::vector<DeviceInfo> list;
  for (const auto& device : state().devices()) list.push_back(info_of(*device));
  return list;
}

std::vector<DriverTopic> Runtime::findings(const DeviceInfo& device) const {
  const auto& all = state().devices();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const DevicePtr& one) { return one->handle() == device.handle; });
  if (found == all.end())
    throw Error(Errc::bad_input, fmt::format("'{}' is no device of this Runtime", device.name));
  std::vector<DriverTopic> list;
  for (const std::string_view topic : topics::all) {
    DriverTopic& made = list.emplace_back();
    made.name = topic;
    for (const auto& [name, finding] : state().resolver().findings().known(topic, **found))
      made.findings.push_back({name, finding.holds, finding.reason});
  }
  return list;
}

std::vector<cl_command_queue> Runtime::queues() const {
  std::vector<cl_command_queue> list;
  for (const Queue& queue : state().queues()) list.push_back(queue.cl()());
  return list;
}

std::shared_ptr<ArrayStorage> Runtime::make_array(std::size_t count,
                                                  std::size_t element_bytes) const {
  state();
  return std::make_shared<ArrayStorage>(bytes_of_elements(count, element_bytes));
}

std::shared_ptr<ArrayStorage> Runtime::wrap_memory(cl_mem memory, std::size_t count,
                                                   std::size_t offset,
                                                   std::size_t element_bytes) const {
  cl_context context = nullptr;
  if (memory == nullptr ||
      ::clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, nullptr) != CL_SUCCESS)
    throw Error(Errc::bad_input, "the handle is not that of a buffer");
  const std::size_t bytes = bytes_of_elements(count, element_bytes);
  const std::size_t begin = offset == 0 ? 0 : bytes_of_elements(offset, element_bytes);
  for (const Queue& queue : state().queues())
    if (queue.context()->cl()() == context)
      return std::make_shared<ArrayStorage>(memory, begin, bytes, queue);
  throw Error(Errc::bad_input, "the buffer is of no context of this Runtime");
}

std::shared_ptr<ArrayStorage> Runtime::borrow_memory(std::span<std::byte> memory,
                                                     std::shared_ptr<void> owner) const {
  state();
  if (memory.empty())
    throw Error(Errc::bad_input, "found no memory, expected one element at least");
  return std::make_shared<ArrayStorage>(HostArray::borrowed(memory, std::move(owner)));
}

void Runtime::finish() const {
  for (const Queue& queue : state().queues()) check_cl(::clFinish(queue.cl()()), "clFinish");
  state().resolver().finish();
}

}  // namespace kiln
