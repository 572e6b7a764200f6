#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "kiln/error.hpp"

/// The kinds of option values: what fits them. Errors read "found 'x', expected y".
namespace kiln::cli {

/// Whether a text fits an option's kind and bounds.
Expected<void> check_value(const Option& option, const std::string& text);

/// The numeric value of a text; the option's bounds count.
Expected<std::int64_t> to_integer(const Option& option, const std::string& text);
Expected<double> to_number(const Option& option, const std::string& text);
/// on/off, true/false, yes/no, 1/0.
Expected<bool> to_flag(const std::string& text);
/// NAME=VALUE in two parts, neither empty.
Expected<std::pair<std::string, std::string>> to_assignment(const std::string& text);

}  // namespace kiln::cli
