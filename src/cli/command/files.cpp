#include "cli/command/files.hpp"

#include <fcntl.h>
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

/// A file or folder that an option or a word of a command names.
struct FileUse {
  std::string_view option;  ///< empty: a word
  std::string shown;        ///< "--in 0", "FILE"
  Access access = Access::read;
  bool is_folder = false;
};

/// Calls `visit` with each that the command's settings and words name, and its name, which may be
/// replaced.
template <class Visit>
void each_file(const Command& command, std::vector<Setting>& settings,
               std::vector<std::string>& arguments, const Visit& visit) {
  for (auto& [option, values, origin] : settings)
    for (std::string& value : values) {
      FileUse use{option->name, fmt::format("--{}", option->name), option->access,
                  option->kind == Kind::folder};
      if (option->kind == Kind::file_assignment) {
        auto [name, file] = value_or_throw(to_assignment(value));
        use.shown += " " + name;
        visit(use, file);
        value = fmt::format("{}={}", name, file);
      } else if (option->kind == Kind::file || use.is_folder) {
        visit(use, value);
      }
    }
  const Positional& words = command.positional;
  if (words.kind != Kind::file && words.kind != Kind::folder) return;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    visit(FileUse{"", std::string(words.value_name), i == 0 ? words.access : words.access_rest,
                  words.kind == Kind::folder},
          arguments[i]);
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
  StandardStreams found;
  const auto take = [&](std::string& file, std::string& named_by, bool input, const FileUse& use) {
    if (!named_by.empty())
      throw bad_input("{}: {} and {} both name standard {}", command.name, named_by, use.shown,
                      input ? "input" : "output");
    named_by = use.shown;
    file = input ? standard_input : standard_output;
  };
  each_file(command, settings, arguments, [&](const FileUse& use, std::string& file) {
    if (use.is_folder) {
      if (file == "-")
        throw bad_input("{}: {}: found '-', expected a folder (./- is one that is called -)",
                        command.name, use.shown);
    } else if (use.access == Access::read && names_stream(file, STDIN_FILENO)) {
      take(file, found.input_named_by, true, use);
    } else if (use.access == Access::write && names_stream(file, STDOUT_FILENO)) {
      take(file, found.output_named_by, false, use);
    } else if (use.access == Access::update && (file == "-" || descriptor_named_by(file))) {
      throw bad_input(
          "{}: {}: found '{}', expected the name of a file; it cannot be a stream (./- is a file "
          "called -)",
          command.name, use.shown, file);
    }
  });
  if (!found.output_named_by.empty() && prints_json(settings))
    throw bad_input("{}: {} and --json both write to standard output", command.name,
                    found.output_named_by);
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
      throw bad_input(
          "standard input: found more than {}, expected at most that; write it to a file and name "
          "the file",
          byte_count_text(longest_input));
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

CommandFiles command_files_of(const Context& context) {
  CommandFiles files;
  auto settings = context.settings();
  auto arguments = context.arguments();
  each_file(context.command(), settings, arguments, [&](const FileUse& use, std::string& file) {
    if (file.empty() || use.is_folder || is_stream(file)) return;
    // A file that is updated is checked by the code that opens it, and so is the config file.
    if (use.access == Access::read)
      (use.option == "in" ? files.inputs : files.read).push_back({use.shown, file});
    else if (use.access == Access::write)
      (use.option == "out" ? files.outputs : files.other_written).push_back({use.shown, file});
  });
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
      throw bad_input("{}: {} lies in the store's folder, expected a file elsewhere", option,
                      one_line(file));
    if (context.command().positional.kind != Kind::folder || !fs::is_regular_file(at, error))
      continue;
    for (const auto& folder : context.arguments())
      if (is_within(at, whole(folder)))
        throw bad_input("{}: {} lies in {}, which is read; expected another file", option,
                        one_line(file), one_line(folder));
  }
}

}  // namespace

void write_new_or_advise(const fs::path& path, ByteView bytes, unsigned mode,
                         std::string_view advice) {
  const auto written = write_new_file(path, bytes, mode);
  if (!written && written.error().code() == Errc::bad_input)
    throw bad_input("{} ({})", written.error().message(), advice);
  value_or_throw(written);
}

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
      throw bad_input("{}: found the folder {}, expected a file", option, one_line(file));
    if (fs::exists(status) && !fs::is_regular_file(status)) continue;
    const fs::path folder = fs::path(file).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, ignored))
      throw Error(Errc::not_found, fmt::format("{}: cannot write {}: there is no folder {}", option,
                                               one_line(file), one_line(folder.string())));
    const fs::path place = folder.empty() ? "." : folder;
    if (!fs::exists(status) && ::faccessat(AT_FDCWD, place.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
      throw io_error("write", file, errno);
    const auto [at, added] = taken.emplace(whole(file), option);
    if (!added)
      throw bad_input("{}: {} is also the file of {}, expected different files", option,
                      one_line(file), at->second);
  }
}

}  // namespace kiln::cli
