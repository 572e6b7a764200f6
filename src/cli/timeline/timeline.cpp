// Spans spread over lanes, and the files of --trace and --gantt.
#include "cli/timeline/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/output/output.hpp"

namespace kiln::cli {

void Timeline::add(const Explanation& explanation) {
  for (auto& event : trace_events(explanation)) add(std::move(event));
}

std::vector<TraceEvent> Timeline::sorted() const {
  const std::lock_guard lock(mutex_);
  auto events = events_;
  std::stable_sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return a.start_ns < b.start_ns;
  });
  return events;
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The run of digits at the front, without leading zeros; removed from the text.
std::string_view take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

/// Numbers inside names compare by value. Names that differ in leading zeros only count as equal.
bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const auto first = take_number(a), second = take_number(b);
      if (first.size() != second.size()) return first.size() < second.size();
      if (first != second) return first < second;
    } else {
      if (a[0] != b[0]) return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

Lane& lane_named(std::vector<Lane>& lanes, const std::string& name) {
  const auto found =
      std::find_if(lanes.begin(), lanes.end(), [&](const Lane& lane) { return lane.name == name; });
  if (found != lanes.end()) return *found;
  lanes.push_back({name, {}});
  return lanes.back();
}

void place(Lane& lane, TraceEvent event) {
  const auto row = std::find_if(lane.rows.begin(), lane.rows.end(), [&](const auto& spans) {
    return spans.back().end_ns <= event.start_ns;
  });
  if (row != lane.rows.end())
    row->push_back(std::move(event));
  else
    lane.rows.push_back({std::move(event)});
}

}  // namespace

Lanes arrange(std::vector<TraceEvent> events) {
  Lanes result{{{"host", {}}}, events.size(), 0};
  const std::int64_t origin = events.empty() ? 0 : events.front().start_ns;
  for (auto& event : events) {
    event.start_ns -= origin;
    event.end_ns = std::max(event.start_ns, event.end_ns - origin);
    result.end_ns = std::max(result.end_ns, event.end_ns);
    Lane& lane = lane_named(result.lanes, event.lane);
    place(lane, std::move(event));
  }
  std::stable_sort(result.lanes.begin() + 1, result.lanes.end(),
                   [](const Lane& a, const Lane& b) { return natural_less(a.name, b.name); });
  // Ranks have hosts of their own.
  const auto of_rank = [](const Lane& lane) { return lane.name.starts_with("rank "); };
  if (result.lanes.front().rows.empty() && std::ranges::any_of(result.lanes, of_rank))
    result.lanes.erase(result.lanes.begin());
  return result;
}

