#pragma once

#include <functional>

#include "base/bytes.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// Writes what a program says is its standard output.
using OutputWriter = std::function<Expected<void>(ByteView)>;

/// For a program that moved its standard output away from descriptor 1: what write_file() writes to
/// files with that name (/dev/stdout, /dev/fd/1, /proc/self/fd/1) goes through `write`. An empty
/// one undoes it. To be called while there is one thread.
void set_standard_output(OutputWriter write);

}  // namespace kiln
