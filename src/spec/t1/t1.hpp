#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kiln/spec/file.hpp"
#include "tune/space/parameter.hpp"

/// Tuning problems of the autotuning community: the T1 format. docs/formats/t1.md has what is read
/// of it, with the sources.
namespace kiln::spec {

/// What an array holds before a run, or must hold after it, as a tuning problem says. Plain data.
struct Fill {
  enum class How : std::uint8_t {
    constant,   ///< `value` everywhere
    random,     ///< uniform from 0 to `value`
    generator,  ///< an expression of the element's number
    file,       ///< its bytes
  };
  std::uint32_t position = 0;  ///< of the kernel's argument
  How how = How::constant;
  expr::Value value;
  std::optional<std::uint64_t> seed;  ///< of `random`; none: the caller's
  std::optional<expr::Expression> generator;
  std::filesystem::path file;
  std::string place;  ///< "p.json:12: attribute 'Arguments[0]'", for messages
};

/// Fills `memory`, a number of complete elements of `type`. Errors: bad_input for values that the
/// type does not hold, for an expression that fails, for a file of another size; io, not_found.
Expected<void> fill_array(const Fill& fill, const Type& type, std::uint64_t seed,
                          std::span<std::byte> memory);

/// What a written argument must be after a run, within either bound.
struct Reference {
  Fill fill;
  double relative = 0, absolute = 0;
};

/// A tuning problem as a kernel's specification and a search. Its sizes are Python 3 expressions
/// over the parameters; every parameter is a symbol and a macro of the kernel. Plain data.
struct T1Problem {
  Spec spec;                                ///< without values of the parameters
  std::vector<tune::Parameter> parameters;  ///< integers
  std::vector<tune::Constraint> constraints;
  std::map<std::string, std::int64_t> defaults;  ///< of the parameters that have one
  std::vector<std::string> compiler_options;
  std::vector<Fill> fills;            ///< of every buffer, in the arguments' order
  std::vector<Reference> references;  ///< of some written arguments, or of none
};

/// Whether a text is an object with the members of a tuning problem; false for what is no JSON.
bool is_t1(std::string_view text);

/// Reads one from memory; `file` is named in messages, and files that it names are found relative
/// to it. Errors are one line with the place: bad_input, and unsupported for what Kiln does not
/// tune (other languages than OpenCL, types without a size, references by a script).
Expected<T1Problem> read_t1(std::string_view text, const std::string& file);

/// Gives the parameters the values that stand where none are chosen.
void set_untuned_values(T1Problem& problem, const std::vector<std::int64_t>& values);

}  // namespace kiln::spec
