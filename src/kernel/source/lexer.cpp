#include "kernel/source/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace kiln {

namespace {

enum CharClass : std::uint8_t { other, blank, newline, letter, digit };

constexpr std::array<CharClass, 256> make_classes() {
  std::array<CharClass, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool is_letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
    // A NUL byte is white space, as it is to Clang.
    const bool is_blank = c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == 0;
    classes[static_cast<std::size_t>(c)] = is_letter                ? letter
                                           : is_blank               ? blank
                                           : c == '\n' || c == '\r' ? newline
                                           : c >= '0' && c <= '9'   ? digit
                                                                    : other;
  }
  return classes;
}
constexpr std::array<CharClass, 256> classes = make_classes();
CharClass class_of(char c) { return classes[static_cast<unsigned char>(c)]; }

/// Longest first within a first character; digraphs with what they stand for.
struct Spelling {
  std::string_view text, meaning;
};
constexpr Spelling spellings[] = {
    {"%:%:", "##"}, {"...", ""}, {"<<=", ""}, {">>=", ""}, {"->", ""},  {"++", ""},
    {"--", ""},     {"<<", ""},  {">>", ""},  {"<=", ""},  {">=", ""},  {"==", ""},
    {"!=", ""},     {"&&", ""},  {"||", ""},  {"*=", ""},  {"/=", ""},  {"%=", ""},
    {"+=", ""},     {"-=", ""},  {"&=", ""},  {"^=", ""},  {"|=", ""},  {"##", ""},
    {"::", ""},     {"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}, {"%:", "#"},
};
constexpr std::string_view single = "[](){}.&*+-~!/%<>^|?:;=,#";

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view name) : text_(text) {
    out_.files.emplace_back(name);
    out_.tokens.reserve(text.size() / 3 + 16);
    if (text.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
  }

  Lexed run() {
    while (skip_to_token()) {
      if (line_start_ && hash_length(at_) != 0)
        directive();
      else
        token();
      line_start_ = false;
    }
    return std::move(out_);
  }

 private:
  char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  /// Past any backslash-newlines at this place; blanks between the two count, as they do to Clang.
  std::size_t unsplice(std::size_t at) const {
    while (peek(at) == '\\') {
      std::size_t next = at + 1;
      while (next < text_.size() && class_of(text_[next]) == blank) ++next;
      if (next >= text_.size() || class_of(text_[next]) != newline) break;
      at = next + (text_[next] == '\r' && peek(next + 1) == '\n' ? 2 : 1);
    }
    return at;
  }
  /// The place of the next character of the logical line.
  std::size_t next(std::size_t at) const {
    ++at;
    return peek(at) == '\\' ? unsplice(at) : at;
  }

  /// Skips blanks, comments and (outside of a directive) newlines. False at the end of the text,
  /// in a directive also at the end of its line.
  bool skip_to_token() {
    for (;;) {
      at_ = unsplice(at_);
      if (at_ >= text_.size()) return false;
      const CharClass c = class_of(text_[at_]);
      if (c == blank) {
        ++at_;
      } else if (c == newline) {
        if (in_directive_) return false;
        ++at_;
        line_start_ = true;
      } else if (text_[at_] != '/' || !comment()) {
        return true;
      }
    }
  }

  bool comment() {
    std::size_t at = next(at_);
    if (peek(at) == '/') {
      while (at < text_.size() && class_of(text_[at]) != newline) at = next(at);
    } else if (peek(at) == '*') {
      at = next(at);
      for (; at < text_.size(); at = next(at))
        if (text_[at] == '*' && peek(next(at)) == '/') break;
      at = at < text_.size() ? next(at) + 1 : text_.size();
    } else {
      return false;
    }
    at_ = std::min(at, text_.size());
    return true;
  }

  /// Length of a # or %: at this place, else 0; ## begins no directive.
  std::size_t hash_length(std::size_t at) const {
    if (peek(at) == '#') return peek(next(at)) == '#' ? 0 : 1;
    if (peek(at) == '%' && peek(next(at)) == ':') return next(at) + 1 - at;
    return 0;
  }

  /// Physical line of a place at or after the last one asked for.
  std::uint32_t physical_line(std::size_t at) {
    for (; counted_ < at; ++counted_)
      if (class_of(text_[counted_]) == newline &&
          !(text_[counted_] == '\r' && peek(counted_ + 1) == '\n'))
        ++physical_;
    return physical_;
  }

  Token& emit(TokenKind kind, std::size_t begin) {
    Token& token = out_.tokens.emplace_back();
    token.kind = kind;
    token.begin = static_cast<std::uint32_t>(begin);
    token.line = physical_line(begin) + line_shift_;
    token.file = file_;
    return token;
  }

  /// The text from begin to at_, without line continuations.
  std::string_view spelling(std::size_t begin) {
    const std::string_view raw = text_.substr(begin, at_ - begin);
    if (raw.find('\\') == raw.npos) return raw;
    std::string clean;
    for (std::size_t at = unsplice(begin); at < at_; at = next(at)) clean += text_[at];
    return clean == raw ? raw : out_.kept.emplace_back(std::move(clean));
  }

  void token() {
    const std::size_t begin = at_;
    const char first = text_[at_];
    const CharClass c = class_of(first);
    if (c == letter) {
      word(begin);
    } else if (c == digit || (first == '.' && class_of(peek(next(at_))) == digit)) {
      number(begin);
    } else if (first == '"' || first == '\'') {
      quoted(begin, first);
    } else {
      punctuator(begin);
    }
  }

  void word(std::size_t begin) { finish_word(emit(TokenKind::identifier, begin), begin); }

  void number(std::size_t begin) {
    Token& token = emit(TokenKind::number, begin);
    for (char last = 0; at_ < text_.size(); at_ = next(at_)) {
      const char c = text_[at_];
      const bool exponent =
          (c == '+' || c == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P');
      if (class_of(c) < letter && c != '.' && !exponent) break;
      last = c;
    }
    finish(token, begin);
  }

  void quoted(std::size_t begin, char quote) {
    Token& token = emit(quote == '"' ? TokenKind::string : TokenKind::character, begin);
    at_ = next(at_);
    while (at_ < text_.size() && class_of(text_[at_]) != newline) {
      const char c = text_[at_];
      at_ = next(at_);
      if (c == quote) break;
      // An escape takes the next character along, whatever it is.
      if (c == '\\' && at_ < text_.size() && class_of(text_[at_]) != newline) at_ = next(at_);
    }
    finish(token, begin);
  }

  void punctuator(std::size_t begin) {
    const auto match = [&](std::string_view wanted) -> std::size_t {
      std::size_t at = at_;
      for (const char c : wanted) {
        if (peek(at) != c) return 0;
        at = next(at);
      }
      return at;
    };
    if (single.find(text_[at_]) == single.npos) {
      Token& token = emit(TokenKind::unknown, begin);
      at_ = next(at_);
      finish(token, begin);
      return;
    }
    Token& token = emit(TokenKind::punctuator, begin);
    // Most punctuators stand alone: only these can begin a longer one.
    if (class_of(peek(at_ + 1)) == other) {
      for (const Spelling& candidate : spellings) {
        if (candidate.text[0] != text_[at_]) continue;
        if (const std::size_t end = match(candidate.text)) {
          at_ = end;
          finish(token, begin);
          token.text = candidate.meaning.empty() ? candidate.text : candidate.meaning;
          return;
        }
      }
    }
    at_ = next(at_);
    finish(token, begin);
  }

  void finish(Token& token, std::size_t begin) {
    at_ = std::min(at_, text_.size());
    token.text = spelling(begin);
    token.end = static_cast<std::uint32_t>(at_);
  }

  void directive() {
    const std::size_t index = out_.tokens.size();
    emit(TokenKind::directive, at_);
    at_ += hash_length(at_);
    in_directive_ = true;
    if (skip_to_token()) {
      if (class_of(text_[at_]) == letter) {
        finish_word(out_.tokens[index], at_);
      } else if (class_of(text_[at_]) == digit) {
        out_.tokens[index].text = "line";
      }
      while (skip_to_token()) {
        if (!header(out_.tokens[index])) token();
      }
    }
    in_directive_ = false;
    Token& self = out_.tokens[index];
    self.extent = static_cast<std::uint32_t>(out_.tokens.size() - index - 1);
    self.end = static_cast<std::uint32_t>(at_);
    if (self.text == "line") follow_line(index);
  }

  void finish_word(Token& token, std::size_t begin) {
    while (at_ < text_.size() && class_of(text_[at_]) >= letter) at_ = next(at_);
    finish(token, begin);
  }

  /// The operand of an #include, where neither escapes nor comments mean anything.
  bool header(const Token& owner) {
    if (!owner.text.starts_with("include") && owner.text != "import") return false;
    if (&owner != &out_.tokens.back()) return false;
    const char close = text_[at_] == '<' ? '>' : text_[at_] == '"' ? '"' : '\0';
    if (close == '\0') return false;
    std::size_t at = next(at_);
    while (at < text_.size() && text_[at] != close && class_of(text_[at]) != newline) at = next(at);
    if (peek(at) != close) return false;
    const std::size_t begin = at_;
    Token& token = emit(TokenKind::header, begin);
    at_ = at + 1;
    finish(token, begin);
    return true;
  }

  void follow_line(std::size_t index) {
    if (out_.tokens.size() <= index + 1) return;
    const Token& number = out_.tokens[index + 1];
    std::uint32_t line = 0;
    const char* end = number.text.data() + number.text.size();
    const auto parsed = std::from_chars(number.text.data(), end, line);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return;
    line_shift_ = line - (physical_line(at_) + 1);  // may wrap; so does the sum that uses it
    if (out_.tokens.size() <= index + 2) return;
    const Token& file = out_.tokens[index + 2];
    if (file.kind == TokenKind::string && file.text.size() >= 2) file_ = file_number(file.text);
  }

  std::uint16_t file_number(std::string_view quoted_name) {
    std::string name;
    for (std::size_t i = 1; i + 1 < quoted_name.size(); ++i) {
      if (quoted_name[i] == '\\' && i + 2 < quoted_name.size()) ++i;
      name += quoted_name[i];
    }
    const auto known = std::ranges::find(out_.files, name);
    const auto index = static_cast<std::size_t>(known - out_.files.begin());
    if (known == out_.files.end()) {
      if (index > 0xFFFF) return 0;  // no real program has so many; only the message suffers
      out_.files.push_back(std::move(name));
    }
    return static_cast<std::uint16_t>(index);
  }

  std::string_view text_;
  Lexed out_;
  std::size_t at_ = 0, counted_ = 0;
  std::uint32_t physical_ = 1, line_shift_ = 0;
  std::uint16_t file_ = 0;
  bool line_start_ = true, in_directive_ = false;
};

}  // namespace

std::size_t Lexed::token_at(std::uint32_t at) const {
  return static_cast<std::size_t>(
      std::partition_point(tokens.begin(), tokens.end(),
                           [&](const Token& token) { return token.begin < at; }) -
      tokens.begin());
}

Lexed lex(std::string_view text, std::string_view file_name) {
  return Lexer(text, file_name).run();
}

}  // namespace kiln
