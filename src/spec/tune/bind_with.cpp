#include "spec/tune/bind_with.hpp"

#include <algorithm>
#include <charconv>

namespace kiln::spec {

Expected<BoundSpec> bind_with(const Spec& spec, const Symbols& symbols,
                              const Parameters& parameters, const BindOptions& options) {
  Symbols all = symbols;
  // Not `set`: a parameter may be a macro of the kernel's alone, which the file does not know.
  for (const auto& [name, value] : parameters) all.set_if.insert_or_assign(name, value);
  auto bound = bind(spec, all, options);
  if (!bound) return bound;
  for (const auto& [name, value] : parameters) {
    std::erase_if(bound->macros, [&](const auto& macro) { return macro.first == name; });
    const auto own = symbols.set.find(name);
    bound->macros.emplace_back(
        name, own == symbols.set.end() ? std::to_string(value) : own->second.text());
  }
  return bound;
}

std::optional<std::int64_t> whole_value(const BoundSpec& bound, const std::string& name) {
  const auto macro = std::find_if(bound.macros.begin(), bound.macros.end(),
                                  [&](const auto& each) { return each.first == name; });
  if (macro != bound.macros.end()) {
    const std::string& text = macro->second;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    return std::nullopt;
  }
  const auto symbol = bound.symbols.find(name);
  if (symbol == bound.symbols.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&symbol->second.data());
  return value == nullptr ? std::nullopt : std::optional(*value);
}

}  // namespace kiln::spec
