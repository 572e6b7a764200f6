#include "device/array_storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

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

void CL_CALLBACK let_go(cl_mem, void* memory) {
  delete static_cast<std::shared_ptr<std::byte>*>(memory);
}

}  // namespace

ArrayStorage::ArrayStorage(cl_mem memory, std::size_t offset, std::size_t bytes, Queue queue)
    : bytes_(bytes), host_is_current_(false) {
  const std::size_t whole = size_of_buffer(memory);
  if (offset > whole || bytes > whole - offset)
    throw Error(Errc::bad_input, fmt::format("the buffer has {} bytes, expected {} from byte {} on",
                                             whole, bytes, offset));
  cl::Buffer buffer = part_of(memory, offset, bytes, *queue.device());
  copies_.push_back({std::move(queue), {std::move(buffer), bytes, false}, true});
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
  if (!uses.empty()) refuse_after_fork();
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
  refuse_after_fork();
  const auto from = std::find_if(copies_.begin(), copies_.end(),
                                 [](const Copy& copy) { return copy.is_current; });
  if (!from->buffer.is_host_memory)
    enqueue_read(from->queue, from->buffer.cl, 0, host().span(), {.waits = true});
  host_is_current_ = true;
}

/// Commands of the one queue have no events. Where its device works in the host's memory all of
/// them are waited for; elsewhere transfers come after them, since the queue is in order.
void ArrayStorage::wait_for_queue(HostUse use) {
  if (on_queue_ == nullptr) return;
  const Copy& copy = copies_.front();
  if (!copy.buffer.is_host_memory) {
    if (is_written_on_queue_) host_is_current_ = false;
    if (use != HostUse::read) on_queue_ = nullptr;
  } else if (is_written_on_queue_ || use != HostUse::read) {
    refuse_after_fork();
    check_cl(::clFinish(copy.queue.cl()()), "clFinish");
  }
}

std::byte* ArrayStorage::on_host(HostUse use) {
  wait_for_queue(use);
  wait_for(writes_);
  if (use == HostUse::overwrite)
    host_is_current_ = true;
  else
    bring_to_host();
  // Not before: who was refused, or whose read failed, must not take the old contents next time.
  is_written_on_queue_ = false;
  if (use != HostUse::read) {
    wait_for(reads_);
    for (Copy& copy : copies_) copy.is_current = copy.buffer.is_host_memory;
  }
  return host().data();
}

ArrayStorage::Copy& ArrayStorage::make_copy(const Queue& queue) {
  // A device that works in the host's memory gets it, so that there is one copy; others get theirs.
  void* memory = queue.device()->host_memory ? host().data() : nullptr;
  Buffer made = make_buffer(*queue.context(), *queue.device(), memory, bytes_);
  const bool is_current = made.is_host_memory && host_is_current_;
  copies_.push_back({queue, std::move(made), is_current});
  return copies_.back();
}

/// From the host, whose copy is current. Zeros that were never there are made on the device.
void ArrayStorage::upload(Copy& copy) {
  // Commands that read the copy's older contents come first; those of other contexts read others.
  const cl_context context = copy.queue.context()->cl()();
  std::vector<cl_event> before;
  for (const Use& use : reads_)
    if (use.context == context) before.push_back(use.done());
  const cl::Event done =
      host_.empty() ? enqueue_zeros(copy.queue, copy.buffer.cl, {0, bytes_}, before)
                    : enqueue_write(copy.queue, copy.buffer.cl, 0, host_.view(), {.after = before});
  // It reads the host's copy and makes the device's.
  reads_.push_back({done, context});
  writes_.push_back({done, context});
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
    if (!copy->buffer.is_host_memory) upload(*copy);
    copy->is_current = true;
  }
  for (const auto* uses : {&writes_, &reads_})
    for (const Use& use : *uses) after.push_back(use.done());
  return copy->buffer.cl();
}

void ArrayStorage::share_copy(const Queue& queue) {
  Copy& copy = *copy_in(queue.context()->cl()());
  if (!copy.buffer.is_host_memory || std::exchange(copy.is_shared, true)) return;
  auto held = std::make_unique<std::shared_ptr<std::byte>>(host().shared());
  check_cl(::clSetMemObjectDestructorCallback(copy.buffer.cl(), &let_go, held.get()),
           "clSetMemObjectDestructorCallback");
  held.release();
}

cl_mem ArrayStorage::bring_to_queue(const Queue& queue) {
  std::vector<cl_event> before;  // transfers, which the queue puts first
  return on_queue_ = on_device(queue, before);
}

void ArrayStorage::overwrite_on_queue(const Queue& queue, ByteView contents) {
  const bool is_pattern = contents.size() <= 128 && std::has_single_bit(contents.size());
  if (on_queue_ == nullptr || !is_pattern) {
    std::memcpy(on_host(HostUse::overwrite), contents.data(), contents.size());
    return;
  }
  enqueue_fill(queue, copies_.front().buffer.cl, {0, bytes_}, contents);
  written_on_queue();
}

void ArrayStorage::bring_part_to_queue(const Queue& queue, const ByteRange& range) {
  if (on_queue_ == nullptr || copies_.front().buffer.is_host_memory || range.size() == 0) return;
  enqueue_write(queue, copies_.front().buffer.cl, range.begin,
                host_.view().subspan(range.begin, range.size()), {.waits = true});
}

void ArrayStorage::read_by(const Queue& queue, cl_event done) {
  // What is complete need not be kept; a long list of readers would be waited for again and again.
  std::erase_if(reads_, [](const Use& use) {
    return use.done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE;
  });
  reads_.push_back({retained(done), queue.context()->cl()()});
}

void ArrayStorage::written_by(const Queue& queue, cl_event done) {
  written_by(queue);
  writes_.assign(1, {retained(done), queue.context()->cl()()});
}

void ArrayStorage::written_by(const Queue& queue) {
  Copy* const written = copy_in(queue.context()->cl()());
  for (Copy& copy : copies_)
    copy.is_current =
        &copy == written || (written->buffer.is_host_memory && copy.buffer.is_host_memory);
  host_is_current_ = written->buffer.is_host_memory;
  // The command came after all that were pending.
  reads_.clear();
  writes_.clear();
}

}  // namespace kiln
