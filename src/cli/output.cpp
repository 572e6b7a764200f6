#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "base/one_line.hpp"
#include "kiln/error.hpp"

namespace kiln::cli {
namespace {

bool prints_to_errors = false;

std::FILE* printed() { return prints_to_errors ? stderr : stdout; }

[[noreturn]] void refuse(int error) {
  if (error == EPIPE) throw ReaderGone{};
  throw Error(Errc::io,
              "cannot write to standard output: " + std::generic_category().message(error));
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), printed()) != text.size()) refuse(errno);
}

void print_to_errors() { prints_to_errors = true; }

void print_text(std::string_view text) { print(visible_text(text)); }

void flush_output() {
  if (std::fflush(printed()) != 0) refuse(errno);
}

void complain(std::string_view message) {
  // Messages quote files; a compiler's log has lines and tabs.
  const std::string line = "kiln: " + visible_text(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void complain_of(std::string_view file, std::string_view message) {
  const bool named = message.find(file) != message.npos;
  complain(named ? std::string(message) : std::string(file) + ": " + std::string(message));
}

}  // namespace kiln::cli
