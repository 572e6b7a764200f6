#include "cli/output/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "base/clock.hpp"
#include "base/data/number.hpp"
#include "base/data/text.hpp"
#include "base/os/launcher.hpp"
#include "cli/output/output.hpp"

namespace kiln::cli {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != 0;
}

/// In the order of Style.
constexpr const char* style_codes[] = {"\033[1m", "\033[2m", "\033[32m", "\033[31m"};

int descriptor_of(Stream stream) {
  return stream == Stream::output ? results_descriptor() : STDERR_FILENO;
}

}  // namespace

bool is_terminal(Stream stream) {
  const char* type = std::getenv("TERM");
  const bool dumb = type == nullptr || std::string_view(type) == "dumb";
  // Open MPI gives ranks a terminal of its own, of which it passes on all that comes, also to
  // files.
  return !dumb && !is_launched() && ::isatty(descriptor_of(stream)) == 1;
}

int columns(Stream stream) {
  // As in other commands: who sets COLUMNS means it, wherever the text goes.
  constexpr int least = 20, most = 10'000;
  if (const char* chosen = std::getenv("COLUMNS")) {
    const auto width = parse_number<int>(chosen);
    if (width && *width > 0) return std::clamp(*width, least, most);
  }
  winsize size{};
  if (::ioctl(descriptor_of(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::max<int>(size.ws_col, least);
}

std::string styled(Style style, std::string_view text, Stream stream) {
  // no-color.org: any value of NO_COLOR but the empty one turns colours off.
  // bixense.com/clicolors: any of CLICOLOR_FORCE but 0 turns them on, wherever the text goes.
  const bool is_forced =
      is_set("CLICOLOR_FORCE") && std::string_view(std::getenv("CLICOLOR_FORCE")) != "0";
  if (is_set("NO_COLOR") || !(is_forced || is_terminal(stream))) return std::string(text);
  return style_codes[static_cast<int>(style)] + std::string(text) + "\033[0m";
}

namespace {

constexpr std::size_t gap = 2;  // blanks between columns

std::string blanks(std::size_t count) { return std::string(count, ' '); }

/// One paragraph as wrapped lines.
std::string fill(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const auto start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    const std::size_t size = display_width(word);
    if (used != 0 && used + 1 + size > width) {
      out += '\n';
      used = 0;
    }
    out += used == 0 ? blanks(indent) : " ";
    used += size + (used == 0 ? indent : 1);
    out += word;
  }
  return out + "\n";
}

bool is_numeric(std::string_view cell) {
  return cell.empty() || cell.find_first_not_of("0123456789.,+-%e") == std::string_view::npos;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  // Continuation bytes of UTF-8 begin with the bits 10.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string plural(std::size_t number, std::string_view noun) {
  return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    out += end == 0 ? "\n" : fill(text.substr(0, end), indent, width);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string definition(std::string_view name, std::string_view meaning, std::size_t column,
                       std::size_t width) {
  std::string out = blanks(gap) + std::string(name);
  const std::size_t used = display_width(out);
  if (meaning.empty()) return out + "\n";
  std::string right = wrapped(meaning, column, width);
  // The first line of the meaning shares the line of the name where that is short enough.
  if (used + gap <= column) return out + blanks(column - used) + right.substr(column);
  return out + "\n" + right;
}

Table::Table(std::vector<std::string> heading) : heading_(std::move(heading)) {}

void Table::row(std::vector<std::string> cells) {
  if (cells.size() > heading_.size())
    throw std::logic_error("a table row is wider than its heading");
  cells.resize(heading_.size());
  for (auto& cell : cells) cell = one_line(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  std::vector<bool> numeric;
  for (std::size_t i = 0; i < heading_.size(); ++i) {
    std::size_t width = display_width(heading_[i]);
    bool all_numeric = !rows_.empty();
    for (const auto& cells : rows_) {
      width = std::max(width, display_width(cells[i]));
      all_numeric = all_numeric && is_numeric(cells[i]);
    }
    widths.push_back(width);
    numeric.push_back(all_numeric);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding = blanks(widths[i] - display_width(cells[i]));
      out += numeric[i] ? padding + cells[i] : cells[i] + padding;
      out += blanks(gap);
    }
    return out.substr(0, out.find_last_not_of(' ') + 1);
  };
  std::string out = styled(Style::bold, line(heading_)) + "\n";
  for (const auto& cells : rows_) out += line(cells) + "\n";
  return out;
}

namespace {

constexpr std::int64_t redraw_ns = 100'000'000;
constexpr std::int64_t second_ns = 1'000'000'000;
/// Between lines of a log.
constexpr std::int64_t line_ns = 10 * second_ns;
constexpr std::size_t log_width = 160;

/// The first `width` characters of a UTF-8 text.
std::string clipped(const std::string& text, std::size_t width) {
  std::size_t end = 0, count = 0;
  while (end < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (starts && ++count > width) break;
    ++end;
  }
  return text.substr(0, end);
}

std::string bar(std::size_t done, std::size_t total) {
  constexpr std::size_t cells = 20;
  const std::size_t full = total == 0 ? cells : cells * done / total;
  return "[" + std::string(full, '#') + std::string(cells - full, ' ') + "]";
}

}  // namespace

std::string brief_time(std::int64_t ns) {
  const std::int64_t seconds = (ns + second_ns / 2) / second_ns;
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

std::string progress_line(std::string_view what, std::size_t done, std::size_t total,
                          std::int64_t elapsed_ns, std::string_view note, std::size_t width) {
  done = std::min(done, total);
  const std::size_t percent = total == 0 ? 100 : 100 * done / total;
  std::string line =
      fmt::format("{} {}/{} {} {:3} %", what, done, total, bar(done, total), percent);
  if (done > 0 && done < total) {
    const double rest = static_cast<double>(total - done) / static_cast<double>(done);
    const auto to_go = static_cast<std::int64_t>(static_cast<double>(elapsed_ns) * rest);
    line += fmt::format("  {} to go", brief_time(to_go));
  }
  if (!note.empty()) line += fmt::format("  {}", note);
  return clipped(line, width);
}

Progress::Surroundings Progress::Surroundings::standard_error() {
  return {cli::is_terminal(Stream::errors), [] { return kiln::now_ns(); },
          [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }};
}

Progress::Progress(std::string what, std::size_t total, OffTerminal off_terminal,
                   Surroundings surroundings)
    : what_(std::move(what)),
      total_(total),
      off_terminal_(off_terminal),
      surroundings_(std::move(surroundings)),
      start_ns_(surroundings_.now_ns()),
      drawn_ns_(start_ns_) {}

Progress::~Progress() { hide(); }

void Progress::advance(std::size_t steps, std::string_view note) {
  const std::lock_guard lock(mutex_);
  done_ += steps;
  if (!note.empty()) note_ = note;
  draw();
}

void Progress::reach(std::size_t done, std::string_view note) {
  const std::lock_guard lock(mutex_);
  done_ = std::max(done_, done);
  note_ = note;
  draw();
}

void Progress::note(std::string_view text) {
  const std::lock_guard lock(mutex_);
  note_ = text;
  draw();
}

void Progress::hide() {
  const std::lock_guard lock(mutex_);
  if (!shown_) return;
  surroundings_.write("\r\033[K");
  shown_ = false;
}

void Progress::draw() {
  const std::int64_t now = surroundings_.now_ns();
  if (!surroundings_.is_terminal) return add_line(now);
  if (shown_ && now - drawn_ns_ < redraw_ns) return;
  // One character less than the width: a full line would wrap on some terminals.
  const auto width = static_cast<std::size_t>(columns(Stream::errors) - 1);
  const std::string line = progress_line(what_, done_, total_, now - start_ns_, note_, width);
  surroundings_.write("\r" + line + "\033[K");
  drawn_ns_ = now;
  shown_ = true;
}

void Progress::add_line(std::int64_t now) {
  if (off_terminal_ == OffTerminal::silent || now - drawn_ns_ < line_ns) return;
  surroundings_.write(
      "kiln: " + progress_line(what_, done_, total_, now - start_ns_, note_, log_width) + "\n");
  drawn_ns_ = now;
}

}  // namespace kiln::cli
