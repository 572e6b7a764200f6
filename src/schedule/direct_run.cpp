#include "schedule/direct_run.hpp"

#include "device/opencl.hpp"

namespace kiln {

DirectRun::DirectRun(Resolver& resolver, Queue queue, Job job,
                     std::vector<std::shared_ptr<ArrayStorage>> arrays)
    : queue_(std::move(queue)),
      job_(std::move(job)),
      arrays_(std::move(arrays)),
      slots_(job_.arguments.size()) {
  value_or_throw(check_range(job_.range, *queue_.device()));
  value_or_throw(check_buffers_apart(job_));
  value_or_throw(check_module_takes(job_));
  Program& program = resolver.resolve(job_.request, queue_.context(), queue_.device(),
                                      {variant_of(job_.kernel, job_.range)});
  const auto parameters = resolver.facts(job_.request, program, job_.kernel).parameters;
  value_or_throw(check_arguments_match(program.kernel(job_.kernel), job_, parameters));
  launch_ = std::make_unique<Launch>(queue_.context(), program, job_.kernel);
  for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
    const auto position = static_cast<unsigned>(i);
    // A kernel that was not understood may write anything that it is given.
    slots_[i].written = i >= parameters.size() || parameters[i].written;
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

/// What host memory's contents need before the kernel, if anything.
cl::Event DirectRun::bring(std::size_t argument, const BufferArgument& memory,
                           const std::vector<cl_event>& after) const {
  const Buffer& buffer = slots_[argument].buffer;
  if (memory.access == BufferArgument::Access::out)
    return enqueue_zeros(queue_, buffer.cl, {0, buffer.bytes}, after);
  if (buffer.is_host_memory) return {};
  return enqueue_write(queue_, buffer.cl, 0, memory.data, {.after = after});
}

/// When all results are in the Job's memory.
cl::Event DirectRun::end_of(std::vector<cl::Event> transfers, cl::Event kernel) const {
  if (transfers.empty()) return kernel;
  if (transfers.size() == 1) return transfers.front();
  std::vector<cl_event> ends;
  for (const auto& transfer : transfers) ends.push_back(transfer());
  cl_event all = nullptr;
  check_cl(::clEnqueueMarkerWithWaitList(queue_.cl()(), static_cast<cl_uint>(ends.size()),
                                         ends.data(), &all),
           "clEnqueueMarkerWithWaitList");
  return cl::Event(all);
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
      transfers.push_back(bring(i, *memory, before));
      if (transfers.back()() != nullptr) ready.push_back(transfers.back()());
    }
  }
  cl_event launched = nullptr;
  launch_->enqueue(queue_.cl()(), ready, &launched);
  const cl::Event ran(launched);
  if (kernel != nullptr) *kernel = ran;
  // All of them before anything else may fail: the kernel runs.
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (arrays_[i])
      slots_[i].written ? arrays_[i]->written_by(queue_, launched)
                        : arrays_[i]->read_by(queue_, launched);
  transfers.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto* memory = host_buffer(i);
    if (memory != nullptr && memory->access != BufferArgument::Access::in &&
        !slots_[i].buffer.is_host_memory)
      transfers.push_back(enqueue_read(queue_, slots_[i].buffer.cl, 0, memory->data,
                                       {.after = std::span(&launched, 1)}));
  }
  last_ = end_of(std::move(transfers), ran);
  check_cl(::clFlush(queue_.cl()()), "clFlush");
  return last_;
}

}  // namespace kiln
