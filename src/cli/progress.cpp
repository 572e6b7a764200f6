#include "cli/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/clock.hpp"
#include "cli/layout.hpp"
#include "cli/terminal.hpp"

namespace kiln::cli {
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
