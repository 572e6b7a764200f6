#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cli/gantt_lanes.hpp"
#include "timeline_samples.hpp"

namespace kiln::cli {
namespace {

using kiln::testing::origin_ns;
using kiln::testing::span;

std::vector<std::string> names(const Lanes& lanes) {
  std::vector<std::string> result;
  for (const auto& lane : lanes.lanes) result.push_back(lane.name);
  return result;
}

TEST(TimelineLanes, the_host_comes_first_and_devices_by_number) {
  const Lanes lanes =
      arrange({span("device 10: a", "k", "kernel", 0, 1), span("device 2: z", "k", "kernel", 1, 2),
               span("host", "l", "lookup", 2, 3), span("device 2: b", "k", "kernel", 3, 4)});
  EXPECT_EQ(names(lanes),
            (std::vector<std::string>{"host", "device 2: b", "device 2: z", "device 10: a"}));
  EXPECT_EQ(lanes.spans, 4u);
  EXPECT_EQ(lanes.end_ns, 4);
}

TEST(TimelineLanes, the_host_has_a_lane_where_nothing_happened_on_it) {
  EXPECT_EQ(names(arrange({})), std::vector<std::string>{"host"});
  EXPECT_EQ(arrange({}).end_ns, 0);
}

TEST(TimelineLanes, times_count_from_the_first_span) {
  const Lanes lanes =
      arrange({span("host", "a", "lookup", 5, 9), span("host", "b", "lookup", 9, 12)});
  ASSERT_EQ(lanes.lanes[0].rows.size(), 1u);
  EXPECT_EQ(lanes.lanes[0].rows[0][0].start_ns, 0);
  EXPECT_EQ(lanes.lanes[0].rows[0][1].start_ns, 4);
  EXPECT_EQ(lanes.lanes[0].rows[0][1].end_ns, 7);
}

TEST(TimelineLanes, spans_that_overlap_stand_in_rows_of_their_own) {
  const Lanes lanes =
      arrange({span("host", "a", "compile", 0, 10), span("host", "b", "compile", 5, 8),
               span("host", "c", "compile", 8, 12)});
  const auto& rows = lanes.lanes[0].rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].size(), 1u);
  EXPECT_EQ(rows[1].size(), 2u) << "b ends where c starts";
}

TEST(TimelineLanes, a_span_that_ends_before_it_starts_has_no_length) {
  const Lanes lanes = arrange({span("host", "a", "lookup", 10, 4)});
  EXPECT_EQ(lanes.lanes[0].rows[0][0].end_ns, 0);
  EXPECT_EQ(lanes.end_ns, 0);
}

TEST(TimelineLanes, busy_time_counts_overlaps_once_and_gaps_not_at_all) {
  const Lanes lanes =
      arrange({span("host", "a", "compile", 0, 10), span("host", "b", "compile", 5, 12),
               span("host", "c", "compile", 6, 7), span("host", "d", "merge", 20, 21)});
  EXPECT_EQ(lanes.lanes[0].busy_ns(), 13);
}

RC_GTEST_PROP(TimelineLanes, no_row_has_overlaps_and_no_span_is_lost,
              (const std::vector<std::pair<std::uint16_t, std::uint8_t>>& times)) {
  std::vector<TraceEvent> events;
  for (const auto& [start, length] : times)
    events.push_back(
        span(start % 3 == 0 ? "host" : "device 0: x", "k", "kernel", start, start + length));
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  const std::int64_t first = events.empty() ? 0 : events.front().start_ns;
  const Lanes lanes = arrange(events);
  std::vector<std::pair<std::int64_t, std::int64_t>> found, expected;
  for (const auto& lane : lanes.lanes)
    for (const auto& row : lane.rows)
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) RC_ASSERT(row[i - 1].end_ns <= row[i].start_ns);
        found.emplace_back(row[i].start_ns, row[i].end_ns);
      }
  for (const auto& event : events)
    expected.emplace_back(event.start_ns - first, event.end_ns - first);
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace kiln::cli
