#include "cli/gantt_lanes.hpp"

#include <algorithm>
#include <string_view>

namespace kiln::cli {
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

std::int64_t Lane::busy_ns() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  for (const auto& row : rows)
    for (const auto& span : row) times.emplace_back(span.start_ns, span.end_ns);
  std::sort(times.begin(), times.end());
  std::int64_t busy = 0, until = 0;
  for (const auto& [start, end] : times) {
    busy += std::max<std::int64_t>(0, end - std::max(start, until));
    until = std::max(until, end);
  }
  return busy;
}

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

}  // namespace kiln::cli
