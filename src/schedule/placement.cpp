#include "schedule/placement.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"

namespace kiln {

Placement::Placement(Queue queue, Program& program, const Job& job, std::string lane)
    : queue_(std::move(queue)),
      job_(job),
      launch_(queue_.context(), program, job.kernel),
      slots_(job.arguments.size()),
      timeline_(std::move(lane)) {
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    const auto position = static_cast<unsigned>(i);
    if (const auto* scalar = std::get_if<ScalarArgument>(&job.arguments[i]))
      launch_.set_scalar(position, scalar->value);
    else if (const auto* local = std::get_if<LocalArgument>(&job.arguments[i]))
      launch_.set_local(position, local->bytes);
    else
      slots_[i].written =
          std::get<BufferArgument>(job.arguments[i]).access != BufferArgument::Access::in;
  }
}

const BufferArgument* Placement::buffer(std::size_t argument) const {
  return std::get_if<BufferArgument>(&job_.arguments[argument]);
}

std::string Placement::name(const char* verb, std::size_t argument) const {
  const std::string argument_name =
      argument < job_.names.size() ? job_.names[argument] : std::to_string(argument);
  return fmt::format("{} {}", verb, argument_name);
}

void Placement::bind(Target target) {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (buffer(i) != nullptr) bind_slot(i, target);
}

void Placement::bind_slot(std::size_t argument, Target target) {
  const auto& data = buffer(argument)->data;
  Slot& slot = slots_[argument];
  const bool in_place = works_in_host_memory() && (target == Target::result || !slot.written);
  Buffer& chosen = in_place ? slot.on_result : slot.on_own;
  if (chosen.cl() == nullptr) {
    void* host = data.data();
    if (!in_place && works_in_host_memory()) {
      slot.own = HostArray(data.size());
      host = slot.own.data();
    }
    chosen = make_buffer(*queue_.context(), device(), host, data.size());
  }
  slot.device = chosen;
  launch_.set_buffer(static_cast<unsigned>(argument), slot.device.cl);
}

void Placement::upload(const std::vector<ByteView>& initial) {
  static constexpr cl_uchar zero = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto* argument = buffer(i);
    if (argument == nullptr) continue;
    Slot& slot = slots_[i];
    const ByteView contents = slot.written ? initial[i] : ByteView(argument->data);
    if (slot.device.is_host_memory) {
      // In place already; what this run writes starts anew. The memory is the host's own.
      std::byte* memory = slot.own.empty() || slot.device.cl() == slot.on_result.cl()
                              ? argument->data.data()
                              : slot.own.data();
      if (slot.written && contents.empty()) std::memset(memory, 0, argument->data.size());
      if (slot.written && !contents.empty()) std::memcpy(memory, contents.data(), contents.size());
      continue;
    }
    cl_event event = nullptr;
    const auto started = now_ns();
    const cl_command_queue queue = queue_.cl()();
    if (contents.empty() && slot.written)
      check_cl(::clEnqueueFillBuffer(queue, slot.device.cl(), &zero, 1, 0, argument->data.size(), 0,
                                     nullptr, &event),
               "clEnqueueFillBuffer");
    else
      check_cl(::clEnqueueWriteBuffer(queue, slot.device.cl(), CL_FALSE, 0, contents.size(),
                                      contents.data(), 0, nullptr, &event),
               "clEnqueueWriteBuffer");
    timeline_.add(name("write", i), "write", cl::Event(event), started);
  }
}

void Placement::launch(const NDRange& range) {
  if (!(range == launch_.range())) launch_.set_range(range);
  cl_event event = nullptr;
  const auto started = now_ns();
  launch_.enqueue(queue_.cl()(), {}, &event);
  timeline_.add(job_.kernel, "kernel", cl::Event(event), started);
}

void Placement::download(Target target) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (!slot.written || slot.device.is_host_memory) continue;
    const auto& data = buffer(i)->data;
    if (target == Target::own && slot.own.empty()) slot.own = HostArray(data.size());
    void* into = target == Target::result ? static_cast<void*>(data.data()) : slot.own.data();
    cl_event event = nullptr;
    const auto started = now_ns();
    check_cl(::clEnqueueReadBuffer(queue_.cl()(), slot.device.cl(), CL_FALSE, 0, data.size(), into,
                                   0, nullptr, &event),
             "clEnqueueReadBuffer");
    timeline_.add(name("read", i), "read", cl::Event(event), started);
  }
}

void Placement::flush() { check_cl(::clFlush(queue_.cl()()), "clFlush"); }
void Placement::finish() { check_cl(::clFinish(queue_.cl()()), "clFinish"); }

ByteView Placement::written(std::size_t argument) const { return slots_[argument].own.view(); }

}  // namespace kiln
