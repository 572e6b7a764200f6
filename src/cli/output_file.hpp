#pragma once

#include <string>

#include "base/bytes.hpp"
#include "cli/context.hpp"

namespace kiln::cli {

/// The file that --output names. Throws Error (bad input) where the option was not given.
const std::string& required_output(const Context& context);

/// Writes a file aside and renames it into place. What is there and is no regular file (a folder, a
/// device, a pipe) is refused: the rename would put a file in its place. Throws Error.
void write_output(const std::string& path, ByteView bytes);

}  // namespace kiln::cli
