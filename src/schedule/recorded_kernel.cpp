#include "schedule/recorded_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/data/text.hpp"

namespace kiln {

std::string sizes_text(const std::array<std::size_t, 3>& sizes, unsigned dimensions) {
  return fmt::format("{}", fmt::join(sizes.begin(), sizes.begin() + dimensions, "x"));
}

Expected<std::vector<std::size_t>> parse_sizes(std::string_view text) {
  std::vector<std::size_t> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (sizes.size() < 3) {
    std::size_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size == 0) break;
    sizes.push_back(size);
    if (next == end) return sizes;
    if (*next != 'x') break;
    at = next + 1;
  }
  return fail(Errc::bad_input,
              fmt::format("found '{}', expected sizes as 64 or 16x16", one_line(text)));
}

namespace {

void fields(FactFields& to, SourceKernel& kernel) {
  std::string file = kernel.file.string();
  to.text("file", file, "a path");
  kernel.file = file;
  to.text("kernel", kernel.kernel, "a name");
  to.text("options", kernel.options);
  NDRange& range = kernel.range;
  const auto sizes = [&](const char* name, std::array<std::size_t, 3>& values) {
    std::vector<std::size_t> list;
    to.parsed(name, list, sizes_text(values, range.dimensions), parse_sizes);
    std::copy(list.begin(), list.end(), values.begin());
    return static_cast<unsigned>(list.size());
  };
  const unsigned dimensions = sizes("global", range.global), local = sizes("local", range.local);
  if (!to.reads()) return;
  range.dimensions = dimensions;
  if (dimensions == 0) throw Error(Errc::bad_input, "'global': expected sizes as 64 or 16x16");
  if (local != dimensions)
    throw Error(Errc::bad_input,
                fmt::format("'local': found {} dimensions, expected {}", local, dimensions));
  for (unsigned d = 0; d < dimensions; ++d)
    if (range.global[d] % range.local[d] != 0)
      throw Error(Errc::bad_input, "'local': expected divisors of 'global'");
}

}  // namespace

RecordedCall recorded_call(const SourceKernel& kernel, const std::vector<Queue>& queues) {
  RecordedCall call;
  call.kind = "kernel";
  call.name = kernel.kernel;
  call.facts = to_facts(kernel, fields);
  for (const auto& queue : queues) call.devices.push_back(RecordedDevice::of(*queue.device()));
  return call;
}

Expected<SourceKernel> source_kernel_of(const RecordedCall& recorded) {
  return from_facts<SourceKernel>(recorded.facts, fields);
}

void count_run(CallCounter* counter, const RunReport& report) {
  if (counter == nullptr) return;
  counter->add_call(report.wall_ns);
  std::int64_t longest = 0;
  for (const auto& share : report.shares) longest = std::max(longest, share.kernel_ns);
  if (longest > 0) counter->add_timed(longest);
}

}  // namespace kiln
