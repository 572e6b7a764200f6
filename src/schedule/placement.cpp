#include "schedule/placement.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "schedule/argument_check.hpp"

namespace kiln {

Placement::Placement(Queue queue, Program& program, const Job& job, std::string lane,
                     OwnMemory memory)
    : queue_(std::move(queue)),
      job_(job),
      launch_(queue_.context(), program, job.kernel),
      slots_(job.arguments.size()),
      timeline_(std::move(lane)),
      memory_(memory),
      host_memory_(queue_.device()->host_memory && memory == OwnMemory::where_needed) {
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
    void* host = works_in_host_memory() ? data.data() : nullptr;
    if (!in_place && works_in_host_memory()) {
      slot.own = HostArray(data.size());
      host = slot.own.data();
    }
    if (memory_ == OwnMemory::guarded) {
      slot.guarded = GuardedBuffer(queue_, data.size());
      chosen = slot.guarded.inner();
    } else {
      chosen = make_buffer(*queue_.context(), device(), host, data.size());
    }
  }
  slot.device = chosen;
  launch_.set_buffer(static_cast<unsigned>(argument), slot.device.cl);
}

/// The memory itself is the host's: what this run writes starts anew in place.
void Placement::reset_in_place(std::size_t argument, ByteView contents) {
  Slot& slot = slots_[argument];
  const auto& data = buffer(argument)->data;
  const bool on_result = slot.own.empty() || slot.device.cl() == slot.on_result.cl();
  std::byte* memory = on_result ? data.data() : slot.own.data();
  if (contents.empty())
    std::memset(memory, 0, data.size());
  else
    std::memcpy(memory, contents.data(), contents.size());
}

void Placement::transfer_in(std::size_t argument, ByteView contents, const ByteRange& range) {
  static constexpr cl_uchar zero = 0;
  const cl_command_queue queue = queue_.cl()();
  const cl_mem memory = slots_[argument].device.cl();
  cl_event event = nullptr;
  const auto started = now_ns();
  if (contents.empty())
    check_cl(::clEnqueueFillBuffer(queue, memory, &zero, 1, range.begin, range.size(), 0, nullptr,
                                   &event),
             "clEnqueueFillBuffer");
  else
    check_cl(::clEnqueueWriteBuffer(queue, memory, CL_FALSE, range.begin, range.size(),
                                    contents.data() + range.begin, 0, nullptr, &event),
             "clEnqueueWriteBuffer");
  timeline_.add(name("write", argument), "write", cl::Event(event), started);
}

void Placement::upload(const std::vector<ByteView>& initial, const Ranges& ranges, Reset reset) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto* argument = buffer(i);
    if (argument == nullptr) continue;
    const Slot& slot = slots_[i];
    const ByteView contents = slot.written ? initial[i] : ByteView(argument->data);
    if (!slot.device.is_host_memory)
      transfer_in(i, contents, ranges[i].value_or(ByteRange{0, argument->data.size()}));
    else if (slot.written && reset == Reset::yes)
      reset_in_place(i, contents);
  }
}

void Placement::launch(const NDRange& range) {
  if (!(range == launch_.range())) launch_.set_range(range);
  cl_event event = nullptr;
  const auto started = now_ns();
  launch_.enqueue(queue_.cl()(), {}, &event);
  timeline_.add(job_.kernel, "kernel", cl::Event(event), started);
}

void Placement::download(Target target, const Ranges& ranges) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (!slot.written || slot.device.is_host_memory) continue;
    const auto& data = buffer(i)->data;
    const bool to_result = target == Target::result || ranges[i];
    if (!to_result && slot.own.empty()) slot.own = HostArray(data.size());
    std::byte* into = to_result ? data.data() : slot.own.data();
    const ByteRange range = ranges[i].value_or(ByteRange{0, data.size()});
    cl_event event = nullptr;
    const auto started = now_ns();
    check_cl(::clEnqueueReadBuffer(queue_.cl()(), slot.device.cl(), CL_FALSE, range.begin,
                                   range.size(), into + range.begin, 0, nullptr, &event),
             "clEnqueueReadBuffer");
    timeline_.add(name("read", i), "read", cl::Event(event), started);
  }
}

void Placement::flush() { check_cl(::clFlush(queue_.cl()()), "clFlush"); }

void Placement::finish() {
  const cl_int status = ::clFinish(queue_.cl()());
  if (status == CL_SUCCESS) return check_guards();
  // What was enqueued may still write to memory that is freed once this error is out.
  timeline_.settle(std::chrono::seconds(2));
  throw cl_error("clFinish", status);
}

void Placement::check_guards() {
  if (memory_ != OwnMemory::guarded) return;
  std::string found;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto* argument = buffer(i);
    if (argument == nullptr || slots_[i].guarded.inner().cl() == nullptr) continue;
    const auto overrun = slots_[i].guarded.check(queue_, argument->element_bytes);
    if (!overrun) continue;
    found += fmt::format("{}argument {}, a buffer of {} bytes: {}", found.empty() ? "" : "; ",
                         argument_name(launch_.info(), {}, i), argument->data.size(),
                         text_of(*overrun, argument->data.size(), argument->element_bytes));
  }
  if (!found.empty())
    throw Error(Errc::device, fmt::format("kernel {} writes outside of {}", job_.kernel, found));
}

ByteView Placement::written(std::size_t argument) const { return slots_[argument].own.view(); }

}  // namespace kiln
