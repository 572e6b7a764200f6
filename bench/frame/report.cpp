#include "frame/report.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "rival/libraries.hpp"

namespace kiln::bench {

Outcome figure_of(const Bar& bar, const Context& context) {
  try {
    return bar.measure(context);
  } catch (const std::exception& error) {
    return not_measured(error.what());
  }
}

bool falls_short(const Bar& bar, const Outcome& outcome) {
  if (!outcome) return false;
  // Written so that a figure which is no number never holds.
  const bool holds =
      bar.holds == Holds::at_most ? outcome->value <= bar.limit : outcome->value >= bar.limit;
  return !holds;
}

std::string verdict(const Bar& bar, const Outcome& outcome) {
  if (!outcome) return fmt::format("not measured ({})", outcome.error());
  return falls_short(bar, outcome) ? "falls short" : "holds";
}

std::string limit_text(const Bar& bar) {
  return fmt::format("{} {:g} {}", bar.holds == Holds::at_most ? "<=" : ">=", bar.limit, bar.unit);
}

std::string line(const Bar& bar, const Outcome& outcome) {
  const std::string figure = outcome ? fmt::format("{:.4g} {}", outcome->value, bar.unit) : "-";
  std::string text = fmt::format("{:<28} {:>14}  {:<14} {}", bar.name, figure, limit_text(bar),
                                 verdict(bar, outcome));
  if (outcome && !outcome->detail.empty()) text += fmt::format("  [{}]", outcome->detail);
  return text;
}

std::string json(const Bar& bar, const Outcome& outcome) {
  nlohmann::ordered_json object;
  object["name"] = bar.name;
  object["figure"] = nullptr;
  if (outcome) object["figure"] = outcome->value;
  object["unit"] = bar.unit;
  object["bar"] = limit_text(bar);
  object["verdict"] = verdict(bar, outcome);
  object["detail"] = outcome ? outcome->detail : "";
  object["machine"] = machine();
  return object.dump();
}

std::string machine() {
  std::string model = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string text; std::getline(info, text);) {
    const auto colon = text.find(": ");
    if (text.starts_with("model name") && colon != std::string::npos) {
      model = text.substr(colon + 2);
      break;
    }
  }
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const int usable = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 0;
  return fmt::format("{}, {} cores{}", model, usable,
                     rival::is_held_to_avx2() ? ", without AVX-512" : "");
}

}  // namespace kiln::bench
