#include <fmt/format.h>

#include "expr/builtins.hpp"
#include "expr/operators.hpp"
#include "expr/utf8.hpp"

namespace kiln::expr {
namespace {

using Arguments = std::span<const Value>;

/// The first of the least, by `op`; of one list's items, or of the arguments themselves.
Expected<Value> extreme(Comparison op, Arguments values) {
  if (values.size() == 1) {
    const auto* const list = std::get_if<List>(&values.front().data());
    if (!list) {
      return fail(Errc::bad_input, fmt::format("expected a list or several values, found one {}",
                                               values.front().type_name()));
    }
    if (list->empty()) return fail(Errc::bad_input, "expected items, found an empty list");
    values = *list;
  }
  const Value* best = &values.front();
  for (const Value& value : values.subspan(1)) {
    const auto better = compare(op, value, *best);
    if (!better) return better;
    if (better->truth()) best = &value;
  }
  return *best;
}

Expected<Value> least(Arguments values) { return extreme(Comparison::less, values); }
Expected<Value> greatest(Arguments values) { return extreme(Comparison::greater, values); }

Expected<Value> length(Arguments values) {
  if (const auto* const list = std::get_if<List>(&values[0].data())) {
    return Value(static_cast<std::int64_t>(list->size()));
  }
  if (const auto* const text = std::get_if<std::string>(&values[0].data())) {
    return Value(static_cast<std::int64_t>(count_characters(*text)));
  }
  return fail(Errc::bad_input,
              fmt::format("expected a list or a string, found {}", values[0].type_name()));
}

/// Of numbers only: joining lists this way would cost the square of their length.
Expected<Value> sum(Arguments values) {
  const auto* const list = std::get_if<List>(&values[0].data());
  if (!list) {
    return fail(Errc::bad_input, fmt::format("expected a list, found {}", values[0].type_name()));
  }
  Budget unused{Limits{}};  // numbers cost nothing
  Expected<Value> total = values.size() > 1 ? values[1] : Value(0);
  if (!total->is_number()) return wrong_types("+", *total, Value(0));
  for (const Value& item : *list) {
    if (!item.is_number()) return wrong_types("+", *total, item);
    total = apply(Operator::add, *total, item, Dialect::python3, unused);
    if (!total) return total;
  }
  return total;
}

/// Of arguments: the evaluator's own limits bound them.
constexpr std::size_t any = static_cast<std::size_t>(-1);
constexpr Builtin table[] = {
    {"min", 1, any, least}, {"max", 1, any, greatest}, {"len", 1, 1, length}, {"sum", 1, 2, sum}};

}  // namespace

std::span<const Builtin> sequence_builtins() { return table; }

}  // namespace kiln::expr
