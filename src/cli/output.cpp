#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "base/streams.hpp"
#include "base/text.hpp"
#include "cli/results.hpp"
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

}  // namespace kiln::cli
