// The page of `--gantt`: the data that its script (page/timeline.js) draws.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/page/page.hpp"
#include "cli/timeline/timeline.hpp"

namespace kiln::cli {
namespace {

using GanttData = nlohmann::ordered_json;

/// Names and categories come again and again: each text is written once, and named by its place.
class TextTable {
 public:
  std::size_t place_of(const std::string& text) {
    const auto [found, is_new] = places_.emplace(text, places_.size());
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  GanttData take() && { return std::move(texts_); }

 private:
  std::map<std::string, std::size_t> places_;
  GanttData texts_ = GanttData::array();
};

GanttData data_of(const TraceEvent& span, TextTable& texts) {
  GanttData data = {span.start_ns, span.end_ns - span.start_ns, texts.place_of(span.name),
                    texts.place_of(span.category)};
  for (const auto& [name, value] : span.details) {
    data.push_back(texts.place_of(name));
    data.push_back(texts.place_of(value));
  }
  return data;
}

GanttData data_of(const Lanes& lanes) {
  TextTable texts;
  GanttData all = GanttData::array();
  for (const auto& lane : lanes.lanes) {
    GanttData rows = GanttData::array();
    for (const auto& row : lane.rows) {
      rows.push_back(GanttData::array());
      for (const auto& span : row) rows.back().push_back(data_of(span, texts));
    }
    all.push_back({{"name", lane.name}, {"rows", std::move(rows)}});
  }
  return {{"lanes", std::move(all)}, {"texts", std::move(texts).take()}};
}

}  // namespace

void write_gantt(const Timeline& timeline, const std::string& file) {
  const Lanes lanes = arrange(timeline.sorted());
  const std::string summary =
      fmt::format("Spans: {}. Lanes: {}. Time in all: {}.", lanes.spans, lanes.lanes.size(),
                  duration(static_cast<double>(lanes.end_ns)));
  const std::string page = filled_page(timeline_html, summary, data_of(lanes));
  value_or_throw(write_file(file, as_bytes(page)));
}

}  // namespace kiln::cli
