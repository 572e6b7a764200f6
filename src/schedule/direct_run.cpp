#include "schedule/direct_run.hpp"

#include "device/opencl.hpp"
#include "schedule/job.hpp"

namespace kiln {

DirectRun::DirectRun(Resolver& resolver, Queue queue, Job job,
                     std::vector<std::shared_ptr<ArrayStorage>> arrays, const KernelFacts& safety)
    : queue_(std::move(queue)),
      job_(std::move(job)),
      arrays_(std::move(arrays)),
      slots_(job_.arguments.size()) {
  value_or_throw(check_range(job_.range, *queue_.device()));
  value_or_throw(check_buffers_apart(job_));
  Program& program = resolver.resolve(job_.request, queue_.context(), queue_.device(),
                                      {variant_of(job_.kernel, job_.range)});
  const KernelInfo& info = program.kernel(job_.kernel);
  value_or_throw(check_arguments_match(info, job_, safety.parameters));
  launch_ = std::make_unique<Launch>(queue_.context(), program, job_.kernel);
  for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
    const auto position = static_cast<unsigned>(i);
    // A kernel that was not understood may write anything that it is given.
    slots_[i].written = i >= safety.parameters.size() || safety.parameters[i].written;
    if (const auto* scalar = std::get_if<ScalarArgument>(&job_.arguments[i]))
      launch_->set_scalar(position, scalar->value);
    else if (const auto* local = std::get_if<LocalArgument>(&job_.arguments[i]))
      launch_->set_local(position, local->bytes);
    if (const auto* memory = host_buffer(i)) {
      // The caller's input must not change: a kernel that would write it gets a copy.
      const bool is_private = memory->access == BufferArgument::Access::in && slots_[i].written;
      slots_[i].buffer =
          make_buffer(*queue_.context(), *queue_.device(),
                      is_private ? nullptr : memory->data.data(), memory->data.size());
      launch_->set_buffer(position, slots_[i].buffer.cl);
    }
  }
  launch_->set_range(job_.range);
}

const BufferArgument* DirectRun::host_buffer(std::size_t argument) const {
  return arrays_[argument] ? nullptr : std::get_if<BufferArgument>(&job_.arguments[argument]);
}

cl::Event DirectRun::transfer_in(const Slot& slot, const BufferArgument& argument,
                                 const std::vector<cl_event>& after) {
  static constexpr cl_uchar zero = 0;
  const auto count = static_cast<cl_uint>(after.size());
  const cl_event* const events = after.empty() ? nullptr : after.data();
  cl_event done = nullptr;
  if (argument.access == BufferArgument::Access::out)
    check_cl(::clEnqueueFillBuffer(queue_.cl()(), slot.buffer.cl(), &zero, 1, 0,
                                   argument.data.size(), count, events, &done),
             "clEnqueueFillBuffer");
  else if (!slot.buffer.is_host_memory)
    check_cl(
        ::clEnqueueWriteBuffer(queue_.cl()(), slot.buffer.cl(), CL_FALSE, 0, argument.data.size(),
                               argument.data.data(), count, events, &done),
        "clEnqueueWriteBuffer");
  return cl::Event(done);
}

cl::Event DirectRun::transfer_out(const Slot& slot, const BufferArgument& argument,
                                  cl_event after) {
  if (argument.access == BufferArgument::Access::in || slot.buffer.is_host_memory) return {};
  cl_event done = nullptr;
  check_cl(::clEnqueueReadBuffer(queue_.cl()(), slot.buffer.cl(), CL_FALSE, 0, argument.data.size(),
                                 argument.data.data(), 1, &after, &done),
           "clEnqueueReadBuffer");
  return cl::Event(done);
}

cl::Event DirectRun::enqueue(const std::vector<cl_event>& after, cl::Event* kernel) {
  refuse_after_fork();
  std::vector<cl_event> before = after;
  if (last_() != nullptr) before.push_back(last_());
  std::vector<cl::Event> transfers;  // kept until the kernel's wait list is taken
  std::vector<cl_event> ready = before;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (arrays_[i]) {
      launch_->set_memory(static_cast<unsigned>(i), arrays_[i]->on_device(queue_, ready));
    } else if (const auto* memory = host_buffer(i)) {
      transfers.push_back(transfer_in(slots_[i], *memory, before));
      if (transfers.back()() != nullptr) ready.push_back(transfers.back()());
    }
  }
  cl_event launched = nullptr;
  launch_->enqueue(queue_.cl()(), ready, &launched);
  const cl::Event ran(launched);
  if (kernel != nullptr) *kernel = ran;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!arrays_[i]) continue;
    if (slots_[i].written)
      arrays_[i]->written_by(queue_, launched);
    else
      arrays_[i]->read_by(queue_, launched);
  }
  std::vector<cl::Event> results;
  std::vector<cl_event> ends;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (const auto* memory = host_buffer(i)) {
      results.push_back(transfer_out(slots_[i], *memory, launched));
      if (results.back()() != nullptr) ends.push_back(results.back()());
    }
  last_ = ran;
  if (ends.size() == 1) last_ = cl::Event(ends.front(), true);
  if (ends.size() > 1) {
    cl_event all = nullptr;
    check_cl(::clEnqueueMarkerWithWaitList(queue_.cl()(), static_cast<cl_uint>(ends.size()),
                                           ends.data(), &all),
             "clEnqueueMarkerWithWaitList");
    last_ = cl::Event(all);
  }
  check_cl(::clFlush(queue_.cl()()), "clFlush");
  return last_;
}

}  // namespace kiln
