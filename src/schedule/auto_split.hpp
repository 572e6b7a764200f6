#pragma once

#include "schedule/co_run.hpp"
#include "schedule/split_model.hpp"

namespace kiln {

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
