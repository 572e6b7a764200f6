#include "schedule/safety/safety.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "schedule/safety/flow.hpp"
#include "schedule/safety/rules.hpp"

namespace kiln {

SplitSafety analyse_split(std::string_view expanded_text, std::string_view kernel,
                          const std::vector<std::pair<std::string, std::string>>& macros) {
  const safety::Unit unit(expanded_text, kernel, macros);
  SplitSafety result;
  result.found = !unit.kernels.empty();
  if (!result.found)
    result.reasons.push_back("no kernel named " + std::string(kernel) + " is in the source");
  if (std::any_of(macros.begin(), macros.end(), [](const auto& m) { return m.first.empty(); }))
    result.reasons.push_back("a macro of the command line has no name");
  safety::check_rules(unit, result);
  safety::check_flow(unit, result);
  // They quote the source, which may hold anything.
  for (auto& reason : result.reasons) reason = one_line(reason);
  for (auto& suspicion : result.suspicions) suspicion = one_line(suspicion);
  result.splittable = result.reasons.empty();
  result.suspicious = !result.suspicions.empty();
  return result;
}

std::vector<ParameterUse> describe_parameters(
    std::string_view expanded_text, std::string_view kernel,
    const std::vector<std::pair<std::string, std::string>>& macros) {
  const safety::Unit unit(expanded_text, kernel, macros);
  if (unit.kernels.empty()) return {};
  return safety::describe(unit, parse_parameters(unit.source, unit.program,
                                                 unit.program.functions[unit.kernels.front()]));
}

}  // namespace kiln
