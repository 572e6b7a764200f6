#include "cli/gantt_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/gantt_text.hpp"

namespace kiln::cli {
namespace {

// Pixels. The style sheet has the same axis height.
constexpr int axis_height = 28, lane_least = 60, lane_margin = 8, row_height = 28, bar_height = 24;
constexpr double text_width = 6.6, text_margin = 8;
/// The drawing's width that labels and ticks are chosen for where no script adapts them: the style
/// sheet's minimum, so that they fit on any page.
constexpr double least_width = 720;
constexpr int most_ticks = 8;
/// Shares of the width below which a bar could be too thin to see.
constexpr double thin = 0.006;

auto out(std::string& to) { return std::back_inserter(to); }

bool is_inside(const TraceEvent& span, const Window& window) {
  return span.end_ns >= window.from_ns && span.start_ns <= window.to_ns;
}

/// The host's lane may be empty; it is shown all the same.
bool occurs(const Lane& lane, const Window& window) {
  return lane.rows.empty() || std::any_of(lane.rows.begin(), lane.rows.end(), [&](const auto& row) {
           return std::any_of(row.begin(), row.end(),
                              [&](const auto& span) { return is_inside(span, window); });
         });
}

int height_of(const Lane& lane) {
  return std::max(lane_least, 2 * lane_margin + row_height * static_cast<int>(lane.rows.size()));
}

/// What the reader gets on pointing at a bar.
std::string tooltip(const TraceEvent& span) {
  std::string text = fmt::format("{}\n{}, {}\nfrom {} to {}", escaped(span.name),
                                 escaped(span.category), time_text(span.end_ns - span.start_ns),
                                 time_text(span.start_ns), time_text(span.end_ns));
  for (const auto& [name, value] : span.details)
    if (!value.empty()) text += fmt::format("\n{}: {}", escaped(name), escaped(value));
  return text;
}

void append_label(std::string& to, const TraceEvent& span, double x, double width, int y) {
  const double room = (width * least_width - text_margin) / text_width;
  const std::string label = room < 1 ? "" : shortened(span.name, static_cast<std::size_t>(room));
  if (label.empty()) return;
  // A drawing of its own cuts off what an unusually wide font leaves no room for.
  fmt::format_to(out(to),
                 R"(<svg x="{}" y="{}" width="{}" height="{}"><text x="5" y="16">{}</text></svg>)",
                 percent(x), y, percent(width), bar_height, escaped(label));
}

void append_bar(std::string& to, const TraceEvent& span, const KernelColours& colours,
                const Window& window, int y) {
  const double left = std::max(0.0, window.at(span.start_ns));
  const double width = std::min(1.0, window.at(span.end_ns)) - left;
  fmt::format_to(out(to), R"(<g class="span {}{}"><title>{}</title>)", colours.class_of(span),
                 width < thin ? " thin" : "", tooltip(span));
  fmt::format_to(out(to), R"(<rect x="{}" y="{}" width="{}" height="{}")", percent(left), y,
                 percent(width), bar_height);
  // Even the shortest span takes the pixels that an eye needs.
  if (width < thin) fmt::format_to(out(to), " style=\"width:max({},2px)\"", percent(width));
  to += "/>";
  append_label(to, span, left, width, y);
  to += "</g>\n";
}

void append_lane(std::string& to, const Lane& lane, const KernelColours& colours,
                 const Window& window, int top) {
  const int height = height_of(lane), rows = static_cast<int>(lane.rows.size());
  fmt::format_to(out(to),
                 "<g class=\"lane\" transform=\"translate(0,{})\">"
                 "<rect class=\"ground\" width=\"100%\" height=\"{}\"/>\n",
                 top, height);
  // Thin bars last, and so on top: a long neighbour must not hide them.
  for (const bool thin_ones : {false, true}) {
    int y = (height - rows * row_height + row_height - bar_height) / 2;
    for (const auto& row : lane.rows) {
      for (const auto& span : row)
        if (is_inside(span, window) && (static_cast<double>(span.end_ns - span.start_ns) <
                                        thin * static_cast<double>(window.length())) == thin_ones)
          append_bar(to, span, colours, window, y);
      y += row_height;
    }
  }
  to += "</g>\n";
}

void append_axis(std::string& to, const Window& window, int bottom) {
  to += "<g class=\"axis\">";
  for (const auto& tick : ticks(window, most_ticks)) {
    const double at = window.at(tick.ns);
    const auto* const anchor = at < 0.03 ? "start" : at > 0.95 ? "end" : "middle";
    fmt::format_to(out(to), R"(<line x1="{0}" x2="{0}" y1="22" y2="{1}"/>)", percent(at), bottom);
    fmt::format_to(out(to), R"(<text x="{}" y="15" text-anchor="{}">{}</text>)", percent(at),
                   anchor, tick.text);
  }
  to += "</g>\n";
}

/// "device 0: NAME" in two parts, the second one small.
void append_name(std::string& to, const Lane& lane) {
  const auto colon = lane.name.find(": ");
  const std::string rest = colon == std::string::npos ? "" : lane.name.substr(colon + 2);
  fmt::format_to(out(to),
                 "<div class=\"name\" style=\"height:{}px\" title=\"{}\"><b>{}</b>{}</div>\n",
                 height_of(lane), escaped(lane.name), escaped(lane.name.substr(0, colon)),
                 rest.empty() ? "" : fmt::format("<span>{}</span>", escaped(rest)));
}

}  // namespace

std::string chart(const Lanes& all, const KernelColours& colours, const Window& window,
                  std::string_view heading) {
  std::vector<const Lane*> shown;
  int bottom = axis_height;
  for (const auto& lane : all.lanes) {
    if (!occurs(lane, window)) continue;
    shown.push_back(&lane);
    bottom += height_of(lane);
  }
  std::string text;
  fmt::format_to(
      out(text),
      "<section class=\"chart\" data-from=\"{}\" data-to=\"{}\">\n"
      "<header><h2>{}</h2><span class=\"zoom\" hidden><button type=\"button\" title=\"zoom out\">"
      "−</button><button type=\"button\" title=\"zoom in\">+</button><button type=\"button\" "
      "title=\"the whole width again\">Fit</button></span></header>\n"
      "<div class=\"frame\"><div class=\"names\">\n",
      window.from_ns, window.to_ns, escaped(heading));
  for (const auto* lane : shown) append_name(text, *lane);
  fmt::format_to(out(text),
                 "</div><div class=\"view\" tabindex=\"0\"><svg width=\"100%\" height=\"{}\" "
                 "role=\"img\" aria-label=\"{}\">\n",
                 bottom, escaped(heading));
  int top = axis_height;
  std::string lanes;
  for (const auto* lane : shown) {
    append_lane(lanes, *lane, colours, window, top);
    top += height_of(*lane);
  }
  // The grounds of the lanes would cover the axis' lines, which in turn must not cover bars: the
  // grounds are transparent, and the axis is drawn first.
  append_axis(text, window, bottom);
  return text + lanes + "</svg></div></div></section>\n";
}

}  // namespace kiln::cli
