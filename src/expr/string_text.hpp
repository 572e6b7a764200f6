#pragma once

#include <string>
#include <string_view>

#include "kiln/error.hpp"

/// String literals: reading and writing them with Python's escapes.
namespace kiln::expr {

/// The literal that reads back as this string, in single quotes unless double ones save escapes.
/// Printable characters stay as they are; a byte that is not UTF-8 shows as \xHH.
std::string string_text(std::string_view value);

/// Reads the literal that starts with a quote at byte `at` and moves `at` behind its end.
/// Errors name the column of the fault: no end, a bad escape, bytes that are not UTF-8.
Expected<std::string> read_string(std::string_view text, std::size_t& at);

}  // namespace kiln::expr
