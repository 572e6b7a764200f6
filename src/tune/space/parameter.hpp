#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/expr.hpp"

/// What is tuned: parameters with the values that they may take, and constraints between them, both
/// as users write them.
namespace kiln::tune {

/// One thing that can be tuned: a name and the values that it may take, in the order given (the
/// strategies take neighbours in this order to be alike). Integers, floating-point numbers,
/// Booleans or strings.
struct Parameter {
  std::string name;
  std::vector<expr::Value> values;
};

/// The most values of one parameter: positions are kept in 16 bits.
inline constexpr std::size_t kMostValues = 65'535;

/// Reads "TS=8,16,32" (values), "WPT=1..8:1" (first, last, step; the step may be left out: 1) or
/// "TS=8..64:*2" (a factor). Values are integers, floating-point numbers, True, False, and
/// anything else as a text, with or without quotes. Errors are one line that quotes the text:
/// no name, no values, a value twice, a step that leads nowhere, more than kMostValues.
Expected<Parameter> parse_parameter(std::string_view text);

/// Whether a name can stand in constraints and macros: a letter or _, then letters, digits, _; and
/// no word of the expression language.
bool is_parameter_name(std::string_view name);

/// Position of a value (by Python's ==) among a parameter's, or its count of values.
std::size_t position_of(const Parameter& parameter, const expr::Value& value);

/// Sorts the values in ascending order where all are numbers: those that were collected in the
/// order of measuring. The new position of each old one; empty where nothing was sorted.
std::vector<std::size_t> sort_values(Parameter& parameter);

/// A condition on configurations: an expression (python3) over parameters' names that has to be
/// true.
struct Constraint {
  std::string text;  ///< as given, for messages
  expr::Expression expression;
};

/// Reads a constraint over these parameters. Errors are one line that quotes the text: what is no
/// expression, names that are no parameters (the nearest is suggested), unknown functions.
Expected<Constraint> parse_constraint(std::string_view text, std::span<const Parameter> parameters);

/// The parts of a constraint that are joined by `and` at its top, each a constraint of its own:
/// parts that need fewer parameters can refuse earlier. All of them hold exactly where the whole
/// does.
std::vector<Constraint> conjuncts(const Constraint& constraint);

}  // namespace kiln::tune
