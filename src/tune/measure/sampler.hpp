#pragma once

#include <cstddef>

#include "tune/strategy/outcome.hpp"

namespace kiln::tune {

/// What takes single times: a device, or a replay. The policy of measuring (measurement.hpp) knows
/// nothing else of where times come from.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// The time of `launches` runs of one configuration right after one another, together; or why
  /// there is none. A configuration may be asked for again at any later time.
  virtual Outcome sample(ConfigurationId id, std::size_t launches) = 0;
};

}  // namespace kiln::tune
