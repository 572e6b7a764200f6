#pragma once

#include "kernel/source/source.hpp"
#include "spec/tune/spec_tunable.hpp"

namespace kiln::spec {

/// A spec that is tuned, read and checked: what the Tunable and its Benches share. Immutable.
struct TuningProblem {
  SpecTuning options;
  Symbols symbols;  ///< of the options, with the dataset
  Spec spec;
  SourcePtr source;
  tune::SearchSpace space;
  /// The problem's sizes: bound without parameters, or (with `expect`) as the first configuration
  /// that can be.
  BoundSpec base;
  bool runs_untuned = false;  ///< whether `base` is bound without parameters
  std::string label, identity;

  double rtol() const { return options.rtol.value_or(options.expect.empty() ? 0 : 1e-5); }
  Parameters parameters(tune::ConfigurationId id) const;
  Expected<BoundSpec> bind(tune::ConfigurationId id) const;
};

using TuningProblemPtr = std::shared_ptr<const TuningProblem>;

/// Whether a kernel gives an argument back.
inline bool is_written(const BoundArgument& argument) {
  return argument.kind == ArgumentKind::output || argument.kind == ArgumentKind::inout;
}

/// Errors as make_spec_tunable().
Expected<TuningProblemPtr> read_tuning_problem(const SpecTuning& options);

}  // namespace kiln::spec
