#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace kiln {

/// Writes OpenCL C that is computed, line by line. Each line is indented by two blanks for every
/// open block; lines of the preprocessor begin at the margin. Text that is fixed, or depends on
/// macros only, is a template instead (kernel/text/templates.hpp).
class KernelWriter {
 public:
  /// @param depth blocks that are open around what is written.
  explicit KernelWriter(int depth = 0) : depth_(depth) {}

  /// One line, given without its end.
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    put(fmt::format(format, std::forward<Values>(values)...));
  }
  /// A line with a { behind it: those that follow are in its block.
  template <class... Values>
  void open(fmt::format_string<Values...> format, Values&&... values) {
    put(fmt::format(format, std::forward<Values>(values)...) + " {");
    ++depth_;
  }
  /// A { on a line of its own.
  void open() {
    put("{");
    ++depth_;
  }
  /// Ends the innermost block.
  void close(std::string_view end = "}") {
    --depth_;
    put(end);
  }
  /// Ends the block of an if and begins that of its else.
  void otherwise() {
    close("} else {");
    ++depth_;
  }
  /// Whole lines as they are.
  void lines(std::string_view text) { text_ += text; }

  std::string take() { return std::exchange(text_, {}); }

 private:
  void put(std::string_view line) {
    if (!line.starts_with('#')) text_.append(2 * static_cast<std::size_t>(depth_), ' ');
    text_.append(line) += '\n';
  }

  std::string text_;
  int depth_;
};

/// each(0), each(1) … each(count - 1), with `between` between them.
template <class Each>
std::string list_of(int count, const Each& each, std::string_view between = ", ") {
  std::string list;
  for (int i = 0; i < count; ++i) {
    if (i > 0) list += between;
    list += each(i);
  }
  return list;
}

}  // namespace kiln
