#include <algorithm>

#include "base/text.hpp"
#include "spec/names.hpp"
#include "spec/reader.hpp"

namespace kiln::spec {
namespace {

/// Taken from the language itself, so that a new built-in function is known here at once.
std::vector<std::string> callable_names(const Spec& spec) {
  auto names = expr::Scope().functions();
  names.insert(names.end(), {"partition_round", "multiple_round"});
  for (const auto& function : spec.functions) names.push_back(function.name);
  return names;
}

/// A call cannot be given a value by --set, so an unknown one is an error and no warning.
void check_calls(const Formula& formula, const std::vector<std::string>& callable, Reader& reader) {
  if (!formula.expression) return;
  for (const auto& called : formula.expression->called_functions()) {
    if (std::find(callable.begin(), callable.end(), called) != callable.end()) continue;
    const std::vector<std::string_view> candidates(callable.begin(), callable.end());
    reader.add({Message::Severity::error, reader.file(), formula.line, 0, formula.attribute,
                "found a call of " + quote(called) +
                    ", expected a built-in function or one of the file's own" +
                    did_you_mean(called, candidates)});
  }
}

/// The original has no share yet when it works out sizes: such a file fails there as well.
void check_share_names(const Formula& formula, Reader& reader) {
  if (!formula.expression) return;
  for (const auto& name : formula.expression->free_names()) {
    if (!is_share_name(name)) continue;
    reader.add({Message::Severity::error, reader.file(), formula.line, 0, formula.attribute,
                "found the name '" + name + "', expected it in varArguments only: sizes do not " +
                    "know a device's share"});
  }
}

}  // namespace

void check_names(const Spec& spec, Reader& reader) {
  const auto callable = callable_names(spec);
  for_each_formula(spec, [&](const Formula& formula, Position position) {
    check_calls(formula, callable, reader);
    if (position == Position::geometry) check_share_names(formula, reader);
  });
  for (const auto& function : spec.functions) check_calls(function.body, callable, reader);
  if (!spec.symbolic_variables) return;
  // Functions may use symbols, so symbols cannot use functions.
  const auto built_in = expr::Scope().functions();
  for (const auto& [name, formula] : *spec.symbolic_variables) {
    check_calls(formula, built_in, reader);
    check_share_names(formula, reader);
  }
}

}  // namespace kiln::spec
