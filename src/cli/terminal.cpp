#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "cli/results.hpp"

namespace kiln::cli {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != 0;
}

const char* code_of(Style style) {
  switch (style) {
    case Style::bold:
      return "\033[1m";
    case Style::dim:
      return "\033[2m";
    case Style::good:
      return "\033[32m";
    case Style::bad:
      return "\033[31m";
  }
  return "";
}

int descriptor_of(Stream stream) {
  return stream == Stream::output ? results_descriptor() : STDERR_FILENO;
}

}  // namespace

bool is_terminal(Stream stream) {
  const char* type = std::getenv("TERM");
  const bool dumb = type == nullptr || std::string_view(type) == "dumb";
  return !dumb && ::isatty(descriptor_of(stream)) == 1;
}

int columns(Stream stream) {
  // As in other commands: who sets COLUMNS means it, wherever the text goes.
  constexpr int least = 20, most = 10'000;
  if (const char* chosen = std::getenv("COLUMNS")) {
    int width = 0;
    const std::string_view text = chosen;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error == std::errc() && end == text.data() + text.size() && width > 0)
      return std::clamp(width, least, most);
  }
  winsize size{};
  if (::ioctl(descriptor_of(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::max<int>(size.ws_col, least);
}

std::string styled(Style style, std::string_view text, Stream stream) {
  // no-color.org: any value of NO_COLOR but the empty one turns colours off.
  if (!is_terminal(stream) || is_set("NO_COLOR")) return std::string(text);
  return code_of(style) + std::string(text) + "\033[0m";
}

}  // namespace kiln::cli
