#include "spec/binder.hpp"

namespace kiln::spec {
namespace {

using Arguments = std::span<const expr::Value>;

/// Argument `index` as an integer, or the value of a parameter left out.
Expected<std::int64_t> integer_at(Arguments arguments, std::size_t index, std::int64_t otherwise) {
  if (index >= arguments.size()) return otherwise;
  return arguments[index].to_integer();
}

struct Call {
  std::int64_t elements, percent, exact, total;
};

/// Elements and percent stand first in both functions; exact and total at `options`.
Expected<Call> read_call(Arguments arguments, std::size_t options, const Share& defaults) {
  const auto elements = integer_at(arguments, 0, 0);
  const auto percent = integer_at(arguments, 1, 0);
  const auto exact = integer_at(arguments, options, defaults.exact);
  const auto total = integer_at(arguments, options + 1, defaults.total);
  for (const auto* each : {&elements, &percent, &exact, &total}) {
    if (!*each) return tl::unexpected(each->error());
  }
  return Call{*elements, *percent, *exact, *total};
}

/// On whole buffers the rounding may not lose the element that the original loses at odd sizes.
std::optional<std::int64_t> whole_or_nothing(const Call& call, Rounding rounding) {
  if (rounding == Rounding::legacy) return std::nullopt;
  if (call.percent == 100) return call.elements;
  if (call.percent == 0) return 0;
  return std::nullopt;
}

/// A two-argument call takes the dispatch's own exact and total, which `defaults` hold.
expr::Function partition_function(SpecDialect dialect, Rounding rounding, Share defaults) {
  return [=](Arguments arguments) -> Expected<expr::Value> {
    const auto call = read_call(arguments, 2, defaults);
    if (!call) return tl::unexpected(call.error());
    if (const auto simple = whole_or_nothing(*call, rounding)) return expr::Value(*simple);
    const auto rounded =
        partition_round(dialect, call->elements, call->percent, call->exact, call->total);
    if (!rounded) return tl::unexpected(rounded.error());
    return expr::Value(*rounded);
  };
}

/// Built in the original's argument order: elements, percent, multiples, exact, total.
expr::Function multiple_function(SpecDialect dialect, Rounding rounding, Share defaults) {
  return [=](Arguments arguments) -> Expected<expr::Value> {
    const auto call = read_call(arguments, 3, defaults);
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
    if (const auto simple = whole_or_nothing(*call, rounding)) return expr::Value(*simple);
    const auto rounded =
        multiple_round(dialect, call->elements, call->percent, multiples, call->exact, call->total);
    if (!rounded) return tl::unexpected(rounded.error());
    return expr::Value(*rounded);
  };
}

}  // namespace

expr::Scope make_scope(const Spec& spec, const std::map<std::string, expr::Value>& symbols,
                       int partition, Rounding rounding, const Share& defaults) {
  expr::Scope scope;
  for (const auto& [name, value] : symbols) scope.set(name, value);
  scope.set("partition", partition);
  scope.define("partition_round", 2, 4, partition_function(spec.dialect, rounding, defaults));
  scope.define("multiple_round", 3, 5, multiple_function(spec.dialect, rounding, defaults));
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

void set_share(expr::Scope& scope, const Share& share) {
  scope.set("size_percent", share.size_percent);
  scope.set("offset_percent", share.offset_percent);
  scope.set("exact", share.exact);
  scope.set("total", share.total);
}

}  // namespace kiln::spec
