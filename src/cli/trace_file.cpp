#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/gantt_lanes.hpp"
#include "cli/timeline_files.hpp"

namespace kiln::cli {
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
