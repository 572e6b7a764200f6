#pragma once

#include <span>

#include "kiln/expr.hpp"

/// The functions that every Scope starts with; all as Python 3's, in both dialects.
namespace kiln::expr {

struct Builtin {
  const char* name;
  std::size_t least, most;  ///< arguments
  Expected<Value> (*call)(std::span<const Value>);
};

std::span<const Builtin> sequence_builtins();  ///< min, max, len, sum
std::span<const Builtin> number_builtins();    ///< abs, int, float, round, ceil, floor, log2, sqrt

/// round(value, digits): half to even on the exact binary value; call where Value::is_number.
Expected<Value> rounded(const Value& value, std::int64_t digits);

}  // namespace kiln::expr
