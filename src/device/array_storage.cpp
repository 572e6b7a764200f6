#include "device/array_storage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/opencl.hpp"

namespace kiln {
namespace {

cl::Event retained(cl_event event) { return cl::Event(event, true); }

std::size_t size_of_buffer(cl_mem memory) {
  std::size_t bytes = 0;
  const cl_int status = ::clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  if (status != CL_SUCCESS)
    throw Error(Errc::bad_input, fmt::format("the handle is not that of a buffer: {} ({})",
                                             cl_status_name(status), status));
  return bytes;
}

/// A part of a buffer as a buffer of its own, which OpenCL lets begin at certain bytes only.
cl::Buffer part_of(cl_mem memory, std::size_t offset, std::size_t bytes, const Device& device) {
  cl::Buffer whole(memory, true);
  if (offset == 0) return whole;
  const cl_buffer_region region{offset, bytes};
  cl_int status = CL_SUCCESS;
  const cl_mem part =
      ::clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  if (status == CL_MISALIGNED_SUB_BUFFER_OFFSET)
    throw Error(
        Errc::bad_input,
        fmt::format("a part of a buffer begins at byte {}, expected a multiple of {} on {}", offset,
                    device.handle.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8, device.name));
  check_cl(status, "clCreateSubBuffer");
  return cl::Buffer(part);
}

}  // namespace

ArrayStorage::ArrayStorage(cl_mem memory, std::size_t offset, std::size_t bytes, Queue queue)
    : bytes_(bytes), host_is_current_(false) {
  const std::size_t whole = size_of_buffer(memory);
  if (offset > whole || bytes > whole - offset)
    throw Error(Errc::bad_input, fmt::format("the buffer has {} bytes, expected {} from byte {} on",
                                             whole, bytes, offset));
  cl::Buffer buffer = part_of(memory, offset, bytes, *queue.device());
  copies_.push_back({std::move(queue), std::move(buffer), true, false});
}

ArrayStorage::~ArrayStorage() {
  // In a forked child nothing runs, and waiting for it would not end.
  if (is_forked_with_drivers()) return;
  for (const auto* uses : {&reads_, &writes_})
    for (const Use& use : *uses) {
      const cl_event handle = use.done();
      ::clWaitForEvents(1, &handle);
    }
}

void ArrayStorage::wait_for(std::vector<Use>& uses) {
  for (const Use& use : std::exchange(uses, {})) {
    const cl_event handle = use.done();
    check_cl(::clWaitForEvents(1, &handle), "clWaitForEvents");
  }
}

HostArray& ArrayStorage::host() {
  if (host_.empty()) host_ = HostArray(bytes_);
  return host_;
}

ArrayStorage::Copy* ArrayStorage::copy_in(cl_context context) {
  const auto found = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& copy) {
    return copy.queue.context()->cl()() == context;
  });
  return found == copies_.end() ? nullptr : &*found;
}

void ArrayStorage::bring_to_host() {
  if (host_is_current_) return;
  const auto from = std::find_if(copies_.begin(), copies_.end(),
                                 [](const Copy& copy) { return copy.is_current; });
  if (!from->is_host_memory)
    check_cl(::clEnqueueReadBuffer(from->queue.cl()(), from->buffer(), CL_TRUE, 0, bytes_,
                                   host().data(), 0, nullptr, nullptr),
             "clEnqueueReadBuffer");
  host_is_current_ = true;
}

std::byte* ArrayStorage::on_host(HostUse use) {
  refuse_after_fork();
  wait_for(writes_);
  if (use == HostUse::overwrite)
    host_is_current_ = true;
  else
    bring_to_host();
  if (use != HostUse::read) {
    wait_for(reads_);
    for (Copy& copy : copies_) copy.is_current = copy.is_host_memory;
  }
  return host().data();
}

ArrayStorage::Copy& ArrayStorage::make_copy(const Queue& queue) {
  // A device that works in the host's memory gets it, so that there is one copy; others get theirs.
  void* memory = queue.device()->host_memory ? host().data() : nullptr;
  const Buffer made = make_buffer(*queue.context(), *queue.device(), memory, bytes_);
  copies_.push_back({queue, made.cl, made.is_host_memory && host_is_current_, made.is_host_memory});
  return copies_.back();
}

/// From the host, whose copy is current. Zeros that were never there are made on the device.
void ArrayStorage::upload(Copy& copy) {
  static constexpr cl_uchar zero = 0;
  // Commands that read the copy's older contents come first; those of other contexts read others.
  std::vector<cl_event> before;
  for (const Use& use : reads_)
    if (use.context == copy.queue.context()->cl()()) before.push_back(use.done());
  const auto count = static_cast<cl_uint>(before.size());
  const cl_event* const events = before.empty() ? nullptr : before.data();
  cl_event done = nullptr;
  if (host_.empty())
    check_cl(::clEnqueueFillBuffer(copy.queue.cl()(), copy.buffer(), &zero, 1, 0, bytes_, count,
                                   events, &done),
             "clEnqueueFillBuffer");
  else
    check_cl(::clEnqueueWriteBuffer(copy.queue.cl()(), copy.buffer(), CL_FALSE, 0, bytes_,
                                    host_.data(), count, events, &done),
             "clEnqueueWriteBuffer");
  // It reads the host's copy and makes the device's.
  const Use use{cl::Event(done), copy.queue.context()->cl()()};
  reads_.push_back(use);
  writes_.push_back(use);
}

cl_mem ArrayStorage::on_device(const Queue& queue, std::vector<cl_event>& after) {
  refuse_after_fork();
  const cl_context context = queue.context()->cl()();
  // What another context makes of the array is complete before this one goes on with it.
  const auto is_foreign = [&](const Use& use) { return use.context != context; };
  if (std::any_of(writes_.begin(), writes_.end(), is_foreign)) wait_for(writes_);
  if (std::any_of(reads_.begin(), reads_.end(), is_foreign)) wait_for(reads_);
  Copy* copy = copy_in(context);
  if (copy == nullptr) copy = &make_copy(queue);
  copy->queue = queue;
  if (!copy->is_current) {
    bring_to_host();
    if (!copy->is_host_memory) upload(*copy);
    copy->is_current = true;
  }
  for (const auto* uses : {&writes_, &reads_})
    for (const Use& use : *uses) after.push_back(use.done());
  return copy->buffer();
}

void ArrayStorage::read_by(const Queue& queue, cl_event done) {
  // What is complete need not be kept; a long list of readers would be waited for again and again.
  std::erase_if(reads_, [](const Use& use) {
    return use.done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE;
  });
  reads_.push_back({retained(done), queue.context()->cl()()});
}

void ArrayStorage::written_by(const Queue& queue, cl_event done) {
  Copy* const written = copy_in(queue.context()->cl()());
  for (Copy& copy : copies_)
    copy.is_current = &copy == written || (written->is_host_memory && copy.is_host_memory);
  host_is_current_ = written->is_host_memory;
  // The command came after all that were pending.
  reads_.clear();
  writes_.assign(1, {retained(done), queue.context()->cl()()});
}

}  // namespace kiln
