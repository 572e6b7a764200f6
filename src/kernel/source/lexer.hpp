#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// Names as small numbers, so that an analysis compares and indexes instead of hashing again.
/// Number 0 is the empty name. Names are views: the caller keeps their text alive, or hands it over
/// with adopt(). Not thread-safe.
class Symbols {
 public:
  Symbols();
  /// The number of a name, new or known. O(1).
  std::uint32_t intern(std::string_view name);
  /// The number of a known name, else 0.
  std::uint32_t find(std::string_view name) const;
  std::string_view name(std::uint32_t symbol) const { return names_[symbol]; }
  std::size_t size() const { return names_.size(); }
  /// Keeps a text for as long as this object lives; its address does not change.
  std::string_view adopt(std::string text) { return kept_.emplace_back(std::move(text)); }

 private:
  std::size_t slot_of(std::string_view name) const;
  void grow();

  std::vector<std::string_view> names_;
  std::vector<std::uint32_t> slots_;  // open addressing; 0 is free, the size a power of two
  std::deque<std::string> kept_;
};

enum class TokenKind : std::uint8_t {
  identifier,
  number,
  string,     ///< "…", its quotes included; without the closing one where the line ends first
  character,  ///< '…', likewise
  header,     ///< the "…" or <…> of an #include
  punctuator,
  directive,  ///< a preprocessor directive; its own tokens follow it (Token::extent)
  unknown,    ///< a byte that begins no token
};

/// A punctuator's code, for comparing without a string: punct("<<=").
constexpr std::uint32_t punct(std::string_view text) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    code |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  return code;
}

/// One token. `text` is its spelling without line continuations, digraphs in their usual form;
/// a directive's is its name ("define"; "" for a lone #; "line" for `# 12 "file"`).
struct Token {
  enum Flag : std::uint8_t {
    space_before = 1,
    no_expansion = 2,   ///< names a macro inside of its own expansion
    undecided = 4,      ///< names a macro with several possible meanings (see preprocess.hpp)
    unclear_paste = 8,  ///< the result of ## on undecided text
    type_like = 16,     ///< undecided, but a type in each of its meanings
  };
  std::string_view text;
  std::uint32_t code = 0;    ///< identifiers and directives: symbol; punctuators: punct(text)
  std::uint32_t begin = 0;   ///< first byte in the lexed text; a directive's is its #
  std::uint32_t end = 0;     ///< past the last byte; a directive's is the end of its line
  std::uint32_t line = 0;    ///< as #line directives count, from 1
  std::uint32_t extent = 0;  ///< of a directive: how many of the following tokens are its own;
                             ///< after preprocessing: undecided branches that the token is in
  std::uint32_t macro = 0;   ///< symbol of the macro whose expansion this is, or 0
  std::uint16_t file = 0;    ///< index in Lexed::files
  TokenKind kind = TokenKind::unknown;
  std::uint8_t flags = 0;

  bool is(std::uint32_t punctuator) const {
    return kind == TokenKind::punctuator && code == punctuator;
  }
  bool is_name(std::uint32_t symbol) const {
    return kind == TokenKind::identifier && code == symbol;
  }
};

/// The tokens of a text. Holds views into the text, which must outlive it.
struct Lexed {
  std::vector<Token> tokens;
  std::vector<std::string> files;  ///< [0] is the name given to lex(); others come from #line
  Symbols symbols;
};

/// Lexes OpenCL C (ISO C99 6.4 with digraphs and line continuations; no trigraphs). Follows #line
/// and linemarkers for line numbers and file names. Never fails: what is not C gives tokens of kind
/// unknown, and an open comment ends with the text. The text is less than 4 GiB. O(bytes).
Lexed lex(std::string_view text, std::string_view file_name = "");

/// What a word of OpenCL C means to an analysis.
enum class Word : std::uint8_t {
  name,       ///< no keyword
  type,       ///< a built-in type: float4, size_t, image2d_t …
  sign,       ///< unsigned, signed, short, long: types that combine
  aggregate,  ///< struct, union, enum
  qualifier,  ///< const, restrict, inline, read_only …
  volatile_,
  const_,
  static_,
  typedef_,
  global,
  constant,
  local,
  private_,
  generic,
  kernel,
  attribute,  ///< __attribute__
  if_,
  else_,
  for_,
  while_,
  do_,
  switch_,
  case_,
  default_,
  return_,
  break_,
  continue_,
  goto_,
  sizeof_,  ///< sizeof and its like: the operand is not evaluated
  asm_,
  cpp,  ///< a keyword of C++ for OpenCL
};

Word classify_word(std::string_view word);

/// Whether a word can stand in a declaration before the declared name.
constexpr bool begins_type(Word word) { return word >= Word::type && word <= Word::attribute; }
constexpr bool is_type_word(Word word) { return word == Word::type || word == Word::sign; }

}  // namespace kiln
