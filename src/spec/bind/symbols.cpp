#include <fmt/format.h>

#include <algorithm>

#include "base/data/text.hpp"
#include "format/json_tree.hpp"
#include "spec/bind/binder.hpp"

// The values of a specification's symbols: the caller's, then the file's own, and what messages say
// of those that have none.
namespace kiln::spec {
namespace {

/// As the original's interface has it (its command has 512).
constexpr std::int64_t default_dataset = 1024;

/// What `partition` means to expressions: the caller's, the file's, or the graph format's symbol.
int partition_of(const Spec& spec, const BindOptions& options) {
  if (options.partition) return *options.partition;
  if (spec.partition) return *spec.partition;
  if (spec.symbolic_variables) {
    for (const auto& [name, formula] : *spec.symbolic_variables) {
      const auto* number = std::get_if<std::int64_t>(&formula.literal.data());
      if (name == "partition" && number != nullptr && *number >= 0 && *number <= 10) {
        return static_cast<int>(*number);
      }
    }
  }
  return 10;
}

/// A symbol of a large file has dozens of uses: the first ones show the way.
std::string where_used(const std::vector<const Formula*>& formulas) {
  constexpr std::size_t shown = 4;
  std::string result;
  for (std::size_t i = 0; i < formulas.size() && i < shown; ++i) {
    result += (i == 0 ? "" : ", ") + formulas[i]->attribute;
  }
  return formulas.size() > shown ? result + ", …" : result;
}

/// The names that have a value without any --set.
std::vector<std::string_view> usual_names(const Spec& spec) {
  std::vector<std::string_view> names = {"dataset",        "partition", "size_percent",
                                         "offset_percent", "exact",     "total"};
  if (spec.symbolic_variables) {
    for (const auto& variable : *spec.symbolic_variables) names.push_back(variable.first);
  }
  return names;
}

/// A longer or shorter form of a known name (dataset2) is another symbol, not a slip.
std::string_view slip_of(const Spec& spec, const std::string& name) {
  const auto names = usual_names(spec);
  const auto near = nearest(name, names);
  const bool slip = name.size() > 2 && near != name && !near.starts_with(name) &&
                    !std::string_view(name).starts_with(near);
  return slip ? near : std::string_view();
}

}  // namespace

Expected<std::pair<std::string, expr::Value>> parse_symbol(std::string_view text) {
  const auto equals = text.find('=');
  const std::string name(text.substr(0, equals));
  if (equals == text.npos || !is_name(name)) {
    return fail(Errc::bad_input, "found " + quote(text) + ", expected name=value");
  }
  const std::string_view value = text.substr(equals + 1);
  const auto parsed = expr::Expression::parse(value, expr::Dialect::python2);
  if (parsed && parsed->free_names().empty()) {
    auto result = parsed->evaluate(expr::Scope());
    if (result) return std::pair(name, *std::move(result));
    return fail(Errc::bad_input, "symbol '" + name + "': found " + quote(value) +
                                     ", expected a number: " + result.error().message());
  }
  if (is_name(value)) return std::pair(name, expr::Value(std::string(value)));
  return fail(Errc::bad_input, "symbol '" + name + "': found " + quote(value) +
                                   ", expected a number, or a word for a macro");
}

Binder::Binder(const Spec& spec, const Symbols& symbols, const BindOptions& options,
               std::vector<BindProblem>& problems)
    : spec_(spec), partition_(partition_of(spec, options)), problems_(problems) {
  set_symbols(symbols);
  set_default_symbols();
  collect_missing();
  build_scopes();
}

// --set goes over --set-if: the stricter word is the more deliberate one.
void Binder::set_symbols(const Symbols& symbols) {
  const auto known = known_symbols(spec_);
  const auto is_known = [&](const std::string& name) {
    return std::binary_search(known.begin(), known.end(), name);
  };
  for (const auto& [name, value] : symbols.set_if) {
    if (is_known(name)) symbols_[name] = value;
  }
  for (const auto& [name, value] : symbols.set) {
    if (is_known(name)) {
      symbols_[name] = value;
      continue;
    }
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    const std::string hint =
        name == "partition" ? "; --partition sets it" : did_you_mean(name, candidates);
    problem_about_symbol(
        "found the symbol '" + name + "', which the file does not use, expected " +
        (known.empty() ? "no symbols" : fmt::format("{}", fmt::join(known, ", "))) + hint);
  }
}

/// The file's own values for the rest, in whatever order they build on each other.
void Binder::set_default_symbols() {
  std::vector<const std::pair<std::string, Formula>*> waiting;
  bool has_own_dataset = false;
  if (spec_.symbolic_variables) {
    for (const auto& variable : *spec_.symbolic_variables) {
      const auto& name = variable.first;
      // {"m1": "m1"} declares m1 without giving it a value.
      const bool gives_value = name != "partition" && variable.second.text != name;
      if (!gives_value || symbols_.count(name) != 0) continue;
      has_own_dataset |= name == "dataset";
      waiting.push_back(&variable);
    }
  }
  if (!has_own_dataset) {
    dataset_is_default_ = symbols_.try_emplace("dataset", expr::Value(default_dataset)).second;
  }
  expr::Scope scope;
  for (const auto& [name, value] : symbols_) scope.set(name, value);
  scope.set("partition", partition_);
  const auto is_ready = [&](const auto* variable) {
    if (!variable->second.expression) return true;
    const auto names = variable->second.expression->free_names();
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return scope.find(name) != nullptr; });
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (auto at = waiting.begin(); at != waiting.end();) {
      if (!is_ready(*at)) {
        ++at;
        continue;
      }
      const auto& [name, formula] = **at;
      auto value = formula.expression ? formula.expression->evaluate(scope)
                                      : Expected<expr::Value>(formula.literal);
      at = waiting.erase(at);
      progress = true;
      if (!value) {
        problem(formula, "found " + quote(formula.text) + ": " + value.error().message());
        value = expr::Value(1);  // reported; its users shall not be reported as well
      }
      scope.set(name, *value);
      symbols_[name] = *std::move(value);
    }
  }
}

