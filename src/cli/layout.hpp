#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::cli {

/// Characters that a UTF-8 text takes on a terminal, each code point counted as one.
std::size_t display_width(std::string_view text);

/// The text broken between words into lines of at most `width` characters, each after `indent`
/// blanks; a longer word stands alone. Empty lines between paragraphs stay.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// "1 file", "2 files".
std::string plural(std::size_t number, std::string_view noun);

/// Names on the left, explanations wrapped on the right.
std::string definition(std::string_view name, std::string_view meaning, std::size_t column,
                       std::size_t width);

/// Aligned columns with a heading. Columns whose every cell is a number stand to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> heading);
  /// As many cells as the heading has; further ones are an error of the caller (std::logic_error).
  /// A cell may hold anything: it stays in its line and does not steer the terminal.
  void row(std::vector<std::string> cells);
  std::string text() const;
  std::size_t rows() const { return rows_.size(); }

 private:
  std::vector<std::string> heading_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace kiln::cli
