#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

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

/// One token. `text` is its spelling without line continuations, digraphs in their usual form;
/// a directive's is its name ("define"; "" for a lone #; "line" for `# 12 "file"`).
struct Token {
  std::string_view text;
  std::uint32_t begin = 0;   ///< first byte in the lexed text; a directive's is its #
  std::uint32_t end = 0;     ///< past the last byte; a directive's is the end of its line
  std::uint32_t line = 0;    ///< as #line directives count, from 1
  std::uint32_t extent = 0;  ///< of a directive: how many of the following tokens are its own
  std::uint16_t file = 0;    ///< index in Lexed::files
  TokenKind kind = TokenKind::unknown;

  bool is(std::string_view punctuator) const {
    return kind == TokenKind::punctuator && text == punctuator;
  }
};

/// Whether a directive puts another file in its place.
inline bool is_inclusion(const Token& directive) {
  return directive.text == "include" || directive.text == "include_next" ||
         directive.text == "import" || directive.text == "embed";
}

/// The tokens of a text. Holds views into the text, which must outlive it.
struct Lexed {
  std::vector<Token> tokens;
  std::vector<std::string> files;  ///< [0] is the name given to lex(); others come from #line
  std::deque<std::string> kept;    ///< spellings that the text does not have in one piece

  /// The number of the first token at a byte or behind it.
  std::size_t token_at(std::uint32_t at) const;
};

/// Lexes OpenCL C (ISO C99 6.4 with digraphs and line continuations; no trigraphs). Follows #line
/// and linemarkers for line numbers and file names. Never fails: what is not C gives tokens of kind
/// unknown, and an open comment ends with the text. The text is less than 4 GiB. O(bytes).
Lexed lex(std::string_view text, std::string_view file_name = "");

}  // namespace kiln
