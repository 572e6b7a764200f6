#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/data/bytes.hpp"

// The tunable part of kernels, and what is on record of it: every measurement, and the choice among
// them for a problem's size.
namespace kiln {

/// The tunable part of a kernel: block sizes, vector widths, work-group shape. Named integers in
/// the order of their names, so that equal Parameters have equal canonical bytes.
struct Parameters : std::map<std::string, std::int64_t> {
  Parameters() = default;
  Parameters(std::initializer_list<value_type> values) : map(values) {}

  /// The value, or `otherwise` where the name is absent.
  std::int64_t get(const std::string& name, std::int64_t otherwise) const {
    const auto found = find(name);
    return found == end() ? otherwise : found->second;
  }
  void set(const std::string& name, std::int64_t value) { insert_or_assign(name, value); }
};

/// The Parameters that a program is made with, and where they are from.
struct ChosenParameters {
  Parameters parameters;
  /// "default", "store record", "shipped record", "trial", or the name of a ParameterSource.
  std::string origin = "default";
  std::string from;  ///< which record; empty for defaults
  /// Of a search in the process that goes on with its winner: the program is not kept in the store
  /// before it is asked for otherwise, so that losers never are.
  bool is_trial = false;
};
/// "columns 12, rows 32 (store record)"; empty where there are no Parameters.
std::string text_of(const ChosenParameters& chosen);

/// Parameters that were tried once, and what came of it.
struct Measurement {
  /// Whose kernels were measured. Times of other programs' kernels say which of *their* Parameters
  /// are good, and little about Kiln's: they never win against Kiln's own.
  enum class Of : std::uint32_t { kiln, others };
  Parameters parameters;
  std::int64_t size = 0;    ///< of the problem, as Request::problem_size; 0: not known
  double milliseconds = 0;  ///< 0: not known
  Of of = Of::kiln;
  std::string from;     ///< for people: "Tahiti.kdb, LDS based block gemm, record 3"
  Parameters original;  ///< what stood where it came from, in that program's own words
  /// What the family's built-in Parameters took in the same search; 0: not known.
  double standard_milliseconds = 0;

  /// How many times as fast as the built-in Parameters; 0 where one of the times is not known.
  double gain() const {
    return milliseconds > 0 && standard_milliseconds > 0 ? standard_milliseconds / milliseconds : 0;
  }
  bool operator==(const Measurement&) const = default;
  /// Whether a record has only the later one of the two.
  bool is_of_same(const Measurement& other) const {
    return parameters == other.parameters && size == other.size && of == other.of &&
           original == other.original;
  }
};

/// How far a record is good: for problems so many times as small and as large as its own.
struct Reach {
  double down = 2, up = 2;
  /// Sizes that are not known are near.
  bool covers(std::int64_t measured, std::int64_t size) const {
    if (measured <= 0 || size <= 0) return true;
    const auto ratio = static_cast<double>(size) / static_cast<double>(measured);
    return ratio <= up && ratio * down >= 1;
  }
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

  /// What choose() says.
  struct Choice {
    enum class Verdict : std::uint8_t {
      nothing,          ///< nothing usable is on record
      use,              ///< `best` is to be used
      built_in_faster,  ///< `best` was slower than the built-in Parameters, which are to be used
      too_far,          ///< `best` is Kiln's own, but of a size that says nothing of this one
    };
    Verdict verdict = Verdict::nothing;
    const Measurement* best = nullptr;
  };
  /// The same with two guards. What Kiln has measured of a size from which `reach` does not come
  /// here counts for nothing. And where the nearest shows that the built-in Parameters were faster,
  /// they are used: no record of a farther size takes their place.
  Choice choose(std::int64_t size, const std::function<bool(const Measurement&)>& usable,
                const Reach& reach) const;

  /// Adds a measurement; one of the same Parameters, size and origin is replaced. Beyond
  /// `most_measurements` the oldest goes.
  void add(Measurement measurement);
  static constexpr std::size_t most_measurements = 128;
};

/// How far apart two sizes are, as a logarithm of their ratio; one that is not known is far from
/// all but itself.
double size_distance(std::int64_t a, std::int64_t b);

/// The bytes that a store keeps, and back. Layout (little-endian): u32 count, then for each
/// measurement: Parameters, i64 size, f64 milliseconds, u32 of, text from, Parameters original, f64
/// standard_milliseconds; Parameters are u32 count and (text, i64)*, a text is u32 length and
/// bytes.
Bytes encode(const TuningRecord& record);
/// Nothing for bytes that are no record. Records of schema 2 have no standard_milliseconds.
std::optional<TuningRecord> decode_tuning_record(ByteView bytes, bool has_standard = true);

}  // namespace kiln
