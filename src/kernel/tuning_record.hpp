#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "kernel/parameters.hpp"

namespace kiln {

/// Parameters that were tried once, and what came of it.
struct Measurement {
  /// Whose kernels were measured. Times of other programs' kernels say which of *their* Parameters
  /// are good, and little about Kiln's: they never win against Kiln's own.
  enum class Of : std::uint8_t { kiln, others };
  Parameters parameters;
  std::int64_t size = 0;    ///< of the problem, as Request::problem_size; 0: not known
  double milliseconds = 0;  ///< 0: not known
  Of of = Of::kiln;
  std::string from;     ///< for people: "Tahiti.kdb, LDS based block gemm, record 3"
  Parameters original;  ///< what stood where it came from, in that program's own words
  bool operator==(const Measurement&) const = default;
};

/// What is known of one family, problem class and device: every measurement, the latest last.
struct TuningRecord {
  std::vector<Measurement> history;

  /// The measurement whose Parameters are to be used for a problem of this size, among those that
  /// `usable` takes: Kiln's own before others', then the nearest size (as a ratio), then the least
  /// time, then the latest. Null where there is none. A measurement of others that has no time
  /// counts for nothing.
  const Measurement* best(std::int64_t size,
                          const std::function<bool(const Measurement&)>& usable) const;

  /// Adds a measurement; one of the same Parameters, size and origin is replaced. Beyond
  /// `most_measurements` the oldest goes.
  void add(Measurement measurement);
  static constexpr std::size_t most_measurements = 128;
};

/// The bytes that a store keeps, and back. Layout (little-endian): u32 count, then for each
/// measurement: Parameters, i64 size, f64 milliseconds, u32 of, text from, Parameters original;
/// Parameters are u32 count and (text, i64)*, a text is u32 length and bytes.
Bytes encode(const TuningRecord& record);
/// Nothing for bytes that are none.
std::optional<TuningRecord> decode_tuning_record(ByteView bytes);

}  // namespace kiln
