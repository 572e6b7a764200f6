// The search as it went: every time, and the best so far.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/gantt_text.hpp"
#include "cli/tune/report_parts.hpp"
#include "cli/tune/report_plot.hpp"

namespace kiln::cli {
namespace {

using tune::Evaluation;
using tune::TuningRun;

constexpr double curve_width = 960, curve_left = 70, curve_right = curve_width - 16, curve_top = 14,
                 curve_bottom = 250;
/// Where failures stand: they have no time.
constexpr double curve_failed = 272, curve_labels = 296, curve_height = 302;

/// One evaluation and where it lies along the chart.
struct CurvePoint {
  const Evaluation* evaluation;
  double x;  ///< its number, or its seconds
};

Axis times_of(const TuningRun& run) {
  const auto ranked = run.ranked();
  return time_axis(ranked.front()->outcome.time, ranked.back()->outcome.time, curve_bottom,
                   curve_top);
}

/// A dot for each time that was the best when it was measured: these tell what they are.
std::string best_dot(const TuningRun& run, const Evaluation& evaluation, double x, double y) {
  const auto number = &evaluation - run.evaluations.data() + 1;
  return fmt::format(
      "<circle class=\"best\" cx=\"{}\" cy=\"{}\" r=\"4\"><title>evaluation {}: {}\n{}</title>"
      "</circle>\n",
      place(x), place(y), number, time_text(std::llround(evaluation.outcome.time * 1e9)),
      escaped(run.text(evaluation)));
}

std::string curve_drawing(const TuningRun& run, const std::vector<CurvePoint>& places,
                          const Axis& across, const Axis& times) {
  Dots dots, crosses;
  std::string line, best_dots;
  double best = 0;
  for (const auto& [evaluation, value] : places) {
    const double x = across.at(value);
    if (!evaluation->outcome.ok()) {
      crosses.add(x, curve_failed);
      continue;
    }
    const double y = times.at(evaluation->outcome.time);
    dots.add(x, y);
    if (best > 0 && evaluation->outcome.time >= best) continue;
    best = evaluation->outcome.time;
    line += line.empty() ? "M" + place(x) + " " + place(y) : "H" + place(x) + "V" + place(y);
    best_dots += best_dot(run, *evaluation, x, y);
  }
  std::string text = dots.path("dot");
  if (!crosses.empty())
    text +=
        fmt::format("<text class=\"note\" x=\"{}\" y=\"{}\" text-anchor=\"end\">failed</text>\n",
                    place(curve_left - 6), place(curve_failed + 4)) +
        crosses.path("fail");
  return text + fmt::format("<path class=\"curve\" d=\"{}H{}\"/>\n", line, place(curve_right)) +
         best_dots;
}

std::string curve_chart(const TuningRun& run, const std::vector<CurvePoint>& places,
                        const Axis& across, std::string_view heading, std::string_view unit) {
  const Axis times = times_of(run);
  std::string text = fmt::format(
      "<section><h2>{}</h2>\n<div class=\"wide\"><svg class=\"large\" viewBox=\"0 0 {} {}\" "
      "role=\"img\" aria-label=\"{}\">\n",
      heading, place(curve_width), place(curve_height), heading);
  text += time_grid(times, curve_left, curve_right, 7);
  text += "<g class=\"axis\">";
  for (const double tick : across.ticks(10))
    text +=
        fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}{}</text>)",
                    place(across.at(tick)), place(curve_labels), fmt::format("{:g}", tick), unit);
  text += "</g>\n" + curve_drawing(run, places, across, times);
  return text + "</svg></div></section>\n";
}

}  // namespace

std::string evaluations_chart(const TuningRun& run) {
  std::vector<CurvePoint> places;
  for (const auto& evaluation : run.evaluations)
    places.push_back({&evaluation, static_cast<double>(places.size() + 1)});
  const Axis across{0, static_cast<double>(places.size()) + 1, curve_left, curve_right};
  return curve_chart(run, places, across, "Best so far, by evaluation", "");
}

std::string elapsed_chart(const TuningRun& run) {
  std::vector<CurvePoint> places;
  double end = 0;
  for (const auto& evaluation : run.evaluations) {
    if (!evaluation.at) continue;
    places.push_back({&evaluation, *evaluation.at});
    end = std::max(end, *evaluation.at);
  }
  // Part of a journal may be from before journals said when.
  const bool any = std::any_of(places.begin(), places.end(), [](const CurvePoint& place) {
    return place.evaluation->outcome.ok();
  });
  if (!any || end <= 0) return "";
  return curve_chart(run, places, {0, end * 1.01, curve_left, curve_right}, "Best so far, by time",
                     " s");
}

}  // namespace kiln::cli
