#include "expr/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "expr/text.hpp"

namespace kiln::expr {
namespace {

constexpr std::array<std::string_view, 8> keywords = {"and", "or",   "not",  "in",
                                                      "if",  "else", "True", "False"};
/// Python's keywords that mean nothing here; a name spelled like one would mislead the reader.
constexpr std::array<std::string_view, 6> foreign = {"None", "lambda", "is",
                                                     "for",  "await",  "yield"};
/// Longest first, since the first match is taken.
constexpr std::array<std::string_view, 18> symbols = {
    "**", "//", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "(", ")", "[", "]", ","};

// <cctype> depends on the locale and is undefined for negative chars; the language is ASCII.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/// The tables are short: a linear search is faster than any set.
template <std::size_t N>
bool holds(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What another language's operator is called here.
std::string_view advice(std::string_view rest) {
  if (rest.starts_with("&&")) return "; write 'and'";
  if (rest.starts_with("||")) return "; write 'or'";
  if (rest.starts_with("!")) return "; write 'not'";
  if (rest.starts_with("^")) return "; a power is written '**'";
  if (rest.starts_with("=")) return "; equality is written '=='";
  if (rest.starts_with("?")) return "; write 'a if condition else b'";
  if (rest.starts_with(":")) return "; slices are not part of the language";
  if (rest.starts_with(".")) return "; attributes are not part of the language";
  return "";
}

/// The base that the letter behind a leading 0 announces; 10 where there is none.
int base_of(char letter) {
  switch (letter | 0x20) {  // in lower case
    case 'x':
      return 16;
    case 'o':
      return 8;
    case 'b':
      return 2;
    default:
      return 10;
  }
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), is_word) && !holds(keywords, text) &&
         !holds(foreign, text);
}

Token Lexer::token(Token::Kind kind, std::size_t start) const {
  Token made;
  made.kind = kind;
  made.column = start + 1;
  made.text = text_.substr(start, at_ - start);
  return made;
}

/// The first character decides the kind of a word. A point starts a number only before a digit, so
/// that `a.b` is answered with what it is, an attribute.
Expected<Token> Lexer::next() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  if (at_ == text_.size()) return token(Token::Kind::end, at_);
  const char first = peek();
  if (is_digit(first) || (first == '.' && is_digit(peek(1)))) return number();
  if (is_word(first)) return word();
  if (first != '\'' && first != '"') return symbol();
  const std::size_t start = at_;
  auto value = read_string(text_, at_);
  if (!value) return tl::unexpected(value.error());
  Token made = token(Token::Kind::string, start);
  made.string = std::move(*value);
  return made;
}

/// Foreign words fail here and not at their look-up: "unknown name 'lambda'" would not help.
Expected<Token> Lexer::word() {
  const std::size_t start = at_;
  while (is_word(peek())) ++at_;
  Token made = token(Token::Kind::name, start);
  if (holds(foreign, made.text)) {
    return fail_at(made.column, shown(made.text) + " is not part of the language");
  }
  if (holds(keywords, made.text)) made.kind = Token::Kind::keyword;
  return made;
}

/// Finds where a number ends and whether it is a floating-point one; from_chars does the rest.
Expected<Token> Lexer::number() {
  const std::size_t start = at_;
  const int base = peek() == '0' ? base_of(peek(1)) : 10;
  bool real = false;
  if (base == 10) {
    const auto digits = [this] {
      while (is_digit(peek())) ++at_;
    };
    digits();
    if (peek() == '.') real = true, ++at_, digits();
    if (peek() == 'e' || peek() == 'E') {
      real = true, ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits();
    }
  }
  const std::string_view decimal = text_.substr(start, at_ - start);
  // Letters that touch a number belong to it, so that 12abc or 1_000 is one fault, not two words.
  while (is_word(peek())) ++at_;
  Token made = token(Token::Kind::real, start);
  if (!real) return integer(made.text, base);
  if (made.text != decimal || !read_number(made.text, made.real)) {
    return fail_at(made.column, shown(made.text) + " is not a number");
  }
  if (made.real > 1.7976931348623157e308) {
    return fail_at(made.column, shown(made.text) + " is too large for a floating-point number");
  }
  return made;
}

/// The magnitude may have all 64 bits here: only the parser knows whether a minus stands before it.
Expected<Token> Lexer::integer(std::string_view written, int base) {
  Token made = token(Token::Kind::integer, at_ - written.size());
  std::string_view digits = written;
  const bool is_long = digits.ends_with('L') || digits.ends_with('l');
  if (is_long && dialect_ == Dialect::python2) digits.remove_suffix(1);
  if (base != 10) digits.remove_prefix(2);
  // Python 2 reads 017 as 15 and Python 3 refuses it, but both take 0, 00 and so on.
  if (base == 10 && digits.size() > 1 && digits.front() == '0' &&
      digits.find_first_not_of('0') != std::string_view::npos && is_digit(digits.back())) {
    return fail_at(made.column, shown(written) + " starts with 0; octal numbers are written 0o17");
  }
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, made.magnitude, base);
  if (read.ec == std::errc::result_out_of_range && read.ptr == end) {
    return fail_at(made.column, shown(written) + " does not fit 64 bits");
  }
  if (read.ec != std::errc{} || read.ptr != end) {
    return fail_at(made.column, shown(written) + " is not a number");
  }
  return made;
}

/// An operator or bracket, or the error for a character that starts nothing.
Expected<Token> Lexer::symbol() {
  const std::size_t start = at_;
  const std::string_view rest = text_.substr(at_);
  for (const std::string_view known : symbols) {
    if (!rest.starts_with(known)) continue;
    at_ += known.size();
    return token(Token::Kind::symbol, start);
  }
  const std::size_t bytes = std::max<std::size_t>(1, character_at(text_, at_).bytes);
  return fail_at(at_ + 1, fmt::format("unexpected character {}{}", shown(rest.substr(0, bytes)),
                                      advice(rest)));
}

}  // namespace kiln::expr
