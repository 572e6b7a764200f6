// The data of the page of `--gantt`. How a browser draws them: timeline/browser.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/page/browser.hpp"
#include "cli/timeline/samples.hpp"

namespace kiln::cli {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

/// A span of the data as the page's reader is told.
Json told(const Json& span, const Json& texts) {
  Json result = {{"start", span.at(0)},
                 {"length", span.at(1)},
                 {"name", texts.at(span.at(2).get<std::size_t>())},
                 {"category", texts.at(span.at(3).get<std::size_t>())}};
  for (std::size_t i = 4; i < span.size(); i += 2)
    result["details"].push_back(
        {texts.at(span.at(i).get<std::size_t>()), texts.at(span.at(i + 1).get<std::size_t>())});
  return result;
}

TEST(TimelinePage, has_every_span_with_its_times_and_details) {
  for (const auto& events : {cold_run(), run_in_chunks(10), mesh_run(), extremes()}) {
    const auto data = data_of_page(page_of(events));
    std::multiset<std::string> expected, found;
    for (const auto& event : events) {
      Json span = {{"start", event.start_ns - origin_ns},
                   {"length", event.end_ns - event.start_ns},
                   {"name", event.name},
                   {"category", event.category}};
      for (const auto& [name, value] : event.details) span["details"].push_back({name, value});
      expected.insert(event.lane + span.dump());
    }
    for (const auto& lane : data.at("lanes"))
      for (const auto& row : lane.at("rows"))
        for (const auto& span : row)
          found.insert(lane.at("name").get<std::string>() + told(span, data.at("texts")).dump());
    EXPECT_EQ(found, expected);
  }
}

TEST(TimelinePage, names_its_lanes_and_writes_each_text_once) {
  const auto data = data_of_page(page_of(run_in_chunks(1000)));
  ASSERT_EQ(data.at("lanes").size(), 3u);
  EXPECT_EQ(data["lanes"][0]["name"], "host");
  EXPECT_EQ(data["lanes"][1]["name"], cpu);
  EXPECT_EQ(data["lanes"][2]["name"], gpu);
  const auto texts = data.at("texts").get<std::set<std::string>>();
  EXPECT_EQ(texts.size(), data["texts"].size());
}

TEST(TimelinePage, says_what_it_is_about_where_no_script_runs) {
  const auto page = page_of(cold_run());
  EXPECT_THAT(page, HasSubstr("<noscript><p>Spans: 9. Lanes: 3. Time in all: 91.500 ms.</p>"));
}

TEST(TimelinePage, names_cannot_become_markup) {
  const std::string evil = "</title></script><script>alert(1)</script><img src=x onerror=\"a()\">'";
  const auto page = page_of({span("host", evil, evil, 0, 1'000'000, {{evil, evil}}),
                             span("device 0: " + evil, "k", "kernel", 0, 1'000'000)});
  EXPECT_EQ(occurrences(page, "<script"), 3u) << "the data and the page's own";
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_EQ(data_of_page(page)["lanes"][1]["name"], "device 0: " + evil);
}

TEST(TimelinePage, of_a_timeline_without_spans_has_the_host_lane_only) {
  EXPECT_EQ(
      data_of_page(page_of({})),
      Json::parse(R"({"lanes":[{"name":"host","rows":[]}],"texts":[],"arrows":[],"marks":[]})"));
}

TEST(TimelinePage, has_arrows_between_spans_in_the_order_of_its_rows) {
  // Rows hold scale, matmul, softmax.
  EXPECT_EQ(data_of_page(page_of(graph_run()))["arrows"], Json::parse("[[0,2],[1,2]]"));
}

}  // namespace
}  // namespace kiln::cli
