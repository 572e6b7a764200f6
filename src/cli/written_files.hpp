#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/context.hpp"

namespace kiln::cli {

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

}  // namespace kiln::cli
