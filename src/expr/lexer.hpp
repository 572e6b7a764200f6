#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kiln/expr.hpp"

namespace kiln::expr {

/// One word of an expression.
struct Token {
  enum class Kind { end, name, keyword, integer, real, string, symbol };
  Kind kind = Kind::end;
  std::size_t column = 1;       ///< 1-based byte where it starts
  std::string_view text;        ///< as written
  std::uint64_t magnitude = 0;  ///< of an integer; may exceed a signed one (see Parser::sign)
  double real = 0;
  std::string string;

  /// Whether it is this keyword or symbol.
  bool is(std::string_view spelling) const {
    return (kind == Kind::symbol || kind == Kind::keyword) && text == spelling;
  }
};

/// Cuts a text into tokens, one at a time, so that a bad text costs only its good part.
class Lexer {
 public:
  Lexer(std::string_view text, Dialect dialect) : text_(text), dialect_(dialect) {}
  /// The next token, at last one of kind end, as often as it is asked for. After an error:
  /// undefined.
  Expected<Token> next();

 private:
  Expected<Token> word();
  Expected<Token> number();
  Expected<Token> integer(std::string_view digits, int base);
  Expected<Token> symbol();
  Token token(Token::Kind kind, std::size_t start) const;
  /// NUL behind the end: no rule takes it, so no rule needs a check of its own.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  std::string_view text_;
  Dialect dialect_;
  std::size_t at_ = 0;
};

/// Whether a text can name a value: letters, digits and _, no digit first, not a keyword.
bool is_identifier(std::string_view text);

}  // namespace kiln::expr
