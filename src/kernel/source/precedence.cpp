#include "kernel/source/precedence.hpp"

namespace kiln {

int precedence(const Token& token) {
  if (token.kind != TokenKind::punctuator) return 0;
  switch (token.code) {
    case punct("*"):
    case punct("/"):
    case punct("%"):
      return 10;
    case punct("+"):
    case punct("-"):
      return 9;
    case punct("<<"):
    case punct(">>"):
      return 8;
    case punct("<"):
    case punct(">"):
    case punct("<="):
    case punct(">="):
      return 7;
    case punct("=="):
    case punct("!="):
      return 6;
    case punct("&"):
      return 5;
    case punct("^"):
      return 4;
    case punct("|"):
      return 3;
    case punct("&&"):
      return 2;
    case punct("||"):
      return 1;
    default:
      return 0;
  }
}

}  // namespace kiln
