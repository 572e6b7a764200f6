#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.hpp"
#include "schedule/co_run.hpp"

namespace kiln {

/// How a run is split: a partition class, one weight a device, learnt, or self-scheduled.
struct Partition {
  enum class Kind { share_class, weights, automatic, dynamic };
  Kind kind = Kind::share_class;
  int share_class = 10;
  std::vector<double> weights;

  /// "0".."10", "3:1", "auto", "dynamic". Errors: bad_input.
  static Expected<Partition> parse(std::string_view text);
  std::string text() const;
  /// Weights for so many devices; bad_input where a list has another length. Not for automatic and
  /// dynamic.
  Expected<std::vector<double>> weights_for(std::size_t devices) const;
};

/// One run of a CoRun with this partition. Throws kiln::Error.
RunReport run_partition(CoRun& run, const Partition& partition);

}  // namespace kiln
