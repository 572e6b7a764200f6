// Halos of Dats that are in a device's own memory.
#include "mesh/halo/device_staging.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/clock.hpp"
#include "device/opencl.hpp"
#include "device/transfer.hpp"
#include "kernel/resolver/explain.hpp"
#include "mesh/codegen/helper_text.hpp"

namespace kiln::mesh {
namespace {

constexpr std::size_t group = 64;
/// As many as a kernel of templates/halo.cl takes.
constexpr std::size_t dats_a_launch = 4;
constexpr double longest_poll = 1e-3;  ///< seconds

struct Unit {
  const char* name;
  std::size_t bytes;
};
constexpr Unit units[] = {{"ulong", 8}, {"uint", 4}, {"ushort", 2}, {"uchar", 1}};

Program& program_of(Session& session, const Unit& unit) {
  Request request;
  request.family = "source";
  request.source = value_or_throw(
      from_text(fmt::format("#define UNIT {}\n{}", unit.name, template_text("halo")), "mesh halo"));
  request.options = value_or_throw(build_options({}, {"-cl-std=CL1.2"}));
  request.label = "mesh halo";
  NDRange range;
  range.local[0] = range.global[0] = group;
  const std::vector<KernelVariant> wanted{variant_of("kiln_halo_gather", range),
                                          variant_of("kiln_halo_scatter", range)};
  EnvironmentExplanation explanation;
  return session.resolver().resolve(request, {}, session.context(), session.device(), wanted,
                                    explains_by_environment() ? explanation.get() : nullptr);
}

template <class T>
cl::Buffer uploaded(const Context& context, std::vector<T>& values) {
  cl_int status = CL_SUCCESS;
  cl::Buffer buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                    values.size() * sizeof(T), values.data(), &status);
  check_cl(status, "clCreateBuffer");
  return buffer;
}

cl::Buffer device_memory(const Context& context, std::size_t bytes) {
  cl_int status = CL_SUCCESS;
  cl::Buffer buffer(context.cl(), CL_MEM_READ_WRITE, bytes, nullptr, &status);
  check_cl(status, "clCreateBuffer");
  return buffer;
}

/// Asks again and again: a thread that sleeps is told late, and what it does next is waited for by
/// others.
void wait_for(const cl::Event& event) {
  if (event() == nullptr) return;
  cl_int state = CL_QUEUED;
  const Stopwatch watch;
  do {
    check_cl(
        ::clGetEventInfo(event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
        "clGetEventInfo");
  } while (state > CL_COMPLETE && watch.seconds() < longest_poll);
  const cl_event waited = event();
  check_cl(::clWaitForEvents(1, &waited), "clWaitForEvents");
}

}  // namespace

DeviceStaging::Memory::Memory(const Queue& loops, const Queue& other, std::size_t bytes)
    : host(transfer_memory(loops, std::max<std::size_t>(bytes, 1))),
      device(device_memory(*loops.context(), std::max<std::size_t>(bytes, 1))),
      transfers(other) {}

DeviceStaging::Memory::~Memory() {
  // In a forked child nothing runs, and waiting for it would not end.
  if (is_forked_with_drivers()) return;
  if (const cl_event pending = transferred(); pending != nullptr) ::clWaitForEvents(1, &pending);
}

void DeviceStaging::Memory::wait() { wait_for(std::exchange(transferred, cl::Event())); }

DeviceStaging::DeviceStaging(Session& session, std::span<const HaloRead> reads,
                             const MessageLayout& layout, MessageLayout::Way way, Memory& memory)
    : memory_(memory), bytes_(layout.bytes) {
  std::map<std::size_t, std::vector<const MessageLayout::Segment*>> by_read;
  for (const auto& segment : layout.segments) by_read[segment.read].push_back(&segment);
  for (auto begin = by_read.begin(); begin != by_read.end();) {
    std::vector<Moved> some;
    for (; begin != by_read.end() && some.size() < dats_a_launch; ++begin)
      some.push_back({reads[begin->first].dat, begin->second});
    add_piece(session, some, way);
  }
}

/// One launch for some Dats.
void DeviceStaging::add_piece(Session& session, std::span<const Moved> dats,
                              MessageLayout::Way way) {
  const Unit unit = *std::ranges::find_if(units, [&](const Unit& one) {
    return std::ranges::all_of(dats, [&](const Moved& moved) {
      return size_of(moved.dat->data.form().type) % one.bytes == 0 &&
             std::ranges::all_of(moved.segments,
                                 [&](const auto* segment) { return segment->at % one.bytes == 0; });
    });
  });
  std::vector<cl_int> elements;
  std::vector<cl_long> places;
  Launch launch(session.context(), program_of(session, unit),
                way == MessageLayout::Way::out ? "kiln_halo_gather" : "kiln_halo_scatter");
  unsigned position = 3;
  for (std::size_t at = 0; at < dats_a_launch; ++at) {
    // Where there are fewer, the last one stands for those that have no elements.
    const Moved& moved = dats[std::min(at, dats.size() - 1)];
    const auto& form = moved.dat->data.form();
    const std::size_t item = size_of(form.type), row = row_bytes(*moved.dat);
    if (at < dats.size())
      for (const auto* segment : moved.segments)
        for (std::size_t k = 0; k < segment->elements.size(); ++k) {
          elements.push_back(segment->elements[k]);
          places.push_back(static_cast<cl_long>((segment->at + k * row) / unit.bytes));
        }
    const std::size_t per = item / unit.bytes;
    const bool by_component = form.layout == DataLayout::soa && form.dim > 1;
    launch.set_memory(position++, moved.dat->data.on_device(session.queue));
    launch.set_scalar(position++, static_cast<cl_int>(elements.size()));
    launch.set_scalar(position++, static_cast<cl_int>(row / unit.bytes));
    launch.set_scalar(position++, static_cast<cl_int>(per));
    launch.set_scalar(position++, static_cast<cl_long>(by_component ? per : row / unit.bytes));
    launch.set_scalar(position++, static_cast<cl_long>(by_component ? per * form.elements : per));
  }
  const Context& context = *session.context();
  Piece& piece = pieces_.emplace_back(
      Piece{std::move(launch), uploaded(context, elements), uploaded(context, places)});
  piece.launch.set_buffer(0, memory_.device);
  piece.launch.set_buffer(1, piece.elements);
  piece.launch.set_buffer(2, piece.places);
  NDRange range;
  range.local[0] = group;
  range.global[0] = (elements.size() + group - 1) / group * group;
  piece.launch.set_range(range);
}

void DeviceStaging::enqueue(const Queue& queue, const cl::Event& after) {
  const cl_event earlier = after();
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    const bool waits = k == 0 && earlier != nullptr;
    pieces_[k].launch.enqueue(queue.cl()(), {&earlier, waits ? std::size_t{1} : 0});
  }
}

