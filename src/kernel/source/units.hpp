#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/error.hpp"

// Programs of several parts, each compiled by itself and then linked (OpenCL 1.2, 5.8.3): as one
// text, so that they are kept, shipped and compiled as others are.
namespace kiln {

/// A program as clCompileProgram takes it.
struct Unit {
  std::string text;     ///< OpenCL C
  std::string options;  ///< of the compiler
  /// Embedded headers: the name in #include, and the text.
  std::vector<std::pair<std::string, std::string>> headers;
  bool operator==(const Unit&) const = default;
};

/// The text that stands for the program that the linker makes of them, in their order. Layout: a
/// first line, then a list as base/data/byte_fields.hpp has it of text, options and headers.
std::string text_of_units(const std::vector<Unit>& units);

/// Whether a text is one of these: OpenCL C and SPIR-V cannot begin so.
bool are_units(std::string_view text);

/// Errors: corrupt, of a text that begins so and does not go on so.
Expected<std::vector<Unit>> units_of_text(std::string_view text);

}  // namespace kiln
