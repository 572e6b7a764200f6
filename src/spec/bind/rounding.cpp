#include <cmath>

#include "expr/arithmetic.hpp"
#include "kiln/spec/file.hpp"
#include "spec/bind/binder.hpp"

// The original's two rounding functions, kept bit for bit, oddities included: they are here to be
// compared with. The base version counts in whole hundredths (tenths below 100 elements), the
// concurrent one in floating point. Then the scope in which formulas find them, with this rounding
// or a safe one.
namespace kiln::spec {
namespace {

/// Largest inputs for which no step below can overflow; far above anything a launch can have.
constexpr std::int64_t most_elements = std::int64_t{1} << 44;
constexpr std::int64_t most_percent = 1 << 16;

bool in_bounds(std::int64_t value, std::int64_t most) { return value >= -most && value <= most; }

/// The divided part of the rule: `of` percent of the elements, in the dialect's arithmetic.
std::int64_t share(SpecDialect dialect, std::int64_t elements, std::int64_t percent) {
  const bool hundredths = elements >= 100;
  if (dialect == SpecDialect::concurrent) {
    const double unit = static_cast<double>(elements) / (hundredths ? 100.0 : 10.0);
    return static_cast<std::int64_t>(
        std::trunc(unit * static_cast<double>(percent) / (hundredths ? 1.0 : 10.0)));
  }
  const std::int64_t unit = expr::floored_quotient<std::int64_t>(elements, hundredths ? 100 : 10);
  return expr::floored_quotient<std::int64_t>(unit * percent, hundredths ? 1 : 10);
}

std::int64_t round_even(SpecDialect dialect, std::int64_t elements, std::int64_t percent,
                        std::int64_t exact, std::int64_t total) {
  if (percent == 50) return expr::floored_quotient<std::int64_t>(elements, 2);
  if (exact == -1) exact = percent > 50 ? 0 : 1;
  if (exact != 0) return share(dialect, elements, percent);
  const std::int64_t rest = share(dialect, elements, total - percent);
  if (dialect == SpecDialect::concurrent || total == 100) return elements - rest;
  return round_even(dialect, elements, total, -1, 100) - rest;
}

}  // namespace

// An odd size is rounded as the even one below it, plus one in the lower half. So offset 0 becomes
// 1 and the first element is lost: the fault that Kiln's own runs do not have.
Expected<std::int64_t> partition_round(SpecDialect dialect, std::int64_t elements,
                                       std::int64_t percent, std::int64_t exact,
                                       std::int64_t total) {
  if (!in_bounds(elements, most_elements) || !in_bounds(percent, most_percent) ||
      !in_bounds(total, most_percent)) {
    return fail(Errc::bad_input, "partition_round: found " + std::to_string(elements) + " at " +
                                     std::to_string(percent) + " of " + std::to_string(total) +
                                     ", expected at most 2^44 elements and 2^16 percent");
  }
  const bool odd = elements % 2 != 0;
  const auto even = round_even(dialect, odd ? elements - 1 : elements, percent, exact, total);
  return odd && percent <= 50 ? even + 1 : even;
}

// "Smaller" and not "at most": a size equal to the step falls through to the next one.
Expected<std::int64_t> multiple_round(SpecDialect dialect, std::int64_t elements,
                                      std::int64_t percent,
                                      const std::vector<std::int64_t>& multiples,
                                      std::int64_t exact, std::int64_t total) {
  if (dialect == SpecDialect::concurrent && percent == 100) return elements;
  for (const auto multiple : multiples) {
    if (multiple == 0) {
      return fail(Errc::refused, "the original fails here: multiple_round divides by zero");
    }
    // The largest negative number has no counterpart to divide by.
    if (multiple < 0 || elements % multiple != 0 || elements <= multiple) continue;
    auto rounded = partition_round(dialect, elements / multiple, percent, exact, total);
    if (!rounded) return rounded;
    std::int64_t result = 0;
    if (__builtin_mul_overflow(*rounded, multiple, &result)) {
      return fail(Errc::bad_input, "multiple_round: the result does not fit 64 bits");
    }
    return result;
  }
  return fail(Errc::refused,
              "the original fails here: multiple_round(" + std::to_string(elements) +
                  ", …) finds no smaller multiple that divides it, gives None and adds to that");
}

namespace {

using Arguments = std::span<const expr::Value>;

/// Argument `index` as an integer, or the value of a parameter left out.
Expected<std::int64_t> integer_at(Arguments arguments, std::size_t index, std::int64_t otherwise) {
  if (index >= arguments.size()) return otherwise;
  return arguments[index].to_integer();
}

/// Of a run on whole buffers: rounding by the percentage, which all devices of one kind share.
constexpr std::int64_t whole_exact = -1, whole_total = 100;

expr::Value as_value(std::int64_t integer) { return integer; }

struct Call {
  std::int64_t elements, percent, exact, total;
};

/// Elements and percent stand first in both functions; exact and total at `options`.
Expected<Call> read_call(Arguments arguments, std::size_t options) {
  const auto elements = integer_at(arguments, 0, 0);
  const auto percent = integer_at(arguments, 1, 0);
  const auto exact = integer_at(arguments, options, whole_exact);
  const auto total = integer_at(arguments, options + 1, whole_total);
  for (const auto* each : {&elements, &percent, &exact, &total}) {
    if (!*each) return tl::unexpected(each->error());
  }
  return Call{*elements, *percent, *exact, *total};
}

/// On whole buffers the rounding may not lose the element that the original loses at odd sizes.
std::optional<std::int64_t> whole_or_nothing(const Call& call) {
  if (call.percent == 100) return call.elements;
  if (call.percent == 0) return 0;
  return std::nullopt;
}

/// A call of two arguments takes the exact and total of a run on whole buffers.
expr::Function partition_function(SpecDialect dialect) {
  return [=](Arguments arguments) -> Expected<expr::Value> {
    const auto call = read_call(arguments, 2);
    if (!call) return tl::unexpected(call.error());
    if (const auto simple = whole_or_nothing(*call)) return expr::Value(*simple);
    return partition_round(dialect, call->elements, call->percent, call->exact, call->total)
        .map(as_value);
  };
}

/// Built in the original's argument order: elements, percent, multiples, exact, total.
expr::Function multiple_function(SpecDialect dialect) {
  return [=](Arguments arguments) -> Expected<expr::Value> {
    const auto call = read_call(arguments, 3);
    if (!call) return tl::unexpected(call.error());
    const auto* list = std::get_if<expr::List>(&arguments[2].data());
    if (list == nullptr) {
      return fail(Errc::bad_input, "multiple_round: found " +
                                       std::string(arguments[2].type_name()) +
                                       ", expected a list of multiples");
    }
    std::vector<std::int64_t> multiples;
    for (const auto& item : *list) {
      const auto multiple = item.to_integer();
      if (!multiple) return tl::unexpected(multiple.error());
      multiples.push_back(*multiple);
    }
    if (const auto simple = whole_or_nothing(*call)) return expr::Value(*simple);
    return multiple_round(dialect, call->elements, call->percent, multiples, call->exact,
                          call->total)
        .map(as_value);
  };
}

}  // namespace

expr::Scope make_scope(const Spec& spec, const std::map<std::string, expr::Value>& symbols,
                       int partition) {
  expr::Scope scope;
  for (const auto& [name, value] : symbols) scope.set(name, value);
  scope.set("partition", partition);
  scope.define("partition_round", 2, 4, partition_function(spec.dialect));
  scope.define("multiple_round", 3, 5, multiple_function(spec.dialect));
  for (const auto& function : spec.functions) {
    if (function.body.expression) {
      // Names were checked on reading, so this cannot fail.
      (void)scope.define(function.name, function.parameters, *function.body.expression);
    } else {
      const auto constant = function.body.literal;
      scope.define(function.name, function.parameters.size(), function.parameters.size(),
                   [constant](Arguments) -> Expected<expr::Value> { return constant; });
    }
  }
  return scope;
}

void set_whole_share(expr::Scope& scope) {
  scope.set("size_percent", 100);
  scope.set("offset_percent", 0);
  scope.set("exact", whole_exact);
  scope.set("total", whole_total);
}

}  // namespace kiln::spec
