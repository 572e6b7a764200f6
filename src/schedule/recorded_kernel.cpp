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

RecordedCall recorded_call(const SourceKernel& kernel, const std::vector<Queue>& queues) {
  RecordedCall call;
  call.kind = "kernel";
  call.name = kernel.kernel;
  call.facts = {{"file", kernel.file.string()},
                {"kernel", kernel.kernel},
                {"options", kernel.options},
                {"global", sizes_text(kernel.range.global, kernel.range.dimensions)},
                {"local", sizes_text(kernel.range.local, kernel.range.dimensions)}};
  for (const auto& queue : queues) call.devices.push_back(RecordedDevice::of(*queue.device()));
  return call;
}

Expected<SourceKernel> source_kernel_of(const RecordedCall& recorded) {
  SourceKernel kernel;
  kernel.file = recorded.text("file");
  kernel.kernel = recorded.text("kernel");
  kernel.options = recorded.text("options");
  if (kernel.file.empty()) return fail(Errc::bad_input, "'file': expected a path");
  if (kernel.kernel.empty()) return fail(Errc::bad_input, "'kernel': expected a name");
  const auto global = parse_sizes(recorded.text("global"));
  if (!global) return fail(Errc::bad_input, "'global': " + global.error().message());
  const auto local = parse_sizes(recorded.text("local"));
  if (!local) return fail(Errc::bad_input, "'local': " + local.error().message());
  if (local->size() != global->size())
    return fail(Errc::bad_input, fmt::format("'local': found {} dimensions, expected {}",
                                             local->size(), global->size()));
  kernel.range.dimensions = static_cast<unsigned>(global->size());
  std::copy(global->begin(), global->end(), kernel.range.global.begin());
  std::copy(local->begin(), local->end(), kernel.range.local.begin());
  for (unsigned d = 0; d < kernel.range.dimensions; ++d)
    if (kernel.range.global[d] % kernel.range.local[d] != 0)
      return fail(Errc::bad_input, "'local': expected divisors of 'global'");
  return kernel;
}

void count_run(CallCounter* counter, const RunReport& report) {
  if (counter == nullptr) return;
  counter->add_call(report.wall_ns);
  std::int64_t longest = 0;
  for (const auto& share : report.shares) longest = std::max(longest, share.kernel_ns);
  if (longest > 0) counter->add_timed(longest);
}

}  // namespace kiln
