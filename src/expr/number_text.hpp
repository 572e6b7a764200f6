#pragma once

#include <string>
#include <string_view>

/// Floating-point numbers as text, the same in every locale.
namespace kiln::expr {

/// As Python's repr: the fewest digits that read back, always with a point or an exponent.
std::string number_text(double value);

/// Reads all of a decimal number without a sign ("1", "1.", ".5", "1e-3"), rounded to nearest.
/// What is too large gives infinity, what is too small gives 0, as in Python.
/// False where the text is anything else.
bool read_number(std::string_view text, double& value);

}  // namespace kiln::expr
