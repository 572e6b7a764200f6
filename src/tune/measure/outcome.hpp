#pragma once

#include <cstddef>

#include "kiln/tune/outcome.hpp"
#include "tune/space/search_space.hpp"

/// What measuring a configuration comes to, and what takes single times.
namespace kiln::tune {

/// What measuring one configuration came to: a time, or why there is none.
struct Outcome {
  double time = 0;  ///< positive, in any one unit for all of a search; 0 where it failed
  Failure failure = Failure::none;

  bool ok() const { return failure == Failure::none; }
  static Outcome of_time(double time) { return {time, Failure::none}; }
  static Outcome of(Failure failure) { return {0, failure}; }
};

/// Whether the first is the better result: a time beats none, a smaller one a larger.
inline bool better(const Outcome& a, const Outcome& b) {
  return a.ok() && (!b.ok() || a.time < b.time);
}

/// One configuration that was measured.
struct Trial {
  ConfigurationId id = 0;
  Outcome outcome;
};

/// What takes single times: a device, or a replay. The rule of measuring (stopping_rule.hpp)
/// knows nothing else of where times come from.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// The time of `launches` runs of one configuration right after one another, together; or why
  /// there is none. A configuration may be asked for again at any later time.
  virtual Outcome sample(ConfigurationId id, std::size_t launches) = 0;
};

}  // namespace kiln::tune
