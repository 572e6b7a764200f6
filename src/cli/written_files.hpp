#pragma once

#include <string>
#include <vector>

#include "cli/context.hpp"

namespace kiln::cli {

/// Looks at the files that `kiln run` will write (--out, --trace, --gantt) before anything runs: a
/// slip must not cost a run, nor a file that is read. Throws not_found where a file's folder is
/// absent, bad_input where two would be the same file, or one is a specification or what is
/// expected. Devices and pipes may be named as often as one likes.
void check_written_files(const Context& context);

/// The same of files that other commands write; none may be one of those that they read.
struct WrittenFile {
  std::string option, file;  ///< "--trace", "t.json"
};
/// The words of the command line as files that are read.
std::vector<WrittenFile> word_files(const Context& context);
void check_written_files(const std::vector<WrittenFile>& files,
                         const std::vector<WrittenFile>& read = {});

}  // namespace kiln::cli
