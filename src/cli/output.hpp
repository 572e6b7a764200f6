#pragma once

#include <string_view>

/// What the command writes. Results go to standard output, everything for people who watch
/// (errors, warnings, progress) to standard error.
namespace kiln::cli {

/// Thrown when the reader of standard output has gone (`kiln … | head`): the command ends
/// quietly.
struct ReaderGone {};

/// Writes to standard output, buffered. Throws Error (io) where the system refuses, ReaderGone.
void print(std::string_view text);

/// Writes a text that quotes a file, a store or a server: none of them gets to steer the terminal
/// (base/one_line.hpp). What has to stay within its line goes through one_line() before.
void print_text(std::string_view text);

/// From now on print() writes to standard error: a file of the command goes to standard output, and
/// nothing may come between its bytes.
void print_to_errors();

/// Makes what was printed so far visible to the reader. Throws as print.
void flush_output();

/// "kiln: MESSAGE" on standard error.
void complain(std::string_view message);

/// "kiln: FILE: MESSAGE" on standard error, or MESSAGE alone where it names the file already, as
/// those of parsers do.
void complain_of(std::string_view file, std::string_view message);

}  // namespace kiln::cli
