#pragma once

#include "expr/tree.hpp"

namespace kiln::expr {

/// All operators but **, on two integers: checked for overflow of 64 bits and division by zero;
/// // and % round toward minus infinity, as `/` does in python2.
Expected<Value> of_integers(Operator op, std::int64_t left, std::int64_t right, Dialect dialect);

/// The same on doubles, as CPython: infinities may come out, but dividing by zero is an error.
Expected<Value> of_doubles(Operator op, double left, double right);

/// left / right correctly rounded, also where one of them has more than 53 bits.
double true_quotient(std::int64_t left, std::int64_t right);

}  // namespace kiln::expr
