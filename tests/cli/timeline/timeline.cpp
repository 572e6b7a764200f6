#include "cli/timeline/timeline.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/timeline/samples.hpp"

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

using namespace kiln::testing;
using Json = nlohmann::json;

/// The events of the file that is written for some spans.
std::vector<Json> trace_of(const std::vector<TraceEvent>& events) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-trace"));
  const auto file = folder.path() / "trace.json";
  Timeline timeline;
  fill(timeline, events);
  write_trace(timeline, file.string());
  return Json::parse(value_or_throw(read_text(file))).at("traceEvents");
}

std::vector<Json> with_phase(const std::vector<Json>& events, const std::string& phase) {
  std::vector<Json> result;
  for (const auto& event : events)
    if (event.at("ph") == phase) result.push_back(event);
  return result;
}

/// Lane number to lane name, from the metadata.
std::map<int, std::string> lanes_of(const std::vector<Json>& events) {
  std::map<int, std::string> lanes;
  for (const auto& event : with_phase(events, "M"))
    if (event.at("name") == "thread_name") lanes[event.at("tid")] = event.at("args").at("name");
  return lanes;
}

std::int64_t ns(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

TEST(TimelineTrace, names_the_process_and_a_lane_for_the_host_and_each_queue) {
  const auto events = trace_of(cold_run());
  EXPECT_EQ(lanes_of(events), (std::map<int, std::string>{{1, "host"}, {2, cpu}, {3, gpu}}));
  std::size_t processes = 0;
  std::map<int, int> order;
  for (const auto& event : with_phase(events, "M")) {
    EXPECT_EQ(event.at("pid"), 1);
    if (event.at("name") == "process_name") processes += event.at("args").at("name") == "kiln";
    if (event.at("name") == "thread_sort_index")
      order[event.at("tid")] = event.at("args").at("sort_index");
  }
  EXPECT_EQ(processes, 1u);
  EXPECT_EQ(order, (std::map<int, int>{{1, 1}, {2, 2}, {3, 3}}));
}

TEST(TimelineTrace, every_span_is_a_complete_event_of_its_lane_with_category_and_details) {
  const auto spans = cold_run();
  const auto events = trace_of(spans);
  const auto lanes = lanes_of(events);
  const auto complete = with_phase(events, "X");
  ASSERT_EQ(complete.size(), spans.size());
  for (const auto& span : spans) {
    const auto found = std::find_if(complete.begin(), complete.end(), [&](const Json& event) {
      return event.at("name") == span.name && lanes.at(event.at("tid")) == span.lane;
    });
    ASSERT_NE(found, complete.end()) << span.name;
    EXPECT_EQ(found->at("cat"), span.category);
    EXPECT_EQ(found->at("pid"), 1);
    Json details = Json::object();
    for (const auto& [name, value] : span.details) details[name] = value;
    EXPECT_EQ(found->at("args"), details);
  }
}

TEST(TimelineTrace, times_are_microseconds_since_the_first_span_exact_to_the_nanosecond) {
  const auto complete = with_phase(trace_of({span(gpu, "b", "kernel", 1'234'567'891, 1'234'567'894),
                                             span("host", "a", "lookup", 7, 1'007)}),
                                   "X");
  ASSERT_EQ(complete.size(), 2u);
  EXPECT_EQ(complete[0].at("ts"), 0.0);
  EXPECT_EQ(complete[0].at("dur"), 1.0);
  EXPECT_EQ(ns(complete[1].at("ts")), 1'234'567'884);
  EXPECT_EQ(ns(complete[1].at("dur")), 3);
}

TEST(TimelineTrace, no_lane_has_spans_that_overlap) {
  auto spans = extremes();
  spans.push_back(span("host", "compile: three", "compile", 500, 2'500'000'000));
  const auto events = trace_of(spans);
  std::map<int, std::int64_t> ends;
  std::set<std::string> hosts;
  for (const auto& [lane, name] : lanes_of(events))
    if (name.starts_with("host")) hosts.insert(name);
  EXPECT_EQ(hosts, (std::set<std::string>{"host", "host (2)", "host (3)"}));
  for (const auto& event : with_phase(events, "X")) {
    const int lane = event.at("tid");
    EXPECT_GE(ns(event.at("ts")), ends[lane]) << event;
    ends[lane] = ns(event.at("ts")) + ns(event.at("dur"));
  }
}

TEST(TimelineTrace, names_with_quotes_line_ends_and_foreign_bytes_stay_readable) {
  const auto complete = with_phase(
      trace_of({span("host", "quote \" backslash \\ line\nend", "lookup", 0, 1),
                span("host", "byte \xFF and \xC3\xA9", "lookup", 2, 3, {{"why", "\xC3"}})}),
      "X");
  ASSERT_EQ(complete.size(), 2u);
  EXPECT_EQ(complete[0].at("name"), "quote \" backslash \\ line\nend");
  EXPECT_EQ(complete[1].at("name"), "byte \xEF\xBF\xBD and \xC3\xA9");
  EXPECT_EQ(complete[1].at("args").at("why"), "\xEF\xBF\xBD");
}

TEST(TimelineTrace, details_of_the_same_name_are_all_kept) {
  const auto complete =
      with_phase(trace_of({span("host", "a", "lookup", 0, 1, {{"k", "1"}, {"k", "2"}})}), "X");
  EXPECT_EQ(complete.at(0).at("args").at("k"), "1, 2");
}

TEST(TimelineTrace, what_a_span_waited_for_is_a_flow_from_its_end_and_a_mark_an_instant) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-trace"));
  const auto file = (folder.path() / "trace.json").string();
  Timeline timeline;
  fill(timeline, graph_run());
  timeline.mark({"bound", 1200});
  write_trace(timeline, file);
  const auto text = value_or_throw(read_text(file));
  const auto events = Json::parse(text).at("traceEvents").get<std::vector<Json>>();
  const auto begins = with_phase(events, "s"), ends = with_phase(events, "f");
  ASSERT_EQ(begins.size(), 2u) << text;
  ASSERT_EQ(ends.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(begins[i].at("id"), ends[i].at("id"));
    EXPECT_EQ(ns(ends[i].at("ts")), 1000);
    EXPECT_EQ(ends[i].at("tid"), 3);
  }
  EXPECT_EQ(ns(begins[0].at("ts")), 400);
  EXPECT_EQ(begins[0].at("tid"), 2);
  EXPECT_EQ(ns(begins[1].at("ts")), 900);
  EXPECT_EQ(begins[1].at("tid"), 3);
  const auto marks = with_phase(events, "i");
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].at("name"), "bound");
  EXPECT_EQ(ns(marks[0].at("ts")), 1200);
}

TEST(TimelineTrace, a_timeline_without_spans_is_a_trace_with_the_host_lane_only) {
  const auto events = trace_of({});
  EXPECT_EQ(lanes_of(events), (std::map<int, std::string>{{1, "host"}}));
  EXPECT_TRUE(with_phase(events, "X").empty());
}

using Writer = void (*)(const Timeline&, const std::string&);
class TimelineFiles : public ::testing::TestWithParam<Writer> {};

TEST_P(TimelineFiles, say_which_file_cannot_be_written_and_leave_nothing) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-timeline"));
  std::filesystem::create_directory(folder.path() / "taken");
  const Timeline timeline;
  for (const auto* name : {"absent/file", "taken"}) {
    const auto file = (folder.path() / name).string();
    try {
      GetParam()(timeline, file);
      ADD_FAILURE() << file << " was written";
    } catch (const Error& error) {
      EXPECT_NE(error.message().find(file), std::string::npos) << error.message();
      EXPECT_EQ(error.message().find('\n'), std::string::npos);
    }
  }
  const std::filesystem::directory_iterator entries(folder.path()), none;
  EXPECT_EQ(std::distance(entries, none), 1) << "only the folder that was there";
}

TEST_P(TimelineFiles, replace_what_stood_there) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-timeline"));
  const auto file = folder.path() / "file";
  value_or_throw(write_file(file, as_bytes("an older file")));
  GetParam()(Timeline(), file.string());
  const auto text = value_or_throw(read_text(file));
  EXPECT_EQ(text.find("an older file"), std::string::npos);
  EXPECT_GT(text.size(), 100u);
}

INSTANTIATE_TEST_SUITE_P(Both, TimelineFiles, ::testing::Values(&write_trace, &write_gantt));

}  // namespace
}  // namespace kiln::cli
