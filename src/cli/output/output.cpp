#include "cli/output/output.hpp"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "base/data/text.hpp"
#include "base/log.hpp"
#include "base/os/file.hpp"
#include "kiln/error.hpp"

namespace kiln::cli {
namespace {

bool prints_to_errors = false;

[[noreturn]] void refuse(int error) {
  if (error == EPIPE) throw ReaderGone{};
  throw Error(Errc::io,
              "cannot write to standard output: " + std::generic_category().message(error));
}

struct Results {
  std::FILE* file = stdout;  ///< nothing where standard output was closed
  int descriptor = STDOUT_FILENO;
};

Results& results() {
  static Results channel;
  return channel;
}

/// A stream that was closed must not become the number of a file, which would get what is written
/// to the stream.
void fill_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    while (::fcntl(stream, F_GETFD) < 0)
      if (::open("/dev/null", O_RDWR) < 0) return;
}

void write_result(std::string_view text, std::FILE* file) {
  if (file == nullptr) refuse(EBADF);
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) refuse(errno);
}

/// A file that was named /dev/stdout; print() writes elsewhere then (print_to_errors).
Expected<void> write_between(ByteView bytes) {
  try {
    write_result(as_text(bytes), results().file);
    flush_output();
    return {};
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
}

}  // namespace

void separate_results() {
  if (results().descriptor != STDOUT_FILENO) return;  // it was called before
  std::fflush(stdout);
  const int kept = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  results() = {kept < 0 ? nullptr : ::fdopen(kept, "w"), kept};
  fill_standard_streams();
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  set_standard_output(write_between);
}

void join_results() {
  if (results().descriptor != STDOUT_FILENO) {
    if (results().descriptor < 0)
      ::close(STDOUT_FILENO);
    else
      ::dup2(results().descriptor, STDOUT_FILENO);
  }
  results() = {};
  set_standard_output({});
}

int results_descriptor() { return results().descriptor; }

void print(std::string_view text) {
  write_result(text, prints_to_errors ? stderr : results().file);
}

void print_to_errors() { prints_to_errors = true; }

void print_text(std::string_view text) { print(visible_text(text)); }

void flush_output() {
  std::FILE* const file = results().file;
  if (prints_to_errors && std::fflush(stderr) != 0) refuse(errno);
  if (file != nullptr && std::fflush(file) != 0) refuse(errno);
}

void complain(std::string_view message) {
  // Messages quote files; a compiler's log has lines and tabs.
  const std::string line = "kiln: " + visible_text(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void complain_of(std::string_view file, std::string_view message) {
  const std::string shown = one_line(file);
  const bool named = message.find(shown) != message.npos;
  complain(named ? std::string(message) : shown + ": " + std::string(message));
}

namespace {

/// JSON asks for no escape of DEL and of U+0080 to U+009F, which terminals obey, too.
std::string fit_for_terminals(const std::string& json) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json[i]);
    const auto next = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
    if (byte == 0x7f) {
      out += "\\u007f";
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      out += "\\u00";
      out += digits[next >> 4];
      out += digits[next & 0xf];
      ++i;
    } else {
      out += json[i];
    }
  }
  return out;
}

}  // namespace

void print_json(const nlohmann::ordered_json& object) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  print(fit_for_terminals(object.dump(-1, ' ', false, Handler::replace)) + "\n");
}

void print_json_line(const std::string& object) { print(fit_for_terminals(object) + "\n"); }

void print_failure_json(std::string_view error, std::string_view kind, int exit_code,
                        std::string_view file) {
  nlohmann::ordered_json object;
  if (!file.empty()) object["file"] = file;
  object["error"] = error;
  object["kind"] = kind;
  object["exit_code"] = exit_code;
  print_json(object);
}

namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      break;
  }
  return spdlog::level::warn;
}

/// Made at the first message: most runs have none, and then pay nothing.
spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("kiln", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made.set_level(spdlog::level::trace);
    made.set_pattern("%n: %^%l%$: %v");
    return made;
  }();
  return instance;
}

}  // namespace

void print_log(std::string_view level) {
  if (level == "off") return set_log_sink({});
  const LogLevel least = level == "debug"  ? LogLevel::debug
                         : level == "info" ? LogLevel::info
                                           : LogLevel::warning;
  set_log_sink([least](LogLevel of, std::string_view message) {
    if (of >= least) logger().log(level_of(of), visible_text(message));
  });
}

}  // namespace kiln::cli
