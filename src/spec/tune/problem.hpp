#pragma once

#include "kernel/source/source.hpp"
#include "spec/t1/t1.hpp"
#include "spec/tune/spec_tunable.hpp"

namespace kiln::spec {

/// A spec that is tuned, or a tuning problem made one, read and checked: what the Tunable and its
/// Benches share. Immutable.
struct TuningProblem {
  SpecTuning options;
  Symbols symbols;  ///< of the options, with the dataset
  Spec spec;
  SourcePtr source;
  tune::SearchSpace space;
  /// The problem's sizes: bound without parameters, or (with `expect`) as the first configuration
  /// that can be.
  BoundSpec base;
  bool runs_untuned = false;                       ///< whether `base` is bound without parameters
  std::string untuned_run = "without parameters";  ///< how the reference is made, for people
  std::string label, identity;

  // Of tuning problems alone.
  std::vector<std::string> compiler_options;
  std::vector<Fill> fills;
  std::vector<Reference> references;

  /// What a result may differ by, relative to the larger and by itself.
  struct Tolerance {
    double relative = 0, absolute = 0;
  };
  /// Of a written argument; none where nothing says what it must be.
  std::optional<Tolerance> tolerance(std::uint32_t position) const;
  Parameters parameters(tune::ConfigurationId id) const;
  Expected<BoundSpec> bind(tune::ConfigurationId id) const;
  /// What the records are kept under, as record_request(), and what else changes the program.
  Request request() const;
};

using TuningProblemPtr = std::shared_ptr<const TuningProblem>;

/// Whether a kernel gives an argument back.
inline bool is_written(const BoundArgument& argument) {
  return argument.kind == ArgumentKind::output || argument.kind == ArgumentKind::inout;
}

/// Errors as make_spec_tunable().
Expected<TuningProblemPtr> read_tuning_problem(const SpecTuning& options);

}  // namespace kiln::spec
