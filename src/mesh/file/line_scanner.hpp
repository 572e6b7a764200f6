#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace kiln::mesh {

/// Reads numbers between blanks off the lines of a text. After a failure it stands before what
/// was wrong, for found(). Not thread-safe.
class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  /// The line that it stands in, from 1.
  std::int64_t line() const { return line_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  /// The next number of this line; false for anything else, a number that does not fit included.
  template <class T>
  bool number(T& value) {
    T read{};
    const char* stop = after(read);
    if (stop == nullptr) return false;
    value = read;
    at_ = stop;
    return true;
  }

  /// The same for a number that may not be below zero.
  template <class T>
  bool count(T& value) {
    T read{};
    const char* stop = after(read);
    if (stop == nullptr || read < 0) return false;
    value = read;
    at_ = stop;
    return true;
  }

  /// Whether the line ends here; steps to the next one.
  bool end_line() {
    skip_blanks();
    if (at_ == end_) return true;
    if (*at_ != '\n') return false;
    ++at_;
    ++line_;
    return true;
  }

  /// Whether nothing but blanks and empty lines is left.
  bool at_end() {
    while (at_ != end_)
      if (!end_line()) return false;
    return true;
  }

  /// Whether a further word stands in this line.
  bool more_in_line() {
    skip_blanks();
    return at_ != end_ && *at_ != '\n';
  }

  /// What stands here, for messages: the word, "the end of the line", "the end of the file".
  std::string found() const;

 private:
  // A carriage return counts as a blank, so that files with CR LF are read as they are.
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  /// The end of the number that stands here; null where there is none.
  template <class T>
  const char* after(T& value) {
    skip_blanks();
    const auto [stop, error] = std::from_chars(at_, end_, value);
    const bool ends = stop == end_ || is_blank(*stop) || *stop == '\n';
    return error == std::errc{} && ends ? stop : nullptr;
  }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  const char* at_;
  const char* end_;
  std::int64_t line_ = 1;
};

}  // namespace kiln::mesh
