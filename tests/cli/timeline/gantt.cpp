#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/timeline/samples.hpp"

// The page as text. How a browser shows it: timeline_browser.cpp.
namespace kiln::cli {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_without_script(const std::string& page) {
  return page.substr(0, page.find("<script>"));
}

TEST(TimelinePage, refers_to_nothing_outside_itself) {
  for (const auto& events : {cold_run(), run_in_chunks(), extremes(), {}}) {
    const auto page = page_of(events);
    for (const auto* reference : {"http:", "https:", "//fonts", "src=", "href", "url(", "@import",
                                  "<link", "<img", "<iframe", "fetch(", "XMLHttpRequest"})
      EXPECT_THAT(page, Not(HasSubstr(reference)));
    EXPECT_THAT(page, HasSubstr("content=\"default-src 'none';"));
  }
}

TEST(TimelinePage, shows_everything_without_its_script) {
  const auto page = page_without_script(page_of(cold_run()));
  for (const auto* text :
       {"<b>host</b>", "<b>device 0</b><span>cpu-haswell-Some Processor",
        "<b>device 1</b><span>An Accelerator</span>", ">compile: VectorAdd</text>", ">20 ms</text>",
        "<li><i class=\"kernel\"></i>kernel</li>"})
    EXPECT_THAT(page, HasSubstr(text));
}

TEST(TimelinePage, every_span_has_a_bar_with_a_tooltip) {
  const auto page = page_of(run_in_chunks(10));
  EXPECT_EQ(occurrences(page, "<g class=\"span "), 21u);
  EXPECT_EQ(occurrences(page, "<g class=\"span kernel"), 20u);
  EXPECT_THAT(page, HasSubstr("<title>matmul_tiled_with_a_long_name\nkernel, 20.0 µs\n"
                              "from 2.00 µs to 22.0 µs\nchunk: 0</title>"));
}

TEST(TimelinePage,
     a_run_that_is_mostly_compiling_shows_the_devices_at_work_in_a_chart_of_their_own) {
  const auto cold = page_of(cold_run());
  EXPECT_EQ(occurrences(cold, "<section class=\"chart\""), 2u);
  const auto part = cold.substr(cold.find("<h2>Devices at work</h2>"));
  EXPECT_EQ(occurrences(part, "<g class=\"span kernel\">"), 2u) << "wide enough to be seen";
  EXPECT_EQ(occurrences(part, "<g class=\"span compile"), 0u);
  EXPECT_EQ(occurrences(part, "<g class=\"span merge\">"), 1u);
  EXPECT_EQ(occurrences(page_of(run_in_chunks()), "<section class=\"chart\""), 1u);
}

TEST(TimelinePage, the_table_adds_up_each_lane_and_category) {
  const auto page = page_of(cold_run());
  const auto table = page.substr(page.find("<table>"));
  EXPECT_THAT(table,
              HasSubstr("<th scope=\"row\">" + cpu +
                        "</th><td class=\"none\">–</td><td class=\"none\">–</td>"
                        "<td>200 µs <small>× 1</small></td><td>700 µs <small>× 1</small></td>"
                        "<td>195 µs <small>× 1</small></td><td class=\"none\">–</td>"
                        "<td>1.09 ms <small>1.2 %</small></td></tr>"));
  EXPECT_THAT(table,
              HasSubstr("all lanes</th><td>1.20 µs <small>× 1</small></td>"
                        "<td>90.0 ms <small>× 1</small></td><td>400 µs <small>× 2</small></td>"
                        "<td>1.40 ms <small>× 2</small></td><td>390 µs <small>× 2</small></td>"
                        "<td>200 µs <small>× 1</small></td>"));
}

TEST(TimelinePage, kernels_have_colours_of_their_own_and_a_table) {
  const auto page = page_of(mesh_run());
  EXPECT_EQ(occurrences(page, "<g class=\"span kernel n"), 80u);
  EXPECT_THAT(page, HasSubstr("res_calc</th><td>20</td><td>1.80 ms</td><td>90.0 µs</td>"
                              "<td>52.9 %</td></tr>"));
  EXPECT_LT(page.find("<th scope=\"row\"><i class=\"kernel n"), page.find("save_soln</th>"));
  // One alone has the category's.
  EXPECT_THAT(page_of(cold_run()), Not(HasSubstr("kernel n")));
}

TEST(TimelinePage, a_kernel_keeps_its_colour_beside_others) {
  const auto colour_of = [](const std::vector<TraceEvent>& events, const std::string& name) {
    const auto page = page_of(events);
    const auto end = page.find("\"></i>" + name + "</li>");
    return page.substr(end - 3, 3);
  };
  auto more = mesh_run();
  more.push_back(span(more.back().lane, "halo", "kernel", 9'000'000, 9'100'000));
  for (const auto* name : {"adt_calc", "res_calc", "save_soln", "update"})
    EXPECT_EQ(colour_of(mesh_run(), name), colour_of(more, name)) << name;
}

TEST(TimelinePage, more_kernels_than_colours_share_them) {
  std::vector<TraceEvent> events;
  for (int k = 0; k < 40; ++k)
    events.push_back(span(gpu, "loop" + std::to_string(k), "kernel", k * 1000, k * 1000 + 900));
  const auto page = page_of(events);
  EXPECT_EQ(occurrences(page, "<li>"), 1u) << "the table says which is which";
  EXPECT_EQ(occurrences(page, "<th scope=\"row\"><i class=\"kernel n"), 40u);
}

TEST(TimelinePage, plans_have_a_colour_of_their_own) {
  EXPECT_THAT(page_of(mesh_run()), HasSubstr("<g class=\"span plan"));
}

TEST(TimelinePage, names_cannot_become_markup) {
  const std::string evil = "</title><script>alert(1)</script><img src=x onerror=\"alert(2)\">'";
  const auto page = page_of({span("host", evil, evil, 0, 1'000'000, {{evil, evil}}),
                             span("device 0: " + evil, "k", "kernel", 0, 1'000'000)});
  EXPECT_EQ(occurrences(page, "<script>"), 1u) << "the page's own";
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("onerror=\"")));
  EXPECT_THAT(page, HasSubstr("&lt;/title&gt;&lt;script&gt;alert(1)"));
}

TEST(TimelinePage, a_category_without_a_colour_of_its_own_is_shown_as_other) {
  const auto page = page_of({span(gpu, "halo", "exchange", 0, 1000)});
  EXPECT_THAT(page, HasSubstr("<li><i class=\"other\"></i>exchange</li>"));
  EXPECT_THAT(page, HasSubstr("<g class=\"span other\">"));
}

TEST(TimelinePage, thin_bars_stand_on_top_of_their_neighbours) {
  const auto page = page_of(
      {span(gpu, "write x", "write", 0, 1), span(gpu, "stencil", "kernel", 1, 1'000'000'000)});
  EXPECT_LT(page.find("<g class=\"span kernel\">"), page.find("<g class=\"span write thin\">"));
}

TEST(TimelinePage, a_timeline_without_spans_says_so) {
  const auto page = page_of({});
  EXPECT_THAT(page, HasSubstr("No spans were recorded."));
  EXPECT_THAT(page, Not(HasSubstr("class=\"chart\"")));
}

}  // namespace
}  // namespace kiln::cli
