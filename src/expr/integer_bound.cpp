// IntegerProgram::bound: interval arithmetic over the program's nodes.
#include <algorithm>
#include <limits>

#include "expr/arithmetic.hpp"
#include "expr/integer_program.hpp"

namespace kiln::expr {
namespace {

using Maybe = std::optional<Range>;

/// Of a truth value that may be either.
constexpr Range unknown_truth{0, 1};

/// Wide enough that no operation on two 64-bit numbers overflows.
__extension__ using Wide = __int128;

/// None outside of what is surely exact, both as an integer and as a double.
Maybe narrowed(Wide least, Wide most) {
  constexpr Wide exact = Wide{1} << 53;
  if (least < -exact || most > exact) return std::nullopt;
  return Range{static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)};
}

bool surely_true(Range range) { return range.least > 0 || range.most < 0; }
bool surely_false(Range range) { return range.least == 0 && range.most == 0; }
bool is_single(Range range) { return range.least == range.most; }

Range hull(Range a, Range b) { return {std::min(a.least, b.least), std::max(a.most, b.most)}; }

Range truth_of(bool yes, bool no) { return yes ? Range{1, 1} : no ? Range{0, 0} : unknown_truth; }

Range compared(Comparison op, Range left, Range right) {
  const bool apart = left.most < right.least || right.most < left.least;
  const bool same = is_single(left) && is_single(right) && left.least == right.least;
  switch (op) {
    case Comparison::less:
      return truth_of(left.most < right.least, left.least >= right.most);
    case Comparison::less_equal:
      return truth_of(left.most <= right.least, left.least > right.most);
    case Comparison::greater:
      return truth_of(left.least > right.most, left.most <= right.least);
    case Comparison::greater_equal:
      return truth_of(left.least >= right.most, left.most < right.least);
    case Comparison::equal:
      return truth_of(same, apart);
    default:
      return truth_of(apart, same);
  }
}

}  // namespace

Truth IntegerProgram::bound(std::span<const Range> ranges) const {
  const Maybe range = span_of(root_, ranges);
  if (!range) return Truth::unknown;
  return surely_true(*range) ? Truth::yes : surely_false(*range) ? Truth::no : Truth::unknown;
}

Maybe IntegerProgram::span_of(std::uint32_t at, std::span<const Range> ranges) const {
  const Node& node = nodes_[at];
  if (node.kind == Kind::constant) return narrowed(node.constant, node.constant);
  if (node.kind == Kind::name) {
    const Range range = ranges[static_cast<std::size_t>(node.constant)];
    return narrowed(range.least, range.most);
  }
  const Maybe first = span_of(node.parts[0], ranges);
  if (!first) return std::nullopt;
  switch (node.kind) {
    case Kind::binary:
    case Kind::compare: {
      const Maybe second = span_of(node.parts[1], ranges);
      if (!second) return std::nullopt;
      if (node.kind == Kind::compare) return compared(node.comparison, *first, *second);
      return span_of_binary(node.op, *first, *second);
    }
    case Kind::negate:
      return Range{-first->most, -first->least};
    case Kind::plus:
      return first;
    case Kind::invert:
      return truth_of(surely_false(*first), surely_true(*first));
    case Kind::both:
    case Kind::either:
    case Kind::choose:
      return span_of_choice(node, ranges);
    default:
      return span_of_several(node, ranges);
  }
}

Maybe IntegerProgram::span_of_binary(Operator op, Range left, Range right) const {
  const Wide a = left.least, b = left.most, c = right.least, d = right.most;
  const bool may_divide_by_zero = c <= 0 && d >= 0;
  switch (op) {
    case Operator::add:
      return narrowed(a + c, b + d);
    case Operator::subtract:
      return narrowed(a - d, b - c);
    case Operator::multiply:
      return narrowed(std::min({a * c, a * d, b * c, b * d}),
                      std::max({a * c, a * d, b * c, b * d}));
    case Operator::divide:
    case Operator::floor_divide: {
      if (may_divide_by_zero) return std::nullopt;
      const Wide least = std::min({floored_quotient(a, c), floored_quotient(a, d),
                                   floored_quotient(b, c), floored_quotient(b, d)});
      const Wide most = std::max({floored_quotient(a, c), floored_quotient(a, d),
                                  floored_quotient(b, c), floored_quotient(b, d)});
      // A `/` may lie above its floor; where it is whole for single values, it is its floor.
      const bool whole = op == Operator::floor_divide || (a == b && c == d && a % c == 0);
      return narrowed(least, whole ? most : most + 1);
    }
    case Operator::modulo: {
      if (may_divide_by_zero) return std::nullopt;
      if (a == b && c == d && !divides_) {
        const Wide value = a - floored_quotient(a, c) * c;
        return narrowed(value, value);
      }
      // With a `/` about, an operand may lie anywhere between integers: both ends count.
      return c > 0 ? narrowed(0, divides_ ? d : d - 1) : narrowed(divides_ ? c : c + 1, 0);
    }
    case Operator::power:
      return std::nullopt;
  }
  return std::nullopt;
}

/// `and`, `or` and `if` give one of their operands.
Maybe IntegerProgram::span_of_choice(const Node& node, std::span<const Range> ranges) const {
  const Maybe condition = span_of(node.parts[0], ranges);
  if (!condition) return std::nullopt;
  const bool yes = surely_true(*condition), no = surely_false(*condition);
  if (node.kind == Kind::choose) {
    if (yes) return span_of(node.parts[1], ranges);
    if (no) return span_of(node.parts[2], ranges);
    const Maybe first = span_of(node.parts[1], ranges), second = span_of(node.parts[2], ranges);
    if (!first || !second) return std::nullopt;
    return hull(*first, *second);
  }
  if (node.kind == Kind::both ? no : yes) return condition;
  const Maybe second = span_of(node.parts[1], ranges);
  if (!second || (node.kind == Kind::both ? yes : no)) return second;
  return hull(node.kind == Kind::both ? Range{0, 0} : *condition, *second);
}

Maybe IntegerProgram::span_of_several(const Node& node, std::span<const Range> ranges) const {
  Maybe result = span_of(node.parts[0], ranges);
  if (!result) return std::nullopt;
  if (node.kind == Kind::magnitude) {
    if (result->least >= 0) return result;
    if (result->most <= 0) return Range{-result->most, -result->least};
    return Range{0, std::max(-result->least, result->most)};
  }
  const Range first = *result;
  bool found = false, absent = true;
  for (std::size_t i = 1; i < node.parts.size(); ++i) {
    const Maybe other = span_of(node.parts[i], ranges);
    if (!other) return std::nullopt;
    found |= surely_true(compared(Comparison::equal, first, *other));
    absent &= surely_true(compared(Comparison::not_equal, first, *other));
    if (node.kind == Kind::least) {
      result = Range{std::min(result->least, other->least), std::min(result->most, other->most)};
    } else if (node.kind == Kind::most) {
      result = Range{std::max(result->least, other->least), std::max(result->most, other->most)};
    }
  }
  if (node.kind == Kind::within) return truth_of(found, absent);
  if (node.kind == Kind::not_within) return truth_of(absent, found);
  return result;
}

}  // namespace kiln::expr
