#pragma once

#include <cstdint>
#include <optional>

#include "kiln/mesh/distribution.hpp"

namespace kiln::mesh {

/// How far part 0's clock (now_ns()) is ahead of this part's, and when that was found. All parts
/// call it. The quickest of several messages there and back bounds the error: by half the time that
/// it took (Cristian, Probabilistic clock synchronization, 1989).
struct ClockReading {
  std::int64_t at_ns = 0, ahead_ns = 0;
};
ClockReading read_clocks(Transport& transport);

/// Two readings, between which clocks drift evenly.
class CommonClock {
 public:
  CommonClock(const ClockReading& first, const ClockReading& last) : first_(first), last_(last) {}
  /// A time of this part's on part 0's clock.
  std::int64_t on_first_part(std::int64_t ns) const;

 private:
  ClockReading first_, last_;
};

}  // namespace kiln::mesh
