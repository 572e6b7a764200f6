// The clocks of parts, which may be on machines of their own.
#include "mesh/model/clocks.hpp"

#include <array>
#include <limits>
#include <span>
#include <string_view>

#include "base/clock.hpp"

namespace kiln::mesh {
namespace {

/// The first message between two parts makes their connection.
constexpr int clock_rounds = 16;
constexpr std::string_view clocks_of_parts = "clocks of the parts";

using Stamp = std::array<std::int64_t, 1>;

std::span<std::byte> bytes_of(Stamp& stamp) { return std::as_writable_bytes(std::span(stamp)); }

/// Part 0: tells another part its time as often as that asks.
void answer(Transport& transport, int rank) {
  Stamp question{}, time{};
  for (int round = 0; round < clock_rounds; ++round) {
    const Transport::Message in{rank, bytes_of(question)};
    transport.start({&in, 1}, {}, clocks_of_parts);
    transport.finish(clocks_of_parts);
    time[0] = now_ns();
    const Transport::Message out{rank, bytes_of(time)};
    transport.start({}, {&out, 1}, clocks_of_parts);
    transport.finish(clocks_of_parts);
  }
}

ClockReading ask(Transport& transport) {
  Stamp question{}, time{};
  const Transport::Message in{0, bytes_of(time)}, out{0, bytes_of(question)};
  ClockReading best;
  std::int64_t quickest = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < clock_rounds; ++round) {
    const std::int64_t start = now_ns();
    transport.start({&in, 1}, {&out, 1}, clocks_of_parts);
    transport.finish(clocks_of_parts);
    const std::int64_t end = now_ns();
    if (end - start >= quickest) continue;
    quickest = end - start;
    const std::int64_t middle = start + quickest / 2;
    best = {middle, time[0] - middle};
  }
  return best;
}

}  // namespace

ClockReading read_clocks(Transport& transport) {
  if (transport.rank() > 0) return ask(transport);
  for (int rank = 1; rank < transport.size(); ++rank) answer(transport, rank);
  return {};
}

std::int64_t CommonClock::on_first_part(std::int64_t ns) const {
  if (last_.at_ns <= first_.at_ns) return ns + first_.ahead_ns;
  const double share =
      static_cast<double>(ns - first_.at_ns) / static_cast<double>(last_.at_ns - first_.at_ns);
  return ns + first_.ahead_ns +
         static_cast<std::int64_t>(share * static_cast<double>(last_.ahead_ns - first_.ahead_ns));
}

}  // namespace kiln::mesh
