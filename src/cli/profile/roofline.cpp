#include "cli/profile/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/data/text.hpp"
#include "cli/profile/markup.hpp"

namespace kiln::cli::profile {
namespace {

// Pixels of the drawing.
constexpr double width = 960, height = 440, left = 74, right = 18, top = 16, bottom = 50;
constexpr double letter = 6.5, line_height = 14;  // of a label

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  bool meets(const Box& other) const {
    return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
           other.y < y + height;
  }
};

struct Dot {
  const ProfiledKernel* kernel = nullptr;
  std::size_t number = 0;  ///< in the table
  double intensity = 0, flops = 0, share = 0;
};

std::vector<Dot> dots_of(const Profile& profile, std::size_t device) {
  std::vector<Dot> dots;
  const auto whole = static_cast<double>(profile.kernel_ns());
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const ProfiledKernel& kernel = profile.kernels[i];
    const double flops = kernel.flops();
    if (kernel.device != device || flops <= 0 || kernel.times.bytes == 0) continue;
    dots.push_back({&kernel, i + 1, flops / kernel.bytes_per_second(), flops,
                    static_cast<double>(kernel.times.total_ns) / whole});
  }
  return dots;
}

double decade_below(double value) { return std::pow(10, std::floor(std::log10(value) + 1e-9)); }
double decade_above(double value) { return std::pow(10, std::ceil(std::log10(value) - 1e-9)); }

class Roofline {
 public:
  Roofline(const DeviceRoofs& roofs, std::vector<Dot> dots)
      : roofs_(roofs), dots_(std::move(dots)) {
    const double memory = roofs.memory_bytes(), ridge = highest() / memory;
    double least = ridge / 20, most = ridge * 10, least_flops = memory * least;
    double most_flops = highest() * 1.5;
    for (const Dot& dot : dots_) {
      least = std::min(least, dot.intensity / 2);
      most = std::max(most, dot.intensity * 2);
      least_flops = std::min(least_flops, dot.flops / 2);
      most_flops = std::max(most_flops, dot.flops * 1.5);
    }
    x_from_ = decade_below(least), x_to_ = decade_above(most);
    y_from_ = decade_below(least_flops), y_to_ = decade_above(most_flops);
  }

  std::string draw(const std::string& title) {
    std::string svg = fmt::format(
        "<svg class=\"roofline\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width,
        height, as_markup(title));
    svg += axes() + roofs();
    for (const Dot& dot : dots_) taken_.push_back(box_of(dot));
    for (const Dot& dot : dots_) svg += drawn(dot);
    return svg + "</svg>\n";
  }

 private:
  double highest() const { return std::max(roofs_.single_flops, roofs_.double_flops); }

  double x(double intensity) const {
    return left +
           (width - left - right) * std::log(intensity / x_from_) / std::log(x_to_ / x_from_);
  }
  double y(double flops) const {
    return height - bottom -
           (height - top - bottom) * std::log(flops / y_from_) / std::log(y_to_ / y_from_);
  }

  static std::string number(double value) {
    return value >= 1 ? with_prefix(value) : fmt::format("{:.4g}", value);
  }

