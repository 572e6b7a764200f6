#include "cli/layout.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/text.hpp"
#include "cli/terminal.hpp"

namespace kiln::cli {
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

}  // namespace kiln::cli
