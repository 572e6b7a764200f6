#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spec/t1/fill.hpp"
#include "tune/space/constraint.hpp"
#include "tune/space/parameter.hpp"

/// Tuning problems of the autotuning community: the T1 format. docs/formats/t1.md has what is read
/// of it, with the sources.
namespace kiln::spec {

/// What a written argument must be after a run, within either bound.
struct Reference {
  Fill fill;
  double relative = 0, absolute = 0;
};

/// A tuning problem as a kernel's specification and a search. Its sizes are Python 3 expressions
/// over the parameters; every parameter is a symbol and a macro of the kernel. Plain data.
struct T1Problem {
  Spec spec;                                ///< without values of the parameters
  std::vector<tune::Parameter> parameters;  ///< whole numbers
  std::vector<tune::Constraint> constraints;
  std::map<std::string, std::int64_t> defaults;  ///< of the parameters that have one
  std::vector<std::string> compiler_options;
  std::vector<Fill> fills;            ///< of every buffer, in the arguments' order
  std::vector<Reference> references;  ///< of some written arguments, or of none
};

/// Whether a text is an object with the members of a tuning problem; false for what is no JSON.
bool is_t1(std::string_view text);

/// Reads one from memory; `file` is named in messages, and what it names is looked for beside it.
/// Errors are one line with the place: bad_input, and unsupported for what Kiln does not tune
/// (other languages than OpenCL, types without a size, references by a script).
Expected<T1Problem> read_t1(std::string_view text, const std::string& file);

/// Gives the parameters the values that stand where none are chosen.
void set_untuned_values(T1Problem& problem, const std::vector<std::int64_t>& values);

}  // namespace kiln::spec