// A declared symbol that nothing uses needs no value.
void Binder::collect_missing() {
  for (auto& [name, formulas] : symbol_uses(spec_)) {
    if (symbols_.count(name) == 0 && !formulas.empty()) missing_[name] = std::move(formulas);
  }
}

// Two scopes, because the original has no share yet when it works out sizes: a file that uses one
// there is wrong in every program.
void Binder::build_scopes() {
  geometry_ = make_scope(spec_, symbols_, partition_);
  values_ = geometry_;
  set_whole_share(values_);
}

Message missing_finding(const Spec& spec, const Missing::value_type& missing) {
  const auto& [name, formulas] = missing;
  const auto slip = slip_of(spec, name);
  std::string text = "found the symbol '" + name + "' without a value";
  if (formulas.size() > 1) text += " (in " + where_used(formulas) + ")";
  if (name == "localWorkSize" && spec.dialect != SpecDialect::concurrent)
    // A value for it would leave the local size as it is.
    text += ", which kernels of graphs have (--dialect concurrent), expected a number";
  else if (slip.empty())
    text += ", expected --set " + name + "=…";
  else
    text += "; did you mean '" + std::string(slip) + "'?";
  return {slip.empty() ? Message::Severity::warning : Message::Severity::error,
          spec.file,
          formulas.front()->line,
          0,
          formulas.front()->attribute,
          std::move(text)};
}

// All names at once: filling them in one run after the other would be tedious.
Message missing_message(const Spec& spec, const Missing& missing) {
  Message message = missing_finding(spec, *missing.begin());
  message.severity = Message::Severity::error;
  if (missing.size() > 1) {
    message.text += " (also without a value:";
    for (auto next = std::next(missing.begin()); next != missing.end(); ++next) {
      message.text += " " + next->first;
    }
    message.text += ")";
  }
  return message;
}

}  // namespace kiln::spec
