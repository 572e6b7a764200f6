#include "cli/command/files.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/session.hpp"

namespace kiln::cli {
namespace {

// The largest pack. It is memory that this takes.
constexpr std::uint64_t longest_input = std::uint64_t{1} << 32;

bool names_stream(const std::string& file, int descriptor) {
  return file == "-" || descriptor_named_by(file) == descriptor;
}

/// Finds the options and words that name a standard stream, and replaces their value.
class StreamNames {
 public:
  explicit StreamNames(const Command& command) : command_(command) {}

  void look_at(std::string& file, Access access, const std::string& shown) {
    switch (access) {
      case Access::read:
        if (names_stream(file, STDIN_FILENO))
          take(file, found_.input_named_by, standard_input, shown);
        return;
      case Access::write:
        if (names_stream(file, STDOUT_FILENO))
          take(file, found_.output_named_by, standard_output, shown);
        return;
      case Access::update:
        if (file == "-" || descriptor_named_by(file))
          throw error(
              fmt::format("{}: found '{}', expected the name of a file; it cannot be a "
                          "stream (./- is a file called -)",
                          shown, file));
        return;
      case Access::none:
        return;
    }
  }

  void look_at_folder(const std::string& folder, const std::string& shown) {
    if (folder == "-")
      throw error(
          fmt::format("{}: found '-', expected a folder (./- is one that is called -)", shown));
  }

  const StandardStreams& found() const { return found_; }
  Error error(const std::string& text) const {
    return {Errc::bad_input, fmt::format("{}: {}", command_.name, text)};
  }

 private:
  void take(std::string& file, std::string& user, const char* stream, const std::string& shown) {
    if (!user.empty())
      throw error(fmt::format("{} and {} both name standard {}", user, shown,
                              stream == standard_input ? "input" : "output"));
    user = shown;
    file = stream;
  }

  const Command& command_;
  StandardStreams found_;
};

void look_at_setting(StreamNames& names, Setting& setting) {
  const Option& option = *setting.option;
  const std::string shown = fmt::format("--{}", option.name);
  for (std::string& value : setting.values) {
    if (option.kind == Kind::file) {
      names.look_at(value, option.access, shown);
    } else if (option.kind == Kind::folder) {
      names.look_at_folder(value, shown);
    } else if (option.kind == Kind::file_assignment) {
      auto [name, file] = value_or_throw(to_assignment(value));
      names.look_at(file, option.access, fmt::format("{} {}", shown, name));
      value = fmt::format("{}={}", name, file);
    }
  }
}

void look_at_arguments(StreamNames& names, const Positional& positional,
                       std::vector<std::string>& arguments) {
  const std::string shown(positional.value_name);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (positional.kind == Kind::folder)
      names.look_at_folder(arguments[i], shown);
    else if (positional.kind == Kind::file)
      names.look_at(arguments[i], i == 0 ? positional.access : positional.access_rest, shown);
  }
}

bool prints_json(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings)
    if (setting.option->name == "json" && !setting.values.empty())
      return value_or_throw(to_flag(setting.values.back()));
  return false;
}

}  // namespace

StandardStreams name_standard_streams(const Command& command, std::vector<Setting>& settings,
                                      std::vector<std::string>& arguments) {
  StreamNames names(command);
  for (Setting& setting : settings) look_at_setting(names, setting);
  look_at_arguments(names, command.positional, arguments);
  const StandardStreams& found = names.found();
  if (!found.output_named_by.empty() && prints_json(settings))
    throw names.error(
        fmt::format("{} and --json both write to standard output", found.output_named_by));
  return found;
}

void keep_standard_input() {
  const auto failed = [] { throw io_error("read", "standard input", errno); };
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0) failed();
  if (S_ISREG(status.st_mode) && ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) return;
  const FileDescriptor kept(::memfd_create("standard input", MFD_CLOEXEC));
  if (!kept) failed();
  ::fchmod(kept.get(), 0600);
  std::vector<std::byte> buffer(1 << 18);
  for (std::uint64_t size = 0;;) {
    stop_if_interrupted();
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) failed();
    if (got == 0) break;
    size += static_cast<std::uint64_t>(got);
    if (size > longest_input)
      throw Error(Errc::bad_input,
                  fmt::format("standard input: found more than {}, expected at most that; write "
                              "it to a file and name the file",
                              byte_count_text(longest_input)));
    value_or_throw(write_all(kept.get(), ByteView(buffer.data(), static_cast<std::size_t>(got)),
                             "the copy of standard input"));
  }
  if (::lseek(kept.get(), 0, SEEK_SET) != 0 || ::dup2(kept.get(), STDIN_FILENO) < 0) failed();
}

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
    case Access::update:  // checked by the code that opens it
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

/// Refuses files in the store's folder, and files that exist in a folder which the command reads.
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
