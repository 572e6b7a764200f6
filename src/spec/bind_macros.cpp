#include "spec/binder.hpp"
#include "spec/json_tree.hpp"

namespace kiln::spec {
namespace {

/// A symbol's value as C reads it, where it stands inside `whole`.
std::string as_c(const expr::Value& value, std::string_view whole, std::string_view name) {
  if (value.is_string()) return std::get<std::string>(value.data());
  if (const auto* truth = std::get_if<bool>(&value.data())) return *truth ? "1" : "0";
  const std::string text = value.text();
  // "a-TS" with TS = -1 must not become a decrement.
  return text.front() == '-' && whole != name ? "(" + text + ")" : text;
}

}  // namespace

// Whole identifiers are replaced, where the concurrent program replaces any substring: on published
// files that gives the same, and a symbol `n` does not rewrite `int`.
void Binder::bind_macros(BoundSpec& bound) {
  for (const auto& macro : spec_.macros) {
    Formula at{macro.text, std::nullopt, {}, macro.line, "macros_values." + macro.name};
    std::string text;
    std::size_t copied = 0;
    bool skipped = false;
    for_each_identifier(macro.text, [&](std::size_t start, std::string_view name) {
      const auto symbol = symbols_.find(std::string(name));
      const bool is_partition = name == "partition";
      if (symbol == symbols_.end() && !is_partition) {
        // A word that is nobody's symbol is C: a type, another macro. But a macro that is only
        // its own name was meant to get a value.
        const bool self = name == macro.name && macro.text == macro.name;
        if (self && missing_.count(macro.name) == 0) {
          problem(at, "found the symbol '" + macro.name + "' without a value, expected --set " +
                          macro.name + "=…");
        }
        skipped |= self || missing_.count(std::string(name)) != 0;
        return;
      }
      const expr::Value value = is_partition ? expr::Value(partition_) : symbol->second;
      if (value.is_list()) {
        problem(at, "found the symbol '" + std::string(name) + "' with a list, expected a number");
        skipped = true;
        return;
      }
      text.append(macro.text, copied, start - copied).append(as_c(value, macro.text, name));
      copied = start + name.size();
    });
    if (skipped) continue;
    text.append(macro.text, copied);
    bound.macros.emplace_back(macro.name, std::move(text));
  }
}

}  // namespace kiln::spec
