#pragma once

#include <string_view>

/// What the OpenCL layer reports of a program's run, for people: `kiln exec --explain`.
namespace kiln::cli {

/// Prints to standard error how each program was found or made, from the lines of a report
/// (KILN_LAYER_REPORT), and a closing line with the sums. A line that cannot be read, as that of a
/// process which was killed, is left out and counted.
void print_report(std::string_view lines);

}  // namespace kiln::cli
