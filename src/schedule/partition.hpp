#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.hpp"
#include "schedule/co_run.hpp"
#include "schedule/split_model.hpp"

/// How the user says a run is split (`--partition`), and the learning split `auto`.
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

/// `--partition auto`: chooses a split for a CoRun from what earlier runs of the same kernel, size
/// class and devices took (in this process or any other with the same store), runs it, and learns
/// from it. There is no training phase: every run does the caller's work.
class AutoSplit {
 public:
  explicit AutoSplit(CoRun& run);

  /// Runs with the best split known so far and remembers how it went.
  RunReport run();
  /// The split that the next run would take, as weights.
  std::vector<double> weights() const;
  const SplitModel& model() const { return model_; }

 private:
  void save() const;
  CoRun& run_;
  Bytes canonical_;
  SplitModel model_;
  bool warm_ = false;  ///< a run of this process has made the buffers and touched the memory
};

}  // namespace kiln
