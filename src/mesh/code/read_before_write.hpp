#pragma once

#include <cstdint>
#include <optional>

#include "mesh/code/syntax.hpp"

namespace kiln::mesh {

/// Where a function certainly reads through one of its parameters, a pointer to numbers, what it
/// has not written there before: in statements that every call goes through, in front of anything
/// that might have written. Nothing where there is any doubt, as behind an if that returns, or
/// where the pointer is handed on.
///
/// @param parameter its number in Syntax::declarations.
/// @return a byte of the text.
std::optional<std::uint32_t> read_before_write(const Syntax& syntax, const Function& function,
                                               int parameter);

}  // namespace kiln::mesh
