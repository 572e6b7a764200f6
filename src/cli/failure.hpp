#pragma once

#include <string>
#include <string_view>

#include "kiln/error.hpp"

namespace kiln::cli {

class Context;

/// What --json prints where a command fails, on one line of standard output:
/// {"error": TEXT, "kind": NAME, "exit_code": N}, with "file" in front where one of several failed.
/// `kind` is name_of() of the error's code, or "interrupted". Throws as print.
void print_failure_json(std::string_view error, std::string_view kind, int exit_code,
                        std::string_view file = {});

/// Tells of one file among several that failed while the others are gone on with: a line on
/// standard error, and with --json the object above. Returns the exit code.
int tell_failure(const Context& context, const std::string& file, const Error& error);

}  // namespace kiln::cli
