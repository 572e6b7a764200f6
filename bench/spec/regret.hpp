#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/context.hpp"
#include "frame/bar.hpp"

namespace kiln::bench {

/// How much longer `--partition auto` makes one kernel take than the best of the classes 0..10.
struct Regret {
  std::string kernel;
  std::int64_t dataset = 0;
  double ratio = 0;  ///< auto's time over the best class's, the median of the pairs
  double auto_ms = 0, best_ms = 0;
  int best_class = 0;
  std::vector<double> weights;      ///< auto's split after its runs
  std::vector<double> believed_ms;  ///< by class 0..10: what the model predicts
  std::vector<double> coarse_ms;    ///< by class 0..10: the shortest of a few runs

  /// All of it in one line.
  std::string text() const;
};

/// The kernels that splits are judged by, from compute- to memory-bound, and a size to begin with.
struct Subject {
  const char* name;
  std::int64_t dataset;
  int growth;  ///< the NDRange grows with this power of the dataset
};
const std::vector<Subject>& split_subjects();

/// Measures one kernel on a pair of devices with a fresh store: 5 runs by `auto`, then its split
/// against the two best classes, in 30 interleaved rounds. Throws kiln::Error.
Regret measure_regret(const Context& context, const Subject& subject,
                      const std::vector<DevicePtr>& devices);

}  // namespace kiln::bench
