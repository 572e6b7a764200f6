#pragma once

#include <string>
#include <string_view>

#include "kiln/error.hpp"

/// The wording that all messages of this module share.
namespace kiln::expr {

/// A piece of hostile text for a message: quoted, on one line, shortened.
std::string shown(std::string_view text);

/// "column N: message" as an error of bad input.
inline tl::unexpected<Error> fail_at(std::size_t column, const std::string& message) {
  return fail(Errc::bad_input, "column " + std::to_string(column) + ": " + message);
}

}  // namespace kiln::expr
