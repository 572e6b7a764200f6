#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kiln/expr.hpp"

/// The built-in functions: the one table that scopes, checks and programs over integers work from.
namespace kiln::expr {

/// What a function makes of integers, where that is an integer and nothing can go wrong but that it
/// does not fit.
enum class OnIntegers : std::uint8_t { unknown, itself, magnitude, least, greatest };

struct Builtin {
  std::string_view name;
  std::size_t least, most;  ///< arguments
  Expected<Value> (*call)(std::span<const Value>);
  OnIntegers on_integers = OnIntegers::unknown;
};

/// All of them. A Scope takes them as its first functions.
std::span<const Builtin> builtins();

/// What the function of this name makes of so many integers.
OnIntegers on_integers(std::string_view function, std::size_t arguments);

}  // namespace kiln::expr
