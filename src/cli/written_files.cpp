#include "cli/written_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

namespace kiln::cli {
namespace {

namespace fs = std::filesystem;

void add_assigned(const Context& context, const std::string& option,
                  std::vector<WrittenFile>& files) {
  for (const auto& [position, file] : context.assignments(option))
    files.push_back({fmt::format("--{} {}", option, position), file});
}

}  // namespace

std::vector<WrittenFile> word_files(const Context& context) {
  std::vector<WrittenFile> files;
  for (const auto& word : context.arguments())
    files.push_back({std::string(context.command().positional.value_name), word});
  return files;
}

void check_written_files(const Context& context) {
  std::vector<WrittenFile> timelines, read = word_files(context);
  for (const char* option : {"trace", "gantt"})
    if (context.has(option))
      timelines.push_back({std::string("--") + option, context.text(option)});
  add_assigned(context, "expect", read);
  std::vector<WrittenFile> written;
  add_assigned(context, "out", written);
  written.insert(written.end(), timelines.begin(), timelines.end());
  check_written_files(written, read);
  // An array may be read from a file and written back to it.
  std::vector<WrittenFile> inputs;
  add_assigned(context, "in", inputs);
  check_written_files(timelines, inputs);
}

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
