#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/source/source.hpp"
#include "kiln/spec/file.hpp"
#include "spec/run/arrays.hpp"
#include "spec/t1/t1.hpp"
#include "tune/measure/tunable.hpp"

/// Tuning the kernel of a specification file, as the tuner (tune/measure/tunable.hpp) sees it.
namespace kiln::spec {

/// What a user says about the tuning of a specification file.
struct SpecTuning {
  std::filesystem::path file;
  SpecDialect dialect = SpecDialect::automatic;
  Symbols symbols;                                 ///< the problem; none may be a parameter, too
  std::int64_t dataset = 0;                        ///< 0: what the symbols or the file say
  std::vector<std::filesystem::path> source_dirs;  ///< as load_kernel_source takes them
  std::vector<std::string> parameters;             ///< "TS=8,16,32", see tune::parse_parameter
  std::vector<std::string> constraints;            ///< "TS % WPT == 0"
  Files inputs;  ///< data of arguments; the other inputs are random
  Files expect;  ///< right results; of all written arguments, or of none
  std::vector<std::filesystem::path> written;  ///< none may be one of the source's files
  std::uint64_t seed = 0;                      ///< of the random inputs, as `kiln run` has it
  /// Of floating-point results, relative to the larger. None: 1e-5 against `expect`, which another
  /// program may have made, else 0, to the bit.
  std::optional<double> rtol;
};

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
  Parameters parameters(tune::ConfigurationId id) const { return tune::parameters_of(space, id); }
  Expected<BoundSpec> bind(tune::ConfigurationId id) const;
  /// What the records are kept under, as record_request(), and what else changes the program.
  Request request() const;
};

using TuningProblemPtr = std::shared_ptr<const TuningProblem>;

/// Whether a kernel gives an argument back.
inline bool is_written(const BoundArgument& argument) {
  return argument.kind == ArgumentKind::output || argument.kind == ArgumentKind::inout;
}

/// Throws what make_spec_tunable() gives as an error.
TuningProblemPtr read_tuning_problem(const SpecTuning& options);

/// A Tunable of any single kernel that a file describes. A parameter's value is the symbol of that
/// name, wherever the file uses one, and a macro of the kernel. A configuration is right where all
/// that it writes equals what the file's own run (without parameters) writes, or `expect`.
///
/// Reads files and no device. Errors, one line each: those of load_spec, load_kernel_source,
/// parse_parameter and parse_constraint; bad_input for a parameter whose values are no
/// integers, that neither file nor source uses or that `symbols` sets, for a file that cannot be
/// bound without parameters where there is no `expect`, and for positions and files that do not
/// fit.
Expected<std::unique_ptr<tune::Tunable>> make_spec_tunable(const SpecTuning& options);

}  // namespace kiln::spec
