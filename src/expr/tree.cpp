#include "expr/tree.hpp"

namespace kiln::expr {

const char* spelling(Operator op) {
  switch (op) {
    case Operator::add:
      return "+";
    case Operator::subtract:
      return "-";
    case Operator::multiply:
      return "*";
    case Operator::divide:
      return "/";
    case Operator::floor_divide:
      return "//";
    case Operator::modulo:
      return "%";
    case Operator::power:
      break;
  }
  return "**";
}

const char* spelling(Comparison op) {
  switch (op) {
    case Comparison::less:
      return "<";
    case Comparison::less_equal:
      return "<=";
    case Comparison::greater:
      return ">";
    case Comparison::greater_equal:
      return ">=";
    case Comparison::equal:
      return "==";
    case Comparison::not_equal:
      return "!=";
    case Comparison::in:
      return "in";
    case Comparison::not_in:
      break;
  }
  return "not in";
}

Binding binding_of(Operator op) {
  switch (op) {
    case Operator::add:
    case Operator::subtract:
      return Binding::sum;
    case Operator::power:
      return Binding::power;
    default:
      return Binding::product;
  }
}

}  // namespace kiln::expr
