#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tune/space/parameter.hpp"

namespace kiln::tune {

/// A condition on configurations: an expression (python3) over parameters' names that has to be
/// true.
struct Constraint {
  std::string text;  ///< as given, for messages
  expr::Expression expression;
};

/// Reads a constraint over these parameters. Errors are one line that quotes the text: what is no
/// expression, names that are no parameters (the nearest is suggested), functions that nobody has.
Expected<Constraint> parse_constraint(std::string_view text, std::span<const Parameter> parameters);

/// The parts of a constraint that are joined by `and` at its top, each a constraint of its own:
/// parts that need fewer parameters can refuse earlier. All of them hold exactly where the whole
/// does.
std::vector<Constraint> conjuncts(const Constraint& constraint);

}  // namespace kiln::tune
