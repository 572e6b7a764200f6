// Halos of Dats that are in a device's own memory.
#include "mesh/halo/device_staging.hpp"

#include <algorithm>
#include <map>

#include "device/opencl.hpp"
#include "device/transfer.hpp"
#include "kernel/resolver/explain.hpp"
#include "mesh/codegen/helper_text.hpp"

namespace kiln::mesh {
namespace {

constexpr std::size_t group = 64;

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

}  // namespace

DeviceStaging::Memory::Memory(const Queue& queue, std::size_t bytes)
    : host(transfer_memory(queue, std::max<std::size_t>(bytes, 1))),
      device(device_memory(*queue.context(), std::max<std::size_t>(bytes, 1))) {}

DeviceStaging::DeviceStaging(Session& session, std::span<const HaloRead> reads,
                             const MessageLayout& layout, MessageLayout::Way way, Memory& memory)
    : memory_(memory), bytes_(layout.bytes) {
  std::map<std::size_t, std::vector<const MessageLayout::Segment*>> by_read;
  for (const auto& segment : layout.segments) by_read[segment.read].push_back(&segment);
  for (const auto& [read, segments] : by_read) {
    DatState& dat = *reads[read].dat;
    const auto& form = dat.data.form();
    const std::size_t item = size_of(form.type), row = row_bytes(dat);
    const Unit unit = *std::ranges::find_if(units, [&](const Unit& one) {
      return item % one.bytes == 0 && std::ranges::all_of(segments, [&](const auto* segment) {
               return segment->at % one.bytes == 0;
             });
    });
    std::vector<cl_int> elements;
    std::vector<cl_long> places;
    for (const auto* segment : segments)
      for (std::size_t k = 0; k < segment->elements.size(); ++k) {
        elements.push_back(segment->elements[k]);
        places.push_back(static_cast<cl_long>((segment->at + k * row) / unit.bytes));
      }
    const std::size_t per = item / unit.bytes;
    const bool by_component = form.layout == DataLayout::soa && form.dim > 1;
    Launch launch(session.context(), program_of(session, unit),
                  way == MessageLayout::Way::out ? "kiln_halo_gather" : "kiln_halo_scatter");
    const Context& context = *session.context();
    Piece& piece = pieces_.emplace_back(
        Piece{std::move(launch), uploaded(context, elements), uploaded(context, places)});
    piece.launch.set_memory(0, dat.data.on_device(session.queue));
    piece.launch.set_buffer(1, memory.device);
    piece.launch.set_buffer(2, piece.elements);
    piece.launch.set_buffer(3, piece.places);
    piece.launch.set_scalar(4, static_cast<cl_int>(elements.size()));
    piece.launch.set_scalar(5, static_cast<cl_int>(row / unit.bytes));
    piece.launch.set_scalar(6, static_cast<cl_int>(per));
    piece.launch.set_scalar(7, static_cast<cl_long>(by_component ? per : row / unit.bytes));
    piece.launch.set_scalar(8, static_cast<cl_long>(by_component ? per * form.elements : per));
    NDRange range;
    range.local[0] = group;
    range.global[0] = (elements.size() + group - 1) / group * group;
    piece.launch.set_range(range);
  }
}

DeviceStaging::~DeviceStaging() {
  // The memory goes next. In a forked child nothing runs, and waiting for it would not end.
  if (done_() == nullptr || is_forked_with_drivers()) return;
  const cl_event event = done_();
  ::clWaitForEvents(1, &event);
}

void DeviceStaging::gather(const Queue& queue) {
  done_ = cl::Event();
  if (bytes_ == 0) return;
  for (Piece& piece : pieces_) piece.launch.enqueue(queue.cl()());
  done_ = enqueue_read(queue, memory_.device, 0, memory_.host.span().first(bytes_));
  check_cl(::clFlush(queue.cl()()), "clFlush");
}

void DeviceStaging::wait() {
  if (done_() == nullptr) return;
  const cl_event event = done_();
  check_cl(::clWaitForEvents(1, &event), "clWaitForEvents");
  done_ = cl::Event();
}

void DeviceStaging::scatter(const Queue& queue) {
  if (bytes_ == 0) return;
  done_ = enqueue_write(queue, memory_.device, 0, memory_.host.view().first(bytes_));
  for (Piece& piece : pieces_) piece.launch.enqueue(queue.cl()());
}

}  // namespace kiln::mesh
