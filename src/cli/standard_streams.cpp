#include "cli/standard_streams.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_descriptor.hpp"
#include "base/streams.hpp"
#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/values.hpp"

namespace kiln::cli {
namespace {

// The largest pack. It is memory that this takes.
constexpr std::uint64_t longest_input = std::uint64_t{1} << 32;

bool names_stream(const std::string& file, int descriptor) {
  return file == "-" || descriptor_named_by(file) == descriptor;
}

/// Collects who names which stream.
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

}  // namespace kiln::cli
