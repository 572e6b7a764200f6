#pragma once

#include <cstddef>
#include <string_view>

#include "kiln/error.hpp"

namespace kiln {

/// What a JSON text may hold. A value takes some 20 to 150 bytes of memory for each of its text,
/// and values within values take a parser's or a printer's stack.
struct JsonBounds {
  std::size_t values = 4'000'000;
  std::size_t depth = 100;
};

/// Whether a text stays within the bounds, from its brackets, commas and texts alone: said before a
/// parser takes memory and time for it. What is no JSON is the parser's to refuse. Errors:
/// bad_input, with the byte at which a bound is passed.
Expected<void> check_json_bounds(std::string_view text, const JsonBounds& bounds = {});

}  // namespace kiln