  std::string axes() const {
    std::string svg = "<g class=\"axis\">\n";
    for (double at = x_from_; at <= x_to_ * 1.001; at *= 10)
      svg += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
          "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:g}</text>\n",
          x(at), top, height - bottom, height - bottom + 16, at);
    for (double at = y_from_; at <= y_to_ * 1.001; at *= 10)
      svg += fmt::format(
          "<line x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>"
          "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
          y(at), left, width - right, left - 8, y(at) + 4, at / 1e9);
    svg += fmt::format(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">operations per byte bound</text>\n"
        "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">GFLOP/s</text>\n"
        "</g>\n",
        (left + width - right) / 2, height - 12, (top + height - bottom) / 2);
    return svg;
  }

  std::string line(double x1, double y1, double x2, double y2, const char* style) const {
    return fmt::format(
        "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1,
        y1, x2, y2);
  }

  /// A horizontal roof from where the memory's meets it, with its name at the right.
  std::string flat(double flops, const std::string& name, const char* style) {
    if (flops < y_from_) return {};
    const double from = std::max(x_from_, flops / roofs_.memory_bytes());
    if (from >= x_to_) return {};
    const double at = y(flops);
    return line(x(from), at, width - right, at, style) +
           label(width - right - 4, at - 5, "end", name + " " + with_prefix(flops) + "FLOP/s");
  }

  std::string label(double at_x, double at_y, const char* anchor, const std::string& text) {
    const double extent = letter * static_cast<double>(text.size());
    taken_.push_back({std::string_view(anchor) == "end" ? at_x - extent : at_x,
                      at_y - line_height + 3, extent, line_height});
    return fmt::format(
        "<text class=\"roof-name\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", at_x,
        at_y, anchor, text);
  }

  std::string roofs() {
    const double memory = roofs_.memory_bytes();
    const double from = std::max(x_from_, y_from_ / memory);
    const double to = std::min(x_to_, highest() / memory);
    std::string svg = line(x(from), y(from * memory), x(to), y(to * memory), "roof");
    // In the part of the drawing above the line, which holds nothing.
    const double named = std::sqrt(from * to);
    svg +=
        label(x(named) - 12, y(named * memory) - 8, "end", "memory " + with_prefix(memory) + "B/s");
    svg += flat(roofs_.single_flops, "single precision", "roof");
    svg += flat(roofs_.double_flops, "double precision", "roof");
    svg += flat(roofs_.single_chained_flops, "single, one chain of mads", "roof dashed");
    return svg;
  }

  static double radius(const Dot& dot) { return 4 + 8 * std::sqrt(dot.share); }

  Box box_of(const Dot& dot) const {
    const double r = radius(dot);
    return {x(dot.intensity) - r, y(dot.flops) - r, 2 * r, 2 * r};
  }

  /// The dot, and its name where there is room for it.
  std::string drawn(const Dot& dot) {
    const double at_x = x(dot.intensity), at_y = y(dot.flops), r = radius(dot);
    std::string svg = fmt::format(
        "<g class=\"kernel\"><title>{}: {}FLOP/s, {} operations per byte, {} of the kernels' "
        "time</title><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>",
        as_markup(dot.kernel->name), with_prefix(dot.flops), number(dot.intensity),
        percent(dot.share), at_x, at_y, r);
    const std::string name = shortened(dot.kernel->name, 32);
    const double extent = letter * static_cast<double>(name.size() + 1);
    struct Place {
      double x, y;
      const char* anchor;
    };
    for (const Place place :
         {Place{at_x + r + 4, at_y + 4, "start"}, Place{at_x - r - 4, at_y + 4, "end"},
          Place{at_x, at_y + r + 13, "middle"}, Place{at_x, at_y - r - 5, "middle"}}) {
      const std::string_view anchor = place.anchor;
      const double from = anchor == "start" ? place.x
                          : anchor == "end" ? place.x - extent
                                            : place.x - extent / 2;
      const Box box{from, place.y - line_height + 3, extent, line_height};
      const bool is_inside =
          from > left && from + extent < width - right && box.y > top && place.y < height - bottom;
      if (!is_inside || std::ranges::any_of(taken_, [&](const Box& b) { return b.meets(box); }))
        continue;
      taken_.push_back(box);
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", place.x,
                         place.y, place.anchor, as_markup(name));
      break;
    }
    return svg + "</g>\n";
  }

  const DeviceRoofs& roofs_;
  std::vector<Dot> dots_;
  double x_from_ = 0, x_to_ = 0, y_from_ = 0, y_to_ = 0;
  std::vector<Box> taken_;  ///< by dots and texts
};

}  // namespace

std::string roofline_svg(const Profile& profile, std::size_t device) {
  const auto& roofs = profile.devices[device].roofs;
  auto dots = dots_of(profile, device);
  if (!roofs || roofs->memory_bytes() <= 0 ||
      std::max(roofs->single_flops, roofs->double_flops) <= 0 || dots.empty())
    return {};
  return Roofline(*roofs, std::move(dots)).draw("Roofline of " + profile.devices[device].name);
}

}  // namespace kiln::cli::profile
