// The page of `--gantt`: lanes as charts, and tables of what took how long.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "cli/timeline/page.hpp"
#include "cli/timeline/timeline.hpp"

namespace kiln::cli {
namespace {

constexpr std::array<std::string_view, 7> known_categories{"lookup", "compile", "plan", "write",
                                                           "kernel", "read",    "merge"};

/// The categories that occur, in the order of a program's life: lookup, compile, plan, write,
/// kernel, read, merge; then any others by name.
std::vector<std::string> categories_in(const Lanes& lanes) {
  std::set<std::string> found;
  for (const auto& lane : lanes.lanes)
    for (const auto& row : lane.rows)
      for (const auto& span : row) found.insert(span.category);
  std::vector<std::string> result;
  for (const auto name : known_categories)
    if (const auto node = found.extract(std::string(name))) result.push_back(node.value());
  result.insert(result.end(), found.begin(), found.end());
  return result;
}

/// The style class that colours a category: its own name, or "other" for one without a colour.
std::string_view style_class(std::string_view category) {
  return std::find(known_categories.begin(), known_categories.end(), category) !=
                 known_categories.end()
             ? category
             : "other";
}

/// So many colours the style sheet has: classes n0, n1, …
constexpr std::size_t kernel_colours = 12;

/// The kernels of a timeline, and the colour that tells each from the others. A name keeps its
/// colour from run to run as long as no other kernel has the same one by its name.
class KernelColours {
 public:
  struct Total {
    std::string name;
    std::size_t count = 0;
    std::int64_t ns = 0;
  };

  explicit KernelColours(const Lanes& lanes);

  /// The style class of a span: its category's, for kernels with that of the name behind it, where
  /// there are several.
  std::string class_of(const TraceEvent& span) const;
  std::string class_of_kernel(const std::string& name) const;
  /// What took longest first.
  const std::vector<Total>& totals() const { return totals_; }

 private:
  std::vector<Total> totals_;
  std::map<std::string, std::size_t> slots_;
};

/// FNV-1a: the same on every machine.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash ^ (hash >> 32);
}

KernelColours::KernelColours(const Lanes& lanes) {
  std::map<std::string, Total> found;
  for (const auto& lane : lanes.lanes)
    for (const auto& row : lane.rows)
      for (const auto& span : row)
        if (span.category == "kernel") {
          Total& total = found[span.name];
          ++total.count;
          total.ns += span.end_ns - span.start_ns;
        }
  // Each gets its name's own colour where that is free; the others then get what is left. More
  // kernels than colours have to share.
  std::array<bool, kernel_colours> taken{};
  std::vector<std::string> late;
  for (auto& [name, total] : found) {
    const std::size_t slot = hash_of(name) % kernel_colours;
    if (taken[slot] && found.size() <= kernel_colours)
      late.push_back(name);
    else
      slots_.emplace(name, slot);
    taken[slot] = true;
    total.name = name;
    totals_.push_back(total);
  }
  for (const std::string& name : late) {
    std::size_t slot = hash_of(name) % kernel_colours;
    while (taken[slot]) slot = (slot + 1) % kernel_colours;
    taken[slot] = true;
    slots_.emplace(name, slot);
  }
  std::stable_sort(totals_.begin(), totals_.end(),
                   [](const Total& a, const Total& b) { return a.ns > b.ns; });
}

std::string KernelColours::class_of(const TraceEvent& span) const {
  return span.category == "kernel" ? class_of_kernel(span.name)
                                   : std::string(style_class(span.category));
}

std::string KernelColours::class_of_kernel(const std::string& name) const {
  if (slots_.size() < 2) return "kernel";
  return "kernel n" + std::to_string(slots_.at(name));
}

struct Total {
  std::int64_t ns = 0;
  std::size_t spans = 0;

