// The reader of measured spaces on arbitrary bytes, compressed or not: one line of error, or a
// space whose every configuration has an outcome.
#include "tune/replay/measured_space.hpp"

#include <algorithm>
#include <cstdlib>

using namespace kiln;
using namespace kiln::tune;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const MeasuredSpace& measured) {
  require(measured.outcomes.size() == measured.space.size());
  require(measured.fastest > 0);
  double least = 0;
  for (const auto& outcome : measured.outcomes) {
    if (!outcome.ok()) continue;
    require(outcome.time > 0);
    least = least == 0 ? outcome.time : std::min(least, outcome.time);
  }
  require(least == measured.fastest);
  require(measured.failures() < measured.outcomes.size());
  for (ConfigurationId id = 0; id < std::min<ConfigurationId>(measured.space.size(), 50); ++id)
    require(measured.space.find(measured.space.positions(id)) == id);
}

/// What may stand for more text than the bound ends there.
void check_text(ByteView bytes) {
  constexpr std::uint64_t most = 1 << 16;
  TextSource source(bytes, most);
  std::uint64_t count = 0;
  while (source.sbumpc() >= 0) ++count;
  require(count <= most);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  check_text(bytes);
  const auto measured = read_measured_space(bytes, "cache.json");
  if (measured)
    check(*measured);
  else
    require(measured.error().message().find('\n') == std::string::npos);
  return 0;
}
