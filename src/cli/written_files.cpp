#include "cli/written_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

namespace kiln::cli {
namespace {

namespace fs = std::filesystem;

std::vector<WrittenFile> targets_of(const Context& context) {
  std::vector<WrittenFile> targets;
  for (const auto& [position, file] : context.assignments("out"))
    targets.push_back({"--out " + position, file});
  for (const char* option : {"trace", "gantt"})
    if (context.has(option)) targets.push_back({std::string("--") + option, context.text(option)});
  return targets;
}

}  // namespace

void check_written_files(const Context& context) { check_written_files(targets_of(context)); }

void check_written_files(const std::vector<WrittenFile>& files,
                         const std::vector<WrittenFile>& read) {
  std::map<fs::path, std::string> taken;
  std::error_code ignored;
  const auto whole = [&](const std::string& file) {
    return fs::weakly_canonical(fs::absolute(file, ignored), ignored);
  };
  for (const auto& [option, file] : read) taken.emplace(whole(file), option);
  for (const auto& [option, file] : files) {
    const auto status = fs::status(file, ignored);
    if (fs::is_directory(status))
      throw Error(Errc::bad_input,
                  fmt::format("{}: found the folder {}, expected a file", option, file));
    if (fs::exists(status) && !fs::is_regular_file(status)) continue;
    const fs::path folder = fs::path(file).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, ignored))
      throw Error(Errc::not_found, fmt::format("{}: cannot write {}: there is no folder {}", option,
                                               file, folder.string()));
    const auto [at, added] = taken.emplace(whole(file), option);
    if (!added)
      throw Error(Errc::bad_input,
                  fmt::format("{}: {} is also the file of {}, expected different files", option,
                              file, at->second));
  }
}

}  // namespace kiln::cli
