#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/source/symbols.hpp"

namespace kiln {

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

}  // namespace kiln
