#include "schedule/guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace kiln {
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
    check_cl(::clEnqueueWriteBuffer(queue.cl()(), outer_.cl(), CL_TRUE, at, zone_, pattern.data(),
                                    0, nullptr, nullptr),
             "clEnqueueWriteBuffer");
}

std::optional<Overrun> GuardedBuffer::check(const Queue& queue, std::size_t element_bytes) {
  if (zone_ == 0) return {};
  const ByteView pattern = zone_pattern();
  const std::size_t unit = std::max<std::size_t>(element_bytes, 1);
  std::vector<std::byte> found(zone_);
  Overrun overrun;
  bool changed = false;
  for (const bool behind : {false, true}) {
    check_cl(
        ::clEnqueueReadBuffer(queue.cl()(), outer_.cl(), CL_TRUE, behind ? zone_ + inner_.bytes : 0,
                              zone_, found.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
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

}  // namespace kiln
