#include "format/npy/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace kiln::npy {
namespace {

/// Recursive descent without recursion: the grammar has a fixed depth. The first error stays, and
/// after it nothing is left to read.
class Parser {
 public:
  Parser(std::string_view text, std::size_t offset) : text_(text), offset_(offset) {}

  Expected<HeaderDict> dict() {
    expect('{', "a dictionary");
    while (!error_ && peek() != '}') {
      entry();
      if (peek() != '}') expect(',', "a comma or }");
    }
    expect('}', "}");
    peek();
    if (at_ < text_.size()) refuse("nothing after the dictionary");
    for (std::size_t i = 0; i < std::size(keys) && !error_; ++i)
      if (!seen_[i]) refuse(fmt::format("the key '{}' in the dictionary", keys[i]));
    if (error_) return tl::unexpected(*error_);
    return std::move(result_);
  }

 private:
  static constexpr std::string_view keys[] = {"descr", "fortran_order", "shape"};

  void entry() {
    peek();
    const std::size_t start = at_;
    const std::string_view key = string();
    std::size_t which = 0;
    while (which < std::size(keys) && keys[which] != key) ++which;
    if (which == std::size(keys) || seen_[which]) {
      at_ = start;
      return refuse("each of the keys 'descr', 'fortran_order' and 'shape' once");
    }
    seen_[which] = true;
    expect(':', "a colon");
    peek();
    const std::size_t value_at = offset_ + at_;
    if (which == 0) {
      result_.descr_at = value_at;
      descr();
    } else if (which == 1) {
      result_.fortran_order_at = value_at;
      result_.fortran_order = boolean();
    } else {
      result_.shape_at = value_at;
      shape();
    }
  }

  void descr() {
    if (peek() == '[')
      return refuse("one plain element type; structured types (a list) are not read",
                    Errc::unsupported);
    result_.descr = string();
  }

  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') {
      refuse("a quoted text");
      return {};
    }
    const std::size_t end = text_.find_first_of(quote == '"' ? "\"\\\n" : "'\\\n", at_ + 1);
    if (end == text_.npos || text_[end] != quote) {
      at_ = std::min(end, text_.size());
      refuse("the closing quote (escapes are not read)");
      return {};
    }
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    refuse("True or False");
    return false;
  }

  void shape() {
    expect('(', "a tuple of sizes");
    bool comma = true;  // one is needed before the next size, and in a tuple of one
    while (!error_ && peek() != ')') {
      if (!comma) return refuse("a comma or )");
      if (result_.shape.size() == most_dimensions)
        return refuse(fmt::format("at most {} dimensions", most_dimensions));
      result_.shape.push_back(size());
      comma = peek() == ',';
      if (comma) ++at_;
    }
    if (result_.shape.size() == 1 && !comma)
      return refuse("a comma: a tuple of one is (3,), not (3)");
    expect(')', ")");
  }

  std::size_t size() {
    peek();
    std::size_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) {
      refuse("a size from 0 to 2^64 - 1");
      return 0;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote long integers
    return value;
  }

  /// The next character that is no blank; NUL at the end (and where the text holds one).
  char peek() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void expect(char letter, std::string_view what) {
    if (error_) return;
    if (peek() != letter) return refuse(what);
    ++at_;
  }

  void refuse(std::string_view expected, Errc code = Errc::bad_input) {
    if (error_) return;
    const std::string found =
        at_ >= text_.size() ? "the end" : fmt::format("{:?}", text_.substr(at_, 12));
    error_.emplace(code, fmt::format("npy file, byte {}, header: found {}, expected {}",
                                     offset_ + at_, found, expected));
    at_ = text_.size();
  }

  std::string_view text_;
  std::size_t offset_, at_ = 0;
  bool seen_[std::size(keys)] = {};
  HeaderDict result_;
  std::optional<Error> error_;
};

}  // namespace

Expected<HeaderDict> parse_header(std::string_view text, std::size_t offset) {
  return Parser(text, offset).dict();
}

}  // namespace kiln::npy
