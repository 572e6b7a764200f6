#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kiln/expr.hpp"

namespace kiln::tune {

/// One thing that can be tuned: a name and the values that it may take, in the order given (the
/// strategies take neighbours in this order to be alike). Integers, reals, bools or strings.
struct Parameter {
  std::string name;
  std::vector<expr::Value> values;
};

/// The most values of one parameter: positions are kept in 16 bits.
inline constexpr std::size_t kMostValues = 65'535;

/// Reads "TS=8,16,32" (values), "WPT=1..8:1" (first, last, step; the step may be left out: 1) or
/// "TS=8..64:*2" (a factor). Values are whole numbers, numbers with a point, True, False, and
/// anything else as a text, with or without quotes. Errors are one line that quotes the text:
/// no name, no values, a value twice, a step that leads nowhere, more than kMostValues.
Expected<Parameter> parse_parameter(std::string_view text);

/// Whether a name can stand in constraints and macros: a letter or _, then letters, digits, _; and
/// no word of the expression language.
bool is_parameter_name(std::string_view name);

/// Position of a value (by Python's ==) among a parameter's, or its count of values.
std::size_t position_of(const Parameter& parameter, const expr::Value& value);

}  // namespace kiln::tune
