#pragma once

#include <fmt/format.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

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
template <class First, class... Rest>
void print(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  print(std::string_view(fmt::vformat(format, fmt::make_format_args(first, rest...))));
}

/// Writes a text that quotes a file, a store or a server: none of them gets to steer the terminal
/// (visible_text() of base/data/text.hpp). What has to stay within its line goes through one_line()
/// before.
void print_text(std::string_view text);
template <class First, class... Rest>
void print_text(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  print_text(std::string_view(fmt::vformat(format, fmt::make_format_args(first, rest...))));
}

/// A line about one of the things that are known: its name in a column, then the value.
void print_field(std::string_view name, std::string_view value, int width);

/// From now on print() writes to standard error: a file of the command goes to standard output, and
/// nothing may come between its bytes.
void print_to_errors();

/// Makes what was printed so far visible to the reader. Throws as print.
void flush_output();

/// "kiln: MESSAGE" on standard error.
void complain(std::string_view message);
template <class First, class... Rest>
void complain(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  complain(std::string_view(fmt::vformat(format, fmt::make_format_args(first, rest...))));
}
/// "kiln: note: …" for each of them.
void print_notes(const std::vector<std::string>& notes, std::string_view what = "note");

/// "kiln: FILE: MESSAGE" on standard error, or MESSAGE alone where it names the file already, as
/// those of parsers do.
void complain_of(std::string_view file, std::string_view message);

/// What --json prints: one object on one line of standard output. Bytes that are no UTF-8 (names
/// come from files) are replaced. Throws as print.
void print_json(const nlohmann::ordered_json& object);
/// The same of a text that kiln/json.hpp gives.
void print_json_line(const std::string& object);
/// The object, or for people the text.
void print_either(bool as_json, const nlohmann::ordered_json& object, std::string_view text);

/// What --json prints where a command fails, on one line of standard output:
/// {"error": TEXT, "kind": NAME, "exit_code": N}, with "file" in front where one of several failed.
/// `kind` is name_of() of the error's code, or "interrupted". Throws as print.
void print_failure_json(std::string_view error, std::string_view kind, int exit_code,
                        std::string_view file = {});

// Pages for a browser, each one file that needs nothing else. The build makes them of the HTML,
// style sheets and scripts in src/cli/page (embed_pages.cmake).

/// The pages, with places for data. Their scripts say what the data are made of.
extern const std::string_view timeline_html, report_html, profile_html;

/// A page with its data, which its script draws, and with a sentence for readers whose browser runs
/// no script. Neither can become markup; bytes that are not UTF-8 are replaced.
std::string filled_page(std::string_view html, std::string_view summary,
                        const nlohmann::ordered_json& data);

/// Prints the library's messages of at least this level ("debug", "info", "warning"; "off" for
/// none) on standard error. Of ranks on a machine that are warned of the same one prints it.
void print_log(std::string_view level);

/// From now on what this process writes to standard output and standard error goes nowhere: it is
/// a rank that has nothing to say, or what another one says.
void silence();
/// Undoes it, for both or for standard error alone.
void speak();
void speak_of_errors();

/// `kiln mesh …` as ranks of a launcher of MPI programs, before it becomes the program that knows
/// MPI: all ranks have the same words, and say the same of them. So a rank but the first is silent
/// while this is there.
class LaunchedRank {
 public:
  LaunchedRank(int count, char** words);
  LaunchedRank(const LaunchedRank&) = delete;
  LaunchedRank& operator=(const LaunchedRank&) = delete;
  ~LaunchedRank() { speak(); }

  /// The exit code. One that failed leaves the first rank the time to say why: when a rank ends
  /// so, the launcher ends all others.
  int end(int code) const;

 private:
  bool is_silent_ = false;
};

}  // namespace kiln::cli