cl::Event DeviceStaging::end_of(const Queue& loops) {
  cl_event all = nullptr;
  check_cl(::clEnqueueMarkerWithWaitList(loops.cl()(), 0, nullptr, &all),
           "clEnqueueMarkerWithWaitList");
  return cl::Event(all);
}

void DeviceStaging::gather(const Queue& loops, Where where, const cl::Event& computed) {
  if (bytes_ == 0) return;
  const Queue& queue = queue_for(loops, where);
  // What was given up may still be on its way to the host.
  memory_.wait();
  // What another queue waits for must be on its way.
  if (where == Where::next_to_loops) check_cl(::clFlush(loops.cl()()), "clFlush");
  enqueue(queue, computed);
  memory_.transferred = enqueue_read(queue, memory_.device, 0, memory_.host.span().first(bytes_));
  check_cl(::clFlush(queue.cl()()), "clFlush");
}

void DeviceStaging::scatter(const Queue& loops, Where where) {
  if (bytes_ == 0) return;
  const Queue& queue = queue_for(loops, where);
  // Kernels that read the device's memory on the other queue come first.
  cl::Event used;
  if (memory_.where && *memory_.where != where) {
    const Queue& other = where == Where::with_loops ? memory_.transfers : loops;
    used = end_of(other);
    check_cl(::clFlush(other.cl()()), "clFlush");
  }
  const cl_event before = used();
  memory_.transferred = enqueue_write(queue, memory_.device, 0, memory_.host.view().first(bytes_),
                                      {.after = {&before, before == nullptr ? std::size_t{0} : 1}});
  enqueue(queue, {});
  memory_.where = where;
  if (where == Where::with_loops) return;
  const cl::Event scattered = end_of(queue);
  check_cl(::clFlush(queue.cl()()), "clFlush");
  const cl_event after = scattered();
  check_cl(::clEnqueueBarrierWithWaitList(loops.cl()(), 1, &after, nullptr),
           "clEnqueueBarrierWithWaitList");
}

}  // namespace kiln::mesh
