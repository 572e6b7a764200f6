#include "spec/read/names.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/data/text.hpp"
#include "spec/read/reader.hpp"

// Which names a specification uses, and whether each of them can have a meaning (check_names).
namespace kiln::spec {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// What a formula may ask about a device's share.
bool is_share_name(std::string_view name) {
  return name == "size_percent" || name == "offset_percent" || name == "exact" || name == "total";
}

// symbolicVariables and functions are left out: they are definitions, evaluated by their own rules.
void for_each_formula(const Spec& spec,
                      const std::function<void(const Formula&, Position)>& visit) {
  visit(spec.global_work_size, Position::geometry);
  if (spec.local_work_size) visit(*spec.local_work_size, Position::geometry);
  for (const auto& buffer : spec.buffers) {
    visit(buffer.size, Position::geometry);
    if (buffer.chunk) visit(*buffer.chunk, Position::geometry);
  }
  for (const auto& local : spec.local_arguments) visit(local.size, Position::geometry);
  for (const auto& constant : spec.specialization) visit(constant.value, Position::geometry);
  for (const auto& var : spec.var_arguments) visit(var.value, Position::value);
}

/// A function's free names that are not its parameters.
std::vector<std::string> outer_names(const Function& function) {
  if (!function.body.expression) return {};
  auto names = function.body.expression->free_names();
  std::erase_if(names, [&](const std::string& name) {
    return std::count(function.parameters.begin(), function.parameters.end(), name) != 0;
  });
  return names;
}

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

bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 255 && starts_name(text.front()) &&
         std::all_of(text.begin(), text.end(), continues_name);
}

void for_each_identifier(std::string_view text,
                         const std::function<void(std::size_t at, std::string_view)>& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '"' || c == '\'') {
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (continues_name(c)) {
      // A number runs on through letters and dots, so that 1.0f and 0x10 hold no identifier.
      const bool name = starts_name(c);
      while (end < text.size() && (continues_name(text[end]) || (!name && text[end] == '.'))) ++end;
      if (name) visit(at, text.substr(at, end - at));
    }
    at = end;
  }
}

std::map<std::string, std::vector<const Formula*>> symbol_uses(const Spec& spec) {
  std::map<std::string, std::vector<const Formula*>> uses;
  for_each_formula(spec, [&](const Formula& formula, Position position) {
    if (!formula.expression) return;
    for (const auto& name : formula.expression->free_names()) {
      if (position == Position::value && is_share_name(name)) continue;
      uses[name].push_back(&formula);
    }
  });
  for (const auto& function : spec.functions) {
    for (const auto& name : outer_names(function)) {
      if (!is_share_name(name)) uses[name].push_back(&function.body);
    }
  }
  if (spec.symbolic_variables) {
    for (const auto& [name, formula] : *spec.symbolic_variables) {
      uses[name];  // known, though perhaps nothing uses it
      if (!formula.expression) continue;
      for (const auto& inner : formula.expression->free_names()) {
        if (inner != name) uses[inner].push_back(&formula);
      }
    }
  }
  // `partition` has its value from the file or the caller, never from a symbol.
  uses.erase("partition");
  return uses;
}

// Any identifier in a macro's text may be set, because any may be meant as a symbol; only those
// that sizes use as well must be.
std::vector<std::string> known_symbols(const Spec& spec) {
  std::set<std::string> names;
  for (const auto& [name, formulas] : symbol_uses(spec)) names.insert(name);
  for (const auto& macro : spec.macros) {
    for_each_identifier(macro.text, [&](std::size_t, std::string_view name) {
      if (name != "partition") names.emplace(name);
    });
  }
  if (spec.dialect == SpecDialect::concurrent) names.insert("localWorkSize");
  return {names.begin(), names.end()};
}

const Function* recursive_function(const Spec& spec) {
  std::vector<const Function*> waiting;
  for (const auto& function : spec.functions) waiting.push_back(&function);
  const auto is_waiting = [&](const std::string& name) {
    return std::any_of(waiting.begin(), waiting.end(),
                       [&](const Function* other) { return other->name == name; });
  };
  const auto is_settled = [&](const Function* function) {
    if (!function->body.expression) return true;
    const auto called = function->body.expression->called_functions();
    return std::none_of(called.begin(), called.end(), is_waiting);
  };
  // Take away what calls nothing that is left; what then remains runs in a circle.
  while (std::erase_if(waiting, is_settled) != 0) {
  }
  return waiting.empty() ? nullptr : waiting.front();
}

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
