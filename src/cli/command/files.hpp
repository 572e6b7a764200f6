#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command/context.hpp"
#include "kiln/bytes.hpp"

/// The files that a command names, by one rule for all commands, from the definitions of their
/// options (Access): standard input and output in place of files, and the check that nothing is
/// overwritten that the command reads.
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

/// Looks at the files that a command will write before anything runs, whatever option or word names
/// them (Option::access): a slip must not cost a run, nor a file that is read. Throws not_found
/// where a file's folder is absent; bad_input where two would be the same file, where one is read,
/// too (but --in of the same array, and what Command::in_place allows), or lies in the store.
/// Devices and pipes may be named as often as one likes.
void check_written_files(const Context& context);

/// The files that the options and words of a command name to be written; streams are none.
std::vector<std::filesystem::path> files_written_by(const Context& context);

/// The same check of files that commands find elsewhere.
struct NamedFile {
  std::string option, file;  ///< "--trace", "t.json"
};
void check_written_files(const std::vector<NamedFile>& written,
                         const std::vector<NamedFile>& read = {});

/// write_new_file() for a command; where something has the name, the error ends with `advice`.
/// Throws Error.
void write_new_or_advise(const std::filesystem::path& path, ByteView bytes, unsigned mode,
                         std::string_view advice);

}  // namespace kiln::cli
