#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

/// What the command writes. Results go to standard output, everything for people who watch
/// (errors, warnings, progress, log) to standard error.
///
/// Drivers write what a kernel prints to descriptor 1 of their process. So that it does not end up
/// among the results, these get a descriptor of their own (separate_results()).
namespace kiln::cli {

/// Gives results their channel, before anything runs: from now on print() writes to what
/// standard output was, as files with its name do (/dev/stdout), and descriptor 1 leads to standard
/// error. Without this call print() uses descriptor 1.
void separate_results();

/// Undoes it: for a program that takes this one's place. What was printed must be flushed.
void join_results();

/// The descriptor that print() writes to, or -1 where standard output was closed.
int results_descriptor();

/// Thrown when the reader of standard output has gone (`kiln … | head`): the command ends
/// quietly.
struct ReaderGone {};

/// Writes to standard output, buffered. Throws Error (io) where the system refuses, ReaderGone.
void print(std::string_view text);

/// Writes a text that quotes a file, a store or a server: none of them gets to steer the terminal
/// (visible_text() of base/data/text.hpp). What has to stay within its line goes through one_line()
/// before.
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

/// What --json prints: one object on one line of standard output. Bytes that are no UTF-8 (names
/// come from files) are replaced. Throws as print.
void print_json(const nlohmann::ordered_json& object);
/// The same of a text that kiln/json.hpp gives.
void print_json_line(const std::string& object);

/// What --json prints where a command fails, on one line of standard output:
/// {"error": TEXT, "kind": NAME, "exit_code": N}, with "file" in front where one of several failed.
/// `kind` is name_of() of the error's code, or "interrupted". Throws as print.
void print_failure_json(std::string_view error, std::string_view kind, int exit_code,
                        std::string_view file = {});

/// Prints the library's messages of at least this level ("debug", "info", "warning"; "off" for
/// none) on standard error.
void print_log(std::string_view level);

}  // namespace kiln::cli
