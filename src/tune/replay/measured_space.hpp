#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "tune/strategy/outcome.hpp"

namespace kiln::tune {

/// A space of which every configuration was measured, or as many as a file holds: what strategies
/// can be compared on without a device.
struct MeasuredSpace {
  std::string device, kernel;     ///< as the file says; may be empty
  SearchSpace space;              ///< of the measured configurations alone
  std::vector<Outcome> outcomes;  ///< by ConfigurationId; times in milliseconds
  double fastest = 0;             ///< the least time

  std::size_t failures() const;
  /// All of it, as what was measured on another device.
  std::vector<Trial> trials() const;
};

/// Reads a Kernel Tuner cache file or a T4 results file, compressed (gzip) or not, whatever its
/// name. `name` stands in errors, which are one line: "NAME: byte 17: …", "NAME: configuration
/// '16,1': …". The text may take 4 GiB; only what counts of it is held. docs/formats/tuning.md
/// has both layouts. A file without one time is an error.
Expected<MeasuredSpace> read_measured_space(ByteView bytes, std::string_view name);

}  // namespace kiln::tune
