// The drawings of a search's report, as SVG: the search as it went, and what each parameter does.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli/timeline/page.hpp"
#include "cli/tune/report.hpp"

namespace kiln::cli {
namespace {

using tune::Evaluation;
using tune::TuningRun;

/// One axis of a drawing: where in it a value lies. The values of a logarithmic one are above 0.
struct Axis {
  double least = 0, most = 1;  ///< the range, least < most
  double from = 0, to = 1;     ///< their places, in the drawing's units
  bool logarithmic = false;

  double at(double value) const;
  /// Round values in the range, about `count` of them: at least two where the range allows it.
  std::vector<double> ticks(int count) const;
};

double Axis::at(double value) const {
  const double share = logarithmic ? std::log(value / least) / std::log(most / least)
                                   : (value - least) / (most - least);
  return from + share * (to - from);
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten.
std::vector<double> even_ticks(double least, double most, int count) {
  const double rough = (most - least) / std::max(count, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough) step = factor * power;
  std::vector<double> ticks;
  for (double i = std::ceil(least / step); i * step <= most * (1 + 1e-12); ++i)
    ticks.push_back(i * step);
  return ticks;
}

std::vector<double> Axis::ticks(int count) const {
  // Within a factor of eight, powers of ten give one tick at most.
  if (!logarithmic || most / least < 8) return even_ticks(least, most, count);
  std::vector<double> ticks;
  for (const std::vector<double>& factors :
       {std::vector<double>{1}, std::vector<double>{1, 3}, std::vector<double>{1, 2, 5}}) {
    std::vector<double> finer;
    for (double power = std::pow(10, std::floor(std::log10(least))); power <= most; power *= 10)
      for (const double factor : factors)
        if (factor * power >= least && factor * power <= most) finer.push_back(factor * power);
    if (!ticks.empty() && static_cast<int>(finer.size()) > count) break;
    ticks = std::move(finer);
  }
  return ticks;
}

/// An axis of times (seconds) from these two on, logarithmic, with some room at both ends.
Axis time_axis(double fastest, double slowest, double from, double to) {
  // Equal times still need an axis of some length.
  const double room = std::max(std::pow(slowest / fastest, 0.06), 1.02);
  return {fastest / room, slowest * room, from, to, true};
}

/// A number of a drawing, with one decimal: more is invisible.
std::string place(double number) {
  std::string text = fmt::format("{:.1f}", number);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

/// Lines across a drawing at the ticks of a vertical axis of seconds, each labelled with its time.
std::string time_grid(const Axis& vertical, double left, double right, int count) {
  std::string text = "<g class=\"axis\">";
  for (const double tick : vertical.ticks(count)) {
    const auto y = vertical.at(tick);
    text += fmt::format(
        R"(<line x1="{}" x2="{}" y1="{}" y2="{}"/><text x="{}" y="{}" text-anchor="end">{}</text>)",
        place(left), place(right), place(y), place(y), place(left - 6), place(y + 4),
        time_text(std::llround(tick * 1e9)));
  }
  return text + "</g>\n";
}

/// Points as one path, which takes a tenth of what a circle each would. A style's round line caps
/// make them visible.
class Dots {
 public:
  void add(double x, double y) { path_ += "M" + place(x) + " " + place(y) + "h0"; }
  bool empty() const { return path_.empty(); }
  std::string path(const char* style) const {
    return empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path_);
  }

 private:
  std::string path_;
};

// The search as it went: every time, and the best so far.

constexpr double curve_width = 960, curve_left = 70, curve_right = curve_width - 16, curve_top = 14,
                 curve_bottom = 250;
/// Where failures are drawn, which have no time.
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

/// A dot for a time that was the best when it was measured, with its parameters as a tooltip.
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

// What each parameter does: its values and the times that were measured with them.

constexpr double scatter_width = 340, scatter_left = 62, scatter_right = scatter_width - 10,
                 scatter_top = 10, scatter_bottom = 158;
constexpr double scatter_failed = 175, scatter_labels = 196, scatter_height = 202;
/// How many characters of labels fit on the axis.
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
    // Points with one value would cover each other: a low-discrepancy sequence spreads them evenly.
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
  // Older versions wrote journals without times: part of a journal may have none.
  const bool any = std::any_of(places.begin(), places.end(), [](const CurvePoint& place) {
    return place.evaluation->outcome.ok();
  });
  if (!any || end <= 0) return "";
  return curve_chart(run, places, {0, end * 1.01, curve_left, curve_right}, "Best so far, by time",
                     " s");
}

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
