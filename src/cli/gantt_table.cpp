#include "cli/gantt_table.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>

#include "cli/gantt_categories.hpp"
#include "cli/gantt_text.hpp"

namespace kiln::cli {
namespace {

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

}  // namespace

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

}  // namespace kiln::cli
