#include "schedule/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/clock.hpp"

namespace kiln {
namespace {

struct Stamps {
  std::int64_t queued = 0, start = 0, end = 0;
  bool known = false;
};

Stamps stamps_of(const cl::Event& event) {
  Stamps stamps;
  cl_ulong queued = 0, start = 0, end = 0;
  const auto ask = [&](cl_profiling_info what, cl_ulong& into) {
    return ::clGetEventProfilingInfo(event(), what, sizeof into, &into, nullptr) == CL_SUCCESS;
  };
  stamps.known = ask(CL_PROFILING_COMMAND_QUEUED, queued) &&
                 ask(CL_PROFILING_COMMAND_START, start) && ask(CL_PROFILING_COMMAND_END, end);
  stamps.queued = static_cast<std::int64_t>(queued);
  stamps.start = static_cast<std::int64_t>(start);
  stamps.end = static_cast<std::int64_t>(end);
  return stamps;
}

}  // namespace

std::int64_t duration_ns(const cl::Event& command) {
  const Stamps stamps = stamps_of(command);
  return stamps.known ? stamps.end - stamps.start : 0;
}

void QueueTimeline::add(std::string name, std::string category, cl::Event event,
                        std::int64_t enqueued_ns, std::uint32_t id,
                        std::vector<std::uint32_t> after) {
  commands_.push_back(
      {std::move(name), std::move(category), std::move(event), enqueued_ns, id, std::move(after)});
}

void QueueTimeline::send(TraceSink& sink) const {
  std::vector<Stamps> stamps;
  ClockDistance clocks;
  for (const auto& command : commands_) {
    stamps.push_back(stamps_of(command.event));
    if (stamps.back().known) clocks.note(stamps.back().queued, command.enqueued_ns);
  }
  for (std::size_t i = 0; i < commands_.size(); ++i)
    if (stamps[i].known)
      sink.add({lane_,
                commands_[i].name,
                commands_[i].category,
                clocks.on_host(stamps[i].start),
                clocks.on_host(stamps[i].end),
                {},
                commands_[i].id,
                commands_[i].after});
}

std::int64_t QueueTimeline::total_ns(std::string_view category) const {
  std::int64_t total = 0;
  for (const auto& command : commands_)
    if (command.category == category) total += duration_ns(command.event);
  return total;
}

void QueueTimeline::settle(std::chrono::milliseconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (const auto& command : commands_) {
    cl_int status = CL_QUEUED;  // above CL_COMPLETE, as is all that has not ended
    while (::clGetEventInfo(command.event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                            &status, nullptr) == CL_SUCCESS &&
           status > CL_COMPLETE && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

namespace {

/// A multiple of what devices ask of a sub-buffer's begin (CL_DEVICE_MEM_BASE_ADDR_ALIGN).
constexpr std::size_t zone_unit = 4096, smallest_zone = std::size_t{64} << 10;
constexpr std::size_t largest_zone = std::size_t{256} << 10;

/// What the zones hold: as float a number in [1, 2), as double a small one, as int a large one, so
/// that what kernels do to numbers (adding, storing zero) changes them. No two neighbours are
/// alike.
ByteView zone_pattern() {
  static const std::vector<cl_uint> words = [] {
    std::vector<cl_uint> made(largest_zone / sizeof(cl_uint));
    cl_uint state = 1;
    for (auto& word : made) {
      state = state * 1664525u + 1013904223u;
      word = 0x3f800000u | (state >> 9);
    }
    return made;
  }();
  return {reinterpret_cast<const std::byte*>(words.data()), words.size() * sizeof(cl_uint)};
}

std::size_t zone_size(const Device& device, std::size_t bytes) {
  const std::size_t wanted =
      std::clamp((bytes + zone_unit - 1) / zone_unit * zone_unit, smallest_zone, largest_zone);
  const std::size_t room = device.max_allocation > bytes ? device.max_allocation - bytes : 0;
  return std::min(wanted, room / 2 / zone_unit * zone_unit);
}

std::string side_text(const Overrun::Side& side, const char* where, const std::string& first) {
  return fmt::format("{} element{} {}, the first at {}", side.elements,
                     side.elements == 1 ? "" : "s", where, first);
}

}  // namespace

GuardedBuffer::GuardedBuffer(const Queue& queue, std::size_t bytes)
    : zone_(zone_size(*queue.device(), bytes)) {
  if (zone_ == 0) {
    inner_ = make_buffer(*queue.context(), *queue.device(), nullptr, bytes);
    return;
  }
  outer_ = make_buffer(*queue.context(), *queue.device(), nullptr, bytes + 2 * zone_);
  cl_buffer_region region{zone_, bytes};
  cl_int status = CL_SUCCESS;
  inner_.cl =
      outer_.cl.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  check_cl(status, "clCreateSubBuffer");
  inner_.bytes = bytes;
  write_zones(queue);
}

void GuardedBuffer::write_zones(const Queue& queue) {
  const ByteView pattern = zone_pattern();
  for (const std::size_t at : {std::size_t{0}, zone_ + inner_.bytes})
    enqueue_write(queue, outer_.cl, at, pattern.first(zone_), {.waits = true});
}

std::optional<Overrun> GuardedBuffer::check(const Queue& queue, std::size_t element_bytes) {
  if (zone_ == 0) return {};
  const ByteView pattern = zone_pattern();
  const std::size_t unit = std::max<std::size_t>(element_bytes, 1);
  std::vector<std::byte> found(zone_);
  Overrun overrun;
  bool changed = false;
  for (const bool behind : {false, true}) {
    enqueue_read(queue, outer_.cl, behind ? zone_ + inner_.bytes : 0, found, {.waits = true});
    if (std::memcmp(found.data(), pattern.data(), zone_) == 0) continue;
    changed = true;
    Overrun::Side& side = behind ? overrun.behind : overrun.before;
    // Elements count from the buffer's edge; the farthest one may be cut off by the zone's end.
    for (std::size_t k = 0; k * unit < zone_; ++k) {
      const std::size_t size = std::min(unit, zone_ - k * unit);
      const std::size_t at = behind ? k * unit : zone_ - k * unit - size;
      if (std::memcmp(found.data() + at, pattern.data() + at, size) == 0) continue;
      if (side.elements++ == 0) side.distance = k;
    }
  }
  if (!changed) return {};
  write_zones(queue);
  return overrun;
}

std::string text_of(const Overrun& overrun, std::size_t bytes, std::size_t element_bytes) {
  const std::size_t unit = std::max<std::size_t>(element_bytes, 1);
  std::string text;
  if (overrun.behind.elements > 0) {
    // A last element that is cut off ends where the buffer does.
    const std::size_t byte = bytes + overrun.behind.distance * unit;
    text = side_text(overrun.behind, "behind its end",
                     fmt::format("element {} (byte {})", byte / unit, byte));
  }
  if (overrun.before.elements > 0) {
    const std::size_t element = overrun.before.distance + 1;
    text += (text.empty() ? "" : "; ") +
            side_text(overrun.before, "before its begin",
                      fmt::format("element -{} (byte -{})", element, element * unit));
  }
  return text;
}

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

/// For buffers in host memory: writes the initial contents in place.
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
  const cl::Buffer& buffer = slots_[argument].device.cl;
  const auto started = now_ns();
  timeline_.add(name("write", argument), "write",
                contents.empty() ? enqueue_zeros(queue_, buffer, range)
                                 : enqueue_write(queue_, buffer, range.begin,
                                                 contents.subspan(range.begin, range.size())),
                started);
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
    const auto into = to_result ? data : slot.own.span();
    const ByteRange range = ranges[i].value_or(ByteRange{0, data.size()});
    const auto started = now_ns();
    timeline_.add(
        name("read", i), "read",
        enqueue_read(queue_, slot.device.cl, range.begin, into.subspan(range.begin, range.size())),
        started);
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