  void add(const Total& other) {
    ns += other.ns;
    spans += other.spans;
  }
};
using CategoryTotals = std::map<std::string, Total>;

CategoryTotals category_totals_of(const Lane& lane) {
  CategoryTotals totals;
  for (const auto& row : lane.rows)
    for (const auto& span : row) totals[span.category].add({span.end_ns - span.start_ns, 1});
  return totals;
}

std::string row(const std::string& name, CategoryTotals totals,
                const std::vector<std::string>& categories, const std::string& busy) {
  std::string text = fmt::format("<tr><th scope=\"row\">{}</th>", escaped(name));
  for (const auto& category : categories) {
    const Total& total = totals[category];
    text += total.spans == 0
                ? "<td class=\"none\">–</td>"
                : fmt::format("<td>{} <small>× {}</small></td>", time_text(total.ns), total.spans);
  }
  return text + fmt::format("<td>{}</td></tr>\n", busy);
}

std::string busy_share(const Lane& lane, std::int64_t whole_ns) {
  const auto busy = lane.busy_ns();
  if (whole_ns == 0) return "–";
  return fmt::format("{} <small>{:.1f} %</small>", time_text(busy),
                     100 * static_cast<double>(busy) / static_cast<double>(whole_ns));
}

/// Markup of the table of totals: a row a lane, a column a category that occurs; time and number
/// of the spans, and the share of the whole time in which the lane was busy.
std::string totals_table(const Lanes& lanes) {
  const auto categories = categories_in(lanes);
  std::string text =
      "<section><h2>Totals</h2>\n<div class=\"wide\"><table><thead><tr>"
      "<th scope=\"col\">lane</th>";
  for (const auto& category : categories)
    fmt::format_to(std::back_inserter(text), R"(<th scope="col"><i class="{}"></i>{}</th>)",
                   style_class(category), escaped(category));
  text += "<th scope=\"col\">busy</th></tr></thead>\n<tbody>\n";
  CategoryTotals sum;
  for (const auto& lane : lanes.lanes) {
    const CategoryTotals totals = category_totals_of(lane);
    for (const auto& [category, total] : totals) sum[category].add(total);
    text += row(lane.name, totals, categories, busy_share(lane, lanes.end_ns));
  }
  text += "</tbody>\n<tfoot>" + row("all lanes", sum, categories, "") + "</tfoot>";
  return text + "</table></div></section>\n";
}

/// Markup of the table of kernels by name: how often each ran, for how long in all and on average,
/// and its share of the time of all kernels. Empty where none ran.
std::string kernels_table(const KernelColours& colours) {
  if (colours.totals().empty()) return {};
  std::string text =
      "<section><h2>Kernels</h2>\n<div class=\"wide\"><table><thead><tr>"
      "<th scope=\"col\">kernel</th><th scope=\"col\">count</th><th scope=\"col\">total</th>"
      "<th scope=\"col\">mean</th><th scope=\"col\">share</th></tr></thead>\n<tbody>\n";
  std::int64_t all = 0;
  for (const auto& kernel : colours.totals()) all += kernel.ns;
  for (const auto& kernel : colours.totals())
    fmt::format_to(
        std::back_inserter(text),
        "<tr><th scope=\"row\"><i class=\"{}\"></i>{}</th><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{:.1f} %</td></tr>\n",
        colours.class_of_kernel(kernel.name), escaped(kernel.name), kernel.count,
        time_text(kernel.ns), time_text(kernel.ns / static_cast<std::int64_t>(kernel.count)),
        all == 0 ? 0 : 100 * static_cast<double>(kernel.ns) / static_cast<double>(all));
  return text + "</tbody></table></div></section>\n";
}

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

/// Markup of one chart: the lanes' names at the left, and over a time axis one row of bars a row
/// of a lane. Only lanes that have a span in the window are drawn. Positions are percentages, so
/// that the chart follows the page's width; the script zooms by widening the drawing.
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

/// A window with some room at its right end, where the last bar's visible minimum may stand.
Window with_room(std::int64_t from, std::int64_t to) {
  return {from, std::max(from + 10, to + (to - from) / 150)};
}

/// The time in which devices worked, where that is so small a part of the whole (a compile came
/// before) that it needs a chart of its own.
std::optional<Window> devices_part(const Lanes& lanes) {
  std::int64_t from = std::numeric_limits<std::int64_t>::max(), to = 0;
  for (auto lane = lanes.lanes.begin() + 1; lane != lanes.lanes.end(); ++lane)
    for (const auto& row : lane->rows) {
      from = std::min(from, row.front().start_ns);
      to = std::max(to, row.back().end_ns);
    }
  if (from >= to || (to - from) > lanes.end_ns / 5) return std::nullopt;
  // What the host does with the results, such as merging them, follows at once.
  if (lanes.end_ns - to <= to - from) to = lanes.end_ns;
  const std::int64_t margin = (to - from) / 40;
  return with_room(std::max<std::int64_t>(0, from - margin), to + margin);
}

/// The categories; in place of `kernel` the kernels, where there are several and not too many.
std::string legend(const Lanes& lanes, const KernelColours& colours) {
  const bool by_name = colours.totals().size() > 1 && colours.totals().size() <= kernel_colours;
  std::string text = "<ul class=\"legend\">";
  const auto add = [&](std::string_view style, std::string_view name) {
    text += fmt::format(R"(<li><i class="{}"></i>{}</li>)", style, escaped(name));
  };
  for (const auto& category : categories_in(lanes))
    if (category != "kernel" || !by_name)
      add(style_class(category), category);
    else
      for (const auto& kernel : colours.totals())
        add(colours.class_of_kernel(kernel.name), kernel.name);
  return text + "</ul>\n";
}

std::string counted_text(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string timeline_body(const Lanes& lanes) {
  if (lanes.spans == 0) return "<p class=\"facts\">No spans were recorded.</p>\n";
  std::string text =
      fmt::format("<p class=\"facts\">{} on {} in {}</p>\n", counted_text(lanes.spans, "span"),
                  counted_text(lanes.lanes.size(), "lane"), time_text(lanes.end_ns));
  const KernelColours colours(lanes);
  text += legend(lanes, colours);
  text += chart(lanes, colours, with_room(0, lanes.end_ns), "Whole run");
  if (const auto part = devices_part(lanes))
    text += chart(lanes, colours, *part, "Devices at work");
  return text + totals_table(lanes) + kernels_table(colours);
}

}  // namespace

void write_gantt(const Timeline& timeline, const std::string& file) {
  // The policy has the browser itself refuse every request, whatever a name might smuggle in.
  const std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Kiln timeline</title>\n<style>{}</style>\n</head>\n<body>\n<h1>Kiln timeline</h1>\n"
      "{}<script>{}</script>\n</body>\n</html>\n",
      gantt_style, timeline_body(arrange(timeline.sorted())), gantt_script);
  value_or_throw(write_file(file, as_bytes(page)));
}

}  // namespace kiln::cli
