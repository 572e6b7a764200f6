#include "spec/missing.hpp"

#include "base/text.hpp"

namespace kiln::spec {
namespace {

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

Message missing_finding(const Spec& spec, const Missing::value_type& missing) {
  const auto& [name, formulas] = missing;
  const auto slip = slip_of(spec, name);
  std::string text = "found the symbol '" + name + "' without a value (in " + where_used(formulas) +
                     "), expected --set " + name + "=…";
  if (!slip.empty()) text += "; did you mean '" + std::string(slip) + "'?";
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
