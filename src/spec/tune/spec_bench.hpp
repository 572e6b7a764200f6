#pragma once

#include <map>
#include <set>

#include "kernel/launch.hpp"
#include "spec/tune/device_arrays.hpp"
#include "spec/tune/problem.hpp"

namespace kiln::spec {

/// Configurations of a spec on one device: checked against it, compiled, compared, timed. Launches
/// that are timed take turns between several sets of the same buffers, so that a small problem does
/// not live in the nearest cache.
class SpecBench final : public tune::Bench {
 public:
  /// Makes the inputs and the reference: reads its files, or runs the spec without parameters.
  /// Throws kiln::Error where it does not run.
  SpecBench(TuningProblemPtr problem, Resolver& resolver, const Queue& queue);

  tune::Report prepare(tune::ConfigurationId id) override;
  double run(tune::ConfigurationId id, std::size_t launches) override;
  void record(tune::ConfigurationId id, double seconds, double standard) override;
  std::optional<tune::ConfigurationId> on_record() override;

 private:
  Arrays make_inputs() const;
  Arrays read_expected() const;
  Arrays fill_references() const;
  Arrays make_results() const;
  Arrays run_untuned();
  tune::Report try_out(tune::ConfigurationId id, const BoundSpec& bound);
  Launch make_launch(const BoundSpec& bound, Program& program);
  void run_once(Launch& launch);
  std::string difference();
  /// The launch of a configuration that was right: kept ready, or made again.
  Launch& ready(tune::ConfigurationId id);
  void keep(tune::ConfigurationId id, Launch launch);

  TuningProblemPtr problem_;
  Resolver& resolver_;
  Queue queue_;
  Arrays initial_, reference_;
  DeviceArraySets arrays_;
  bool has_inout_ = false;
  std::set<tune::ConfigurationId> right_;  ///< those that were
  std::map<tune::ConfigurationId, Launch> prepared_;
};

}  // namespace kiln::spec
