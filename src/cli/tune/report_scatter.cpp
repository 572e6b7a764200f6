// What each parameter does: its values and the times that were measured with them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/gantt_text.hpp"
#include "cli/tune/report_parts.hpp"
#include "cli/tune/report_plot.hpp"

namespace kiln::cli {
namespace {

using tune::TuningRun;

constexpr double scatter_width = 340, scatter_left = 62, scatter_right = scatter_width - 10,
                 scatter_top = 10, scatter_bottom = 158;
constexpr double scatter_failed = 175, scatter_labels = 196, scatter_height = 202;
/// Labels that fit beside one another, in characters.
constexpr std::size_t label_room = 38;

double median_of_numbers(std::vector<double>& numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// Which of the values get a label: as many as there is room for, evenly.
std::size_t label_step(const tune::Parameter& parameter) {
  std::size_t longest = 1;
  for (const auto& value : parameter.values)
    longest = std::max(longest, std::min<std::size_t>(value.text().size(), 10) + 2);
  const std::size_t fit = std::max<std::size_t>(label_room / longest, 1);
  return (parameter.values.size() + fit - 1) / fit;
}

std::string scatter_drawing(const TuningRun& run, std::size_t p, const Axis& times) {
  const auto& parameter = run.parameters[p];
  const double slot = (scatter_right - scatter_left) / static_cast<double>(parameter.values.size());
  const auto middle = [&](std::size_t i) {
    return scatter_left + (static_cast<double>(i) + 0.5) * slot;
  };
  const double spread = std::min(slot * 0.6, 40.0);
  std::vector<std::vector<double>> by_value(parameter.values.size());
  Dots dots, crosses;
  for (std::size_t i = 0; i < run.evaluations.size(); ++i) {
    const auto& evaluation = run.evaluations[i];
    // Beside one another where they would hide one another: a sequence that fills evenly.
    const double aside = std::fmod(static_cast<double>(i + 1) * 0.6180339887, 1.0) - 0.5;
    const double x = middle(evaluation.positions[p]) + aside * spread;
    if (!evaluation.outcome.ok()) {
      crosses.add(x, scatter_failed);
      continue;
    }
    dots.add(x, times.at(evaluation.outcome.time));
    by_value[evaluation.positions[p]].push_back(evaluation.outcome.time);
  }
  std::string text = crosses.path("fail") + dots.path("dot"), medians;
  for (std::size_t i = 0; i < by_value.size(); ++i) {
    if (by_value[i].empty()) continue;
    const double y = times.at(median_of_numbers(by_value[i])), half = std::min(slot * 0.4, 24.0);
    medians += fmt::format("M{} {}h{}", place(middle(i) - half), place(y), place(2 * half));
  }
  const auto* best = run.standing().front();
  return text + fmt::format("<path class=\"median\" d=\"{}\"/>\n", medians) +
         fmt::format(
             "<circle class=\"best\" cx=\"{}\" cy=\"{}\" r=\"4\"><title>the {}: {}"
             "</title></circle>\n",
             place(middle(best->positions[p])), place(times.at(best->outcome.time)),
             run.winner ? "winner" : "fastest", escaped(run.value(*best, p).text()));
}

std::string scatter_chart(const TuningRun& run, std::size_t p, const Axis& times) {
  const auto& parameter = run.parameters[p];
  const std::string name = escaped(parameter.name);
  std::string text = fmt::format(
      "<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"times by {}\">\n",
      name, place(scatter_width), place(scatter_height), name);
  text += time_grid(times, scatter_left, scatter_right, 4) + "<g class=\"axis\">";
  const double slot = (scatter_right - scatter_left) / static_cast<double>(parameter.values.size());
  for (std::size_t i = 0; i < parameter.values.size(); i += label_step(parameter))
    text += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)",
                        place(scatter_left + (static_cast<double>(i) + 0.5) * slot),
                        place(scatter_labels), escaped(shortened(parameter.values[i].text(), 10)));
  return text + "</g>\n" + scatter_drawing(run, p, times) + "</svg></figure>\n";
}

}  // namespace

std::string parameter_charts(const TuningRun& run,
                             const std::optional<tune::Importance>& importance) {
  std::vector<std::size_t> order;
  if (importance) {
    for (const auto& share : importance->shares) order.push_back(share.parameter);
  } else {
    for (std::size_t p = 0; p < run.parameters.size(); ++p) order.push_back(p);
  }
  std::erase_if(order, [&](std::size_t p) { return run.parameters[p].values.size() < 2; });
  if (order.empty()) return "";
  const auto ranked = run.ranked();
  const Axis times = time_axis(ranked.front()->outcome.time, ranked.back()->outcome.time,
                               scatter_bottom, scatter_top);
  std::string text =
      "<section><h2>Parameters</h2>\n<p class=\"facts\">The time of each measured configuration by "
      "each parameter's value; a bar is the median, the ring the best, what failed stands "
      "below.</p>\n<div class=\"grid\">\n";
  for (const std::size_t p : order) text += scatter_chart(run, p, times);
  return text + "</div></section>\n";
}

}  // namespace kiln::cli
