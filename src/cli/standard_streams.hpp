#pragma once

#include <string>
#include <vector>

#include "cli/settings.hpp"

/// Standard input and output in place of files: one rule for all commands, from the definitions of
/// their options (Access).
namespace kiln::cli {

/// How a command's body sees standard input among its files, whatever the user wrote.
inline constexpr const char* standard_input = "/dev/stdin";
inline constexpr const char* standard_output = "/dev/stdout";

struct StandardStreams {
  /// What names the stream, "--in" or "FILE"; empty: nothing does.
  std::string input_named_by, output_named_by;
};

/// Puts the two names above in place of `-`, /dev/fd/0 and so on among the files that a command
/// reads and writes. Throws Error (bad input) where a stream is named twice, where a file has to be
/// one (Access::update, folders), and where --json would print into a file on standard output.
StandardStreams name_standard_streams(const Command& command, std::vector<Setting>& settings,
                                      std::vector<std::string>& arguments);

/// Makes standard input a file that can be opened as /dev/stdin as often as one likes: what comes
/// through a pipe or from a terminal is read to its end first. Throws Error; Interrupted at Ctrl-C.
void keep_standard_input();

}  // namespace kiln::cli