namespace {

using Json = nlohmann::ordered_json;

// Spans of one command belong to one process. The host's lane gets the same number as the process,
// which viewers take for its main thread.
constexpr int process = 1;

/// Microseconds; with three decimals at most, so that readers get the exact nanosecond back.
double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

Json metadata(const char* what, int lane, Json arguments) {
  return {
      {"name", what}, {"ph", "M"}, {"pid", process}, {"tid", lane}, {"args", std::move(arguments)}};
}

Json details_of(const TraceEvent& event) {
  Json details = Json::object();
  for (const auto& [name, value] : event.details) {
    Json& place = details[name];
    place = place.is_null() ? value : place.get<std::string>() + ", " + value;
  }
  return details;
}

Json complete_event(const TraceEvent& event, int lane) {
  return {{"name", event.name},
          {"cat", event.category},
          {"ph", "X"},
          {"ts", microseconds(event.start_ns)},
          {"dur", microseconds(event.end_ns - event.start_ns)},
          {"pid", process},
          {"tid", lane},
          {"args", details_of(event)}};
}

/// One arrow from the end of a span to the begin of another, as the two events that viewers join
/// by their number.
std::array<Json, 2> flow_events(const TraceEvent& from, int from_lane, const TraceEvent& to,
                                int to_lane, int number) {
  const auto end = [&](const char* phase, std::int64_t ns, int lane) {
    return Json{{"name", "waits"},        {"cat", "wait"},  {"ph", phase}, {"id", number},
                {"ts", microseconds(ns)}, {"pid", process}, {"tid", lane}};
  };
  std::array<Json, 2> events{end("s", from.end_ns, from_lane), end("f", to.start_ns, to_lane)};
  events[1]["bp"] = "e";  // it ends at the span that begins there
  return events;
}

/// The event's line in the file.
std::string event_text(const Json& event) {
  // Names come from drivers and kernels: bytes that are not UTF-8 must not lose the whole trace.
  return event.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Viewers drop spans that overlap another of their lane without lying inside it; each row of such
/// spans becomes a lane of its own, next to the first.
std::string row_name(const Lane& lane, std::size_t row) {
  return row == 0 ? lane.name : lane.name + " (" + std::to_string(row + 1) + ")";
}

}  // namespace

void write_trace(const Timeline& timeline, const std::string& file) {
  const Lanes lanes = arrange(timeline.sorted());
  // One event a line, so that the file can be searched and compared.
  std::vector<std::string> lines{event_text(metadata("process_name", process, {{"name", "kiln"}}))};
  int number = process;
  std::map<std::uint32_t, std::pair<const TraceEvent*, int>> numbered;  // with their lanes
  for (const auto& lane : lanes.lanes)
    for (std::size_t row = 0; row < std::max<std::size_t>(1, lane.rows.size()); ++row, ++number) {
      lines.push_back(event_text(metadata("thread_name", number, {{"name", row_name(lane, row)}})));
      lines.push_back(event_text(metadata("thread_sort_index", number, {{"sort_index", number}})));
      if (row >= lane.rows.size()) continue;
      for (const auto& event : lane.rows[row]) {
        lines.push_back(event_text(complete_event(event, number)));
        if (event.id != 0) numbered[event.id] = {&event, number};
      }
    }
  int arrows = 0;
  for (const auto& [id, to] : numbered)
    for (const std::uint32_t before : to.first->after)
      if (const auto from = numbered.find(before); from != numbered.end())
        for (const Json& event :
             flow_events(*from->second.first, from->second.second, *to.first, to.second, ++arrows))
          lines.push_back(event_text(event));
  for (const auto& mark : timeline.marks())
    lines.push_back(event_text({{"name", mark.name},
                                {"ph", "i"},
                                {"s", "g"},
                                {"ts", microseconds(mark.ns)},
                                {"pid", process},
                                {"tid", process}}));
  const auto text = fmt::format("{{\"traceEvents\":[\n{}\n]}}\n", fmt::join(lines, ",\n"));
  value_or_throw(write_file(file, as_bytes(text)));
}

namespace {

/// Names and categories come again and again: each text is written once, and named by its place.
class TextTable {
 public:
  std::size_t place_of(const std::string& text) {
    const auto [found, is_new] = places_.emplace(text, places_.size());
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  Json take() && { return std::move(texts_); }

 private:
  std::map<std::string, std::size_t> places_;
  Json texts_ = Json::array();
};

Json data_of(const TraceEvent& span, TextTable& texts) {
  Json data = {span.start_ns, span.end_ns - span.start_ns, texts.place_of(span.name),
               texts.place_of(span.category)};
  for (const auto& [name, value] : span.details) {
    data.push_back(texts.place_of(name));
    data.push_back(texts.place_of(value));
  }
  return data;
}

Json data_of(const Lanes& lanes, const std::vector<Timeline::Mark>& marks) {
  TextTable texts;
  Json all = Json::array();
  std::map<std::uint32_t, std::size_t> place_of;  // by id, the place among all spans
  std::vector<std::pair<std::size_t, std::uint32_t>> waits;
  std::size_t place = 0;
  for (const auto& lane : lanes.lanes) {
    Json rows = Json::array();
    for (const auto& row : lane.rows) {
      rows.push_back(Json::array());
      for (const auto& span : row) {
        rows.back().push_back(data_of(span, texts));
        if (span.id != 0) place_of[span.id] = place;
        for (const std::uint32_t before : span.after) waits.emplace_back(place, before);
        ++place;
      }
    }
    all.push_back({{"name", lane.name}, {"rows", std::move(rows)}});
  }
  Json arrows = Json::array(), lines = Json::array();
  for (const auto& [to, before] : waits)
    if (const auto from = place_of.find(before); from != place_of.end())
      arrows.push_back({from->second, to});
  for (const auto& mark : marks) lines.push_back({mark.ns, mark.name});
  return {{"lanes", std::move(all)},
          {"texts", std::move(texts).take()},
          {"arrows", std::move(arrows)},
          {"marks", std::move(lines)}};
}

}  // namespace

void write_gantt(const Timeline& timeline, const std::string& file) {
  const Lanes lanes = arrange(timeline.sorted());
  const std::string summary =
      fmt::format("Spans: {}. Lanes: {}. Time in all: {}.", lanes.spans, lanes.lanes.size(),
                  duration(static_cast<double>(lanes.end_ns)));
  const std::string page = filled_page(timeline_html, summary, data_of(lanes, timeline.marks()));
  value_or_throw(write_file(file, as_bytes(page)));
}

void write_timeline(const Context& context, const Timeline& timeline) {
  if (context.has("trace")) write_trace(timeline, context.text("trace"));
  if (context.has("gantt")) write_gantt(timeline, context.text("gantt"));
}

}  // namespace kiln::cli
