#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/text.hpp"
#include "kiln/error.hpp"

/// Texts of expressions: UTF-8, string and floating-point literals, and what all messages share.
namespace kiln::expr {

using kiln::character_at;
/// Appends one code point, which must not be a surrogate nor above 0x10FFFF.
void append_character(std::string& to, char32_t code);
/// Number of characters; a byte that is not UTF-8 counts as one.
std::size_t count_characters(std::string_view text);
/// The character at a position counted in characters; empty past the end.
std::string_view nth_character(std::string_view text, std::size_t position);

// String literals: reading and writing them with Python's escapes.

/// The literal that reads back as this string, in single quotes unless double ones save escapes.
/// Printable characters stay as they are; a byte that is not UTF-8 shows as \xHH.
std::string string_text(std::string_view value);

/// Reads the literal that starts with a quote at byte `at` and moves `at` behind its end.
/// Errors name the column of the fault: no end, a bad escape, bytes that are not UTF-8.
Expected<std::string> read_string(std::string_view text, std::size_t& at);

// Floating-point numbers as text, the same in every locale.

/// As Python's repr: the fewest digits that read back, always with a point or an exponent.
std::string number_text(double value);

/// The exponent of a number as std::to_chars writes it in scientific notation.
int exponent_of(const std::string& scientific);

/// Reads all of a decimal number without a sign ("1", "1.", ".5", "1e-3"), rounded to nearest.
/// What is too large gives infinity, what is too small gives 0, as in Python.
/// False where the text is anything else.
bool read_number(std::string_view text, double& value);

// Parts of messages.

/// A piece of hostile text for a message: quoted, on one line, shortened.
std::string shown(std::string_view text);

/// "column N: message" as an error of bad input.
inline tl::unexpected<Error> fail_at(std::size_t column, const std::string& message) {
  return fail(Errc::bad_input, "column " + std::to_string(column) + ": " + message);
}

/// "; did you mean 'x'?" where a known word is close, else the known words where they are few,
/// else nothing. For the end of a message about an unknown word.
std::string suggestion(std::string_view unknown, const std::vector<std::string>& known);

}  // namespace kiln::expr
