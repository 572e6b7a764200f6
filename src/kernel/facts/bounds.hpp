#pragma once

#include <optional>
#include <string>

#include "kernel/source/lexer.hpp"

namespace kiln::facts {

/// Why a text is not for clang, which recurses as deep as a text is nested and writes out whatever
/// macros multiply: nothing bounds its stack and memory. Nothing for what people and generators
/// write.
std::optional<std::string> beyond_bounds(const Lexed& lexed);

}  // namespace kiln::facts
