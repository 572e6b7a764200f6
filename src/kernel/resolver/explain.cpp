#include "kernel/resolver/explain.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/data/text.hpp"

namespace kiln {

std::string text_of(const Explanation& explanation) {
  std::string text =
      fmt::format("  {}  key {}\n", one_line(explanation.what), explanation.key.substr(0, 16));
  if (const auto parameters = text_of(explanation.parameters); !parameters.empty())
    text += fmt::format("    parameters   {}\n", one_line(parameters));
  for (const auto& step : explanation.steps)
    text += fmt::format("    {:<12} {:<6} {:>10}{}{}\n", step.layer, step.answered ? "hit" : "miss",
                        duration(static_cast<double>(step.end_ns - step.start_ns)),
                        step.reason.empty() ? "" : "  ", one_line(step.reason));
  for (const auto& note : explanation.notes)
    text += fmt::format("    note         {}\n", one_line(note));
  return text;
}

std::vector<TraceEvent> trace_events(const Explanation& explanation) {
  std::vector<TraceEvent> events;
  for (const auto& step : explanation.steps) {
    const bool compiles = step.layer == "compile" || step.layer == "variant";
    events.push_back({"host",
                      step.layer + ": " + explanation.what,
                      compiles               ? "compile"
                      : step.layer == "make" ? "plan"
                                             : "lookup",
                      step.start_ns,
                      step.end_ns,
                      {{"answered", step.answered ? "yes" : "no"}, {"reason", step.reason}}});
  }
  return events;
}

bool explains_by_environment() {
  static const bool asked = [] {
    const char* value = std::getenv("KILN_EXPLAIN");
    const std::string_view text = value == nullptr ? "" : value;
    return text == "1" || text == "on" || text == "true" || text == "yes";
  }();
  return asked;
}

EnvironmentExplanation::~EnvironmentExplanation() {
  // A program that this process has already is asked for at every launch.
  const bool known = !explanation_.steps.empty() && explanation_.steps.front().answered;
  if (!explanation_.what.empty() && !known)
    std::fputs(("kiln:" + text_of(explanation_)).c_str(), stderr);
}

}  // namespace kiln
