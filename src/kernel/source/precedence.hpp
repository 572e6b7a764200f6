#pragma once

#include "kernel/source/lexer.hpp"

namespace kiln {

/// How tightly a binary operator of C binds (ISO C99 6.5.5 to 6.5.14): 1 for || up to 10 for the
/// multiplying ones; 0 for every token that is none. All of them group from the left. ?:,
/// assignments and the comma are not among them.
int precedence(const Token& token);

}  // namespace kiln
