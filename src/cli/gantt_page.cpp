#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/file.hpp"
#include "cli/gantt_categories.hpp"
#include "cli/gantt_chart.hpp"
#include "cli/gantt_style.hpp"
#include "cli/gantt_table.hpp"
#include "cli/gantt_text.hpp"
#include "cli/timeline_files.hpp"

namespace kiln::cli {
namespace {

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
