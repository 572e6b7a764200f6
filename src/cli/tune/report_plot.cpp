#include "cli/tune/report_plot.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/gantt_text.hpp"

namespace kiln::cli {

double Axis::at(double value) const {
  const double share = logarithmic ? std::log(value / least) / std::log(most / least)
                                   : (value - least) / (most - least);
  return from + share * (to - from);
}

namespace {

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

}  // namespace

std::vector<double> Axis::ticks(int count) const {
  // Within a factor of eight, powers leave an axis all but bare.
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

Axis time_axis(double fastest, double slowest, double from, double to) {
  // A run of equal times has an axis all the same.
  const double room = std::max(std::pow(slowest / fastest, 0.06), 1.02);
  return {fastest / room, slowest * room, from, to, true};
}

std::string place(double number) {
  std::string text = fmt::format("{:.1f}", number);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

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

void Dots::add(double x, double y) { path_ += "M" + place(x) + " " + place(y) + "h0"; }

std::string Dots::path(const char* style) const {
  return empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path_);
}

}  // namespace kiln::cli
