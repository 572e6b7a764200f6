#include "cli/timeline/timeline.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/os/file.hpp"

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

/// One event a line, so that the file can be searched and compared.
class TraceText {
 public:
  void add(const Json& event) {
    text_ += text_.empty() ? "{\"traceEvents\":[\n" : ",\n";
    // Names come from drivers and kernels: bytes that are not UTF-8 must not lose the whole trace.
    text_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  std::string finish() && { return std::move(text_) + "\n]}\n"; }

 private:
  std::string text_;
};

/// Viewers drop spans that overlap another of their lane without lying inside it; each row of such
/// spans becomes a lane of its own, beside the first.
std::string row_name(const Lane& lane, std::size_t row) {
  return row == 0 ? lane.name : lane.name + " (" + std::to_string(row + 1) + ")";
}

}  // namespace

void write_trace(const Timeline& timeline, const std::string& file) {
  const Lanes lanes = arrange(timeline.sorted());
  TraceText text;
  text.add(metadata("process_name", process, {{"name", "kiln"}}));
  int number = process;
  for (const auto& lane : lanes.lanes) {
    for (std::size_t row = 0; row < std::max<std::size_t>(1, lane.rows.size()); ++row, ++number) {
      text.add(metadata("thread_name", number, {{"name", row_name(lane, row)}}));
      text.add(metadata("thread_sort_index", number, {{"sort_index", number}}));
      if (row >= lane.rows.size()) continue;
      for (const auto& event : lane.rows[row]) text.add(complete_event(event, number));
    }
  }
  value_or_throw(write_file(file, as_bytes(std::move(text).finish())));
}

}  // namespace kiln::cli
