#include "cli/output/output.hpp"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/data/text.hpp"
#include "base/log.hpp"
#include "base/os/file.hpp"
#include "base/os/launcher.hpp"
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

void print_field(std::string_view name, std::string_view value, int width) {
  print("{:<{}} {}\n", name, width, one_line(value));
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

void print_notes(const std::vector<std::string>& notes, std::string_view what) {
  for (const std::string& note : notes) complain("{}: {}", what, note);
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

void print_either(bool as_json, const nlohmann::ordered_json& object, std::string_view text) {
  as_json ? print_json(object) : print(text);
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

/// The text with another in the place of each such character.
std::string replaced(std::string_view text, char character, std::string_view by) {
  std::string result;
  for (const char c : text) c == character ? result += by : result += c;
  return result;
}

}  // namespace

std::string filled_page(std::string_view html, std::string_view summary,
                        const nlohmann::ordered_json& data) {
  constexpr std::string_view summary_place = "@summary@", data_place = "@data@";
  const auto first = html.find(summary_place), second = html.find(data_place, first);
  std::string page(html.substr(0, first));
  page += replaced(replaced(one_line(summary), '&', "&amp;"), '<', "&lt;");
  page += html.substr(first + summary_place.size(), second - first - summary_place.size());
  // As ASCII, and without the character that could end the data's element.
  page += replaced(data.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace), '<',
                   "\\u003c");
  return page += html.substr(second + data_place.size());
}

namespace {

/// What the streams were, where they lead nowhere.
int kept_output = -1, kept_errors = -1;

void keep(int stream, int& kept, int nowhere) {
  kept = ::fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::dup2(nowhere, stream);
}

void bring_back(int stream, int& kept) {
  if (kept < 0) return;
  ::dup2(kept, stream);
  ::close(std::exchange(kept, -1));
}

}  // namespace

void silence() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  keep(STDOUT_FILENO, kept_output, nowhere);
  keep(STDERR_FILENO, kept_errors, nowhere);
  ::close(nowhere);
}

void speak() {
  bring_back(STDOUT_FILENO, kept_output);
  speak_of_errors();
}

void speak_of_errors() { bring_back(STDERR_FILENO, kept_errors); }

LaunchedRank::LaunchedRank(int count, char** words) {
  if (count < 2 || std::string_view(words[1]) != "mesh" || rank_of_launcher() == 0) return;
  silence();
  is_silent_ = true;
}

int LaunchedRank::end(int code) const {
  if (is_silent_ && code != 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  return code;
}

namespace {

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
  const auto least = spdlog::level::from_str(std::string(level));
  set_log_sink([least](LogLevel of, std::string_view message) {
    // In the order of LogLevel.
    constexpr spdlog::level::level_enum levels[] = {spdlog::level::debug, spdlog::level::info,
                                                    spdlog::level::warn};
    const auto own = levels[static_cast<int>(of)];
    if (own < least) return;
    // Ranks that share a store, a configuration and a driver are warned of the same.
    const bool is_heard = kept_errors < 0;
    if (of == LogLevel::warning && ranks_of_launcher() > 1 && is_heard && !is_first_of_job(message))
      return;
    logger().log(own, visible_text(message));
  });
}

}  // namespace kiln::cli
