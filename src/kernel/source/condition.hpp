#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "kernel/source/lexer.hpp"

namespace kiln {

/// How tightly a binary operator of C binds (ISO C99 6.5.5 to 6.5.14): 1 for || up to 10 for the
/// multiplying ones; 0 for every token that is none. All of them group from the left. ?:,
/// assignments and the comma are not among them.
int precedence(const Token& token);

/// What is known of a condition before compilation.
enum class Truth : std::uint8_t { no, yes, unknown };

/// Evaluates the expression of an #if (ISO C99 6.10.1) whose macros are expanded and whose
/// `defined` are replaced by numbers. A token of kind unknown stands for a value that is not known,
/// as does a name unless `surely_undefined` says that it counts as 0. What is no valid expression
/// is unknown, too.
Truth evaluate_condition(std::span<const Token> tokens,
                         const std::function<bool(const Token& name)>& surely_undefined);

/// The value of an integer constant expression (ISO C99 6.6), such as an array's size, whose macros
/// are expanded. Nothing where it is no valid one, or names something.
std::optional<std::int64_t> evaluate_constant(std::span<const Token> tokens);

}  // namespace kiln
