#include "cli/written_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "cli/standard_streams.hpp"
#include "cli/store_settings.hpp"

namespace kiln::cli {
namespace {

namespace fs = std::filesystem;

/// All files that a command names.
struct CommandFiles {
  std::vector<NamedFile> read, inputs, outputs, other_written;
};

bool is_stream(const std::string& file) {
  return file == standard_input || file == standard_output;
}

void add_file(CommandFiles& files, std::string_view option, Access access, NamedFile named) {
  if (named.file.empty() || is_stream(named.file)) return;
  switch (access) {
    case Access::read:
      (option == "in" ? files.inputs : files.read).push_back(std::move(named));
      return;
    case Access::write:
      (option == "out" ? files.outputs : files.other_written).push_back(std::move(named));
      return;
    case Access::update:  // looked at by whoever opens it
    case Access::none:
      return;
  }
}

CommandFiles command_files_of(const Context& context) {
  CommandFiles files;
  for (const Option& option : context.command().options) {
    const std::string shown = fmt::format("--{}", option.name);
    if (!context.has(option.name)) continue;
    if (option.kind == Kind::file_assignment) {
      for (const auto& [name, file] : context.assignments(option.name))
        add_file(files, option.name, option.access, {fmt::format("{} {}", shown, name), file});
    } else if (option.kind == Kind::file) {
      for (const auto& file : option.repeat == Repeat::yes
                                  ? context.list(option.name)
                                  : std::vector<std::string>{context.text(option.name)})
        add_file(files, option.name, option.access, {shown, file});
    }
  }
  const Positional& positional = context.command().positional;
  for (std::size_t i = 0; i < context.arguments().size(); ++i)
    if (positional.kind == Kind::file)
      add_file(files, "", i == 0 ? positional.access : positional.access_rest,
               {std::string(positional.value_name), context.arguments()[i]});
  return files;
}

std::vector<NamedFile> joined(std::vector<NamedFile> files, const std::vector<NamedFile>& more) {
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

fs::path whole(const std::string& file) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(file, ignored), ignored);
}

bool is_within(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

/// What lies in a store is the store's, and what a command finds in a folder it reads.
void check_folders(const Context& context, const std::vector<NamedFile>& written) {
  const std::string store = store_settings_of(context).local;
  for (const auto& [option, file] : written) {
    const fs::path at = whole(file);
    std::error_code error;
    if (!store.empty() && is_within(at, whole(store)))
      throw Error(Errc::bad_input, fmt::format("{}: {} lies in the store's folder, expected a file "
                                               "elsewhere",
                                               option, one_line(file)));
    if (context.command().positional.kind != Kind::folder || !fs::is_regular_file(at, error))
      continue;
    for (const auto& folder : context.arguments())
      if (is_within(at, whole(folder)))
        throw Error(Errc::bad_input, fmt::format("{}: {} lies in {}, which is read; expected "
                                                 "another file",
                                                 option, one_line(file), one_line(folder)));
  }
}

}  // namespace

std::vector<fs::path> files_written_by(const Context& context) {
  std::vector<fs::path> paths;
  const CommandFiles files = command_files_of(context);
  for (const auto& named : joined(files.outputs, files.other_written))
    paths.emplace_back(named.file);
  return paths;
}

void check_written_files(const Context& context) {
  const CommandFiles files = command_files_of(context);
  const auto written = joined(files.outputs, files.other_written);
  if (written.empty()) return;
  const bool may_replace = context.command().in_place;
  check_written_files(written, may_replace ? std::vector<NamedFile>() : files.read);
  // An array may be read from a file and written back to it.
  check_written_files(files.other_written, files.inputs);
  check_folders(context, written);
}

void check_written_files(const std::vector<NamedFile>& written,
                         const std::vector<NamedFile>& read) {
  std::map<fs::path, std::string> taken;
  std::error_code ignored;
  for (const auto& [option, file] : read) taken.emplace(whole(file), option);
  for (const auto& [option, file] : written) {
    const auto status = fs::status(file, ignored);
    if (fs::is_directory(status))
      throw Error(Errc::bad_input,
                  fmt::format("{}: found the folder {}, expected a file", option, one_line(file)));
    if (fs::exists(status) && !fs::is_regular_file(status)) continue;
    const fs::path folder = fs::path(file).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, ignored))
      throw Error(Errc::not_found, fmt::format("{}: cannot write {}: there is no folder {}", option,
                                               one_line(file), one_line(folder.string())));
    const auto [at, added] = taken.emplace(whole(file), option);
    if (!added)
      throw Error(Errc::bad_input,
                  fmt::format("{}: {} is also the file of {}, expected different files", option,
                              one_line(file), at->second));
  }
}

}  // namespace kiln::cli
