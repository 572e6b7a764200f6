#include "kernel/source/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <string>
#include <unordered_map>

namespace kiln {

Symbols::Symbols() : names_(1), slots_(1024) { names_.reserve(512); }

std::size_t Symbols::slot_of(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(name)&mask;
  while (slots_[slot] != 0 && names_[slots_[slot]] != name) slot = (slot + 1) & mask;
  return slot;
}

std::uint32_t Symbols::find(std::string_view name) const { return slots_[slot_of(name)]; }

std::uint32_t Symbols::intern(std::string_view name) {
  if (name.empty()) return 0;
  const std::size_t slot = slot_of(name);
  if (slots_[slot] != 0) return slots_[slot];
  const auto symbol = static_cast<std::uint32_t>(names_.size());
  slots_[slot] = symbol;
  names_.push_back(name);
  if (names_.size() * 2 > slots_.size()) grow();
  return symbol;
}

void Symbols::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (std::uint32_t symbol = 1; symbol < names_.size(); ++symbol)
    slots_[slot_of(names_[symbol])] = symbol;
}

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
    space_ = false;
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
      space_ = true;
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
    token.flags = space_ ? Token::space_before : 0;
    return token;
  }

  /// The text from begin to at_, without line continuations.
  std::string_view spelling(std::size_t begin) {
    const std::string_view raw = text_.substr(begin, at_ - begin);
    if (raw.find('\\') == raw.npos) return raw;
    std::string clean;
    for (std::size_t at = unsplice(begin); at < at_; at = next(at)) clean += text_[at];
    return clean == raw ? raw : out_.symbols.adopt(std::move(clean));
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

  void word(std::size_t begin) {
    Token& token = emit(TokenKind::identifier, begin);
    while (at_ < text_.size() && class_of(text_[at_]) >= letter) at_ = next(at_);
    finish(token, begin);
    token.code = out_.symbols.intern(token.text);
  }

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
          token.code = punct(token.text);
          return;
        }
      }
    }
    at_ = next(at_);
    finish(token, begin);
    token.code = punct(token.text);
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
        name_directive(index);
      } else if (class_of(text_[at_]) == digit) {
        out_.tokens[index].text = "line";
      }
      out_.tokens[index].code = out_.symbols.intern(out_.tokens[index].text);
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

  void name_directive(std::size_t index) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && class_of(text_[at_]) >= letter) at_ = next(at_);
    at_ = std::min(at_, text_.size());
    out_.tokens[index].text = spelling(begin);
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
    const auto known = std::find(out_.files.begin(), out_.files.end(), name);
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
  bool line_start_ = true, space_ = false, in_directive_ = false;
};

}  // namespace

Lexed lex(std::string_view text, std::string_view file_name) {
  return Lexer(text, file_name).run();
}

namespace {

using Words = std::unordered_map<std::string_view, Word>;

Words make_words() {
  Words words;
  const auto add = [&](Word word, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) words.emplace(name, word);
  };
  add(Word::type, {"void",
                   "bool",
                   "_Bool",
                   "char",
                   "int",
                   "float",
                   "double",
                   "half",
                   "uchar",
                   "ushort",
                   "uint",
                   "ulong",
                   "size_t",
                   "ptrdiff_t",
                   "intptr_t",
                   "uintptr_t",
                   "sampler_t",
                   "event_t",
                   "queue_t",
                   "ndrange_t",
                   "clk_event_t",
                   "reserve_id_t",
                   "cl_mem_fence_flags",
                   "memory_order",
                   "memory_scope",
                   "quad",
                   "complex",
                   "imaginary",
                   "atomic_int",
                   "atomic_uint",
                   "atomic_long",
                   "atomic_ulong",
                   "atomic_float",
                   "atomic_double",
                   "atomic_half",
                   "atomic_intptr_t",
                   "atomic_uintptr_t",
                   "atomic_size_t",
                   "atomic_ptrdiff_t",
                   "atomic_flag",
                   "__int128"});
  add(Word::sign, {"unsigned", "signed", "__signed", "__signed__", "short", "long"});
  add(Word::aggregate, {"struct", "union", "enum"});
  add(Word::qualifier,
      {"restrict",    "__restrict",    "__restrict__", "inline",       "__inline",
       "__inline__",  "extern",        "register",     "auto",         "read_only",
       "__read_only", "write_only",    "__write_only", "read_write",   "__read_write",
       "pipe",        "__extension__", "noinline",     "__noinline__", "uniform"});
  add(Word::volatile_, {"volatile", "__volatile", "__volatile__"});
  add(Word::const_, {"const", "__const", "__const__"});
  add(Word::static_, {"static"});
  add(Word::typedef_, {"typedef"});
  add(Word::global, {"global", "__global"});
  add(Word::constant, {"constant", "__constant"});
  add(Word::local, {"local", "__local"});
  add(Word::private_, {"private", "__private"});
  add(Word::generic, {"generic", "__generic"});
  add(Word::kernel, {"kernel", "__kernel"});
  add(Word::attribute, {"__attribute__", "__attribute"});
  add(Word::sizeof_, {"sizeof", "_Alignof", "alignof", "__alignof", "__alignof__", "vec_step",
                      "__builtin_offsetof", "offsetof", "typeof", "__typeof", "__typeof__"});
  add(Word::asm_, {"asm", "__asm", "__asm__"});
  add(Word::cpp, {"template", "namespace", "class", "operator", "typename", "decltype", "constexpr",
                  "addrspace_cast", "reinterpret_cast", "static_cast", "const_cast", "using"});
  const std::pair<std::string_view, Word> statements[] = {{"if", Word::if_},
                                                          {"else", Word::else_},
                                                          {"for", Word::for_},
                                                          {"while", Word::while_},
                                                          {"do", Word::do_},
                                                          {"switch", Word::switch_},
                                                          {"case", Word::case_},
                                                          {"default", Word::default_},
                                                          {"return", Word::return_},
                                                          {"break", Word::break_},
                                                          {"continue", Word::continue_},
                                                          {"goto", Word::goto_}};
  words.insert(std::begin(statements), std::end(statements));
  return words;
}

/// float4, uchar16: a scalar type's name and a vector's width.
bool is_vector_type(std::string_view word) {
  static constexpr std::string_view scalars[] = {"char",  "uchar",  "short", "ushort",
                                                 "int",   "uint",   "long",  "ulong",
                                                 "float", "double", "half",  "bool"};
  std::size_t digits = 0;
  while (digits < 2 && digits < word.size() && word[word.size() - 1 - digits] >= '0' &&
         word[word.size() - 1 - digits] <= '9')
    ++digits;
  const std::string_view width = word.substr(word.size() - digits);
  if (width != "2" && width != "3" && width != "4" && width != "8" && width != "16") return false;
  const std::string_view scalar = word.substr(0, word.size() - digits);
  return std::find(std::begin(scalars), std::end(scalars), scalar) != std::end(scalars);
}

}  // namespace

Word classify_word(std::string_view word) {
  static const Words words = make_words();
  if (const auto known = words.find(word); known != words.end()) return known->second;
  if (is_vector_type(word)) return Word::type;
  if (word.starts_with("image") && word.ends_with("_t") && word.size() > 7 && word[5] >= '1' &&
      word[5] <= '3')
    return Word::type;
  return Word::name;
}

}  // namespace kiln
