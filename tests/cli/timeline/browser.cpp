// The page of `--gantt` as a browser shows it.
#include "cli/page/browser.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "cli/timeline/samples.hpp"

namespace kiln::cli {
namespace {

using namespace kiln::testing;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Not;
using Json = nlohmann::json;
using Texts = std::vector<std::string>;

/// What a reader of the page sees, in figures.
const std::string timeline_figures = R"js((() => {
  // How far the boxes of neighbours reach into one another, in pixels.
  const overlap = boxes => boxes.reduce((worst, b, i) => i ? Math.max(worst, boxes[i - 1].right - b.left) : worst, -1e9);
  const labels = all('.span text'), barOf = text => text.closest('.span').querySelector('rect');
  const greatest = values => values.reduce((a, b) => Math.max(a, b), -1e9);
  return {
    ...page(),
    facts: texts('.facts').join(),
    lanes: all('.chart').map(chart => texts('.name b', chart)),
    bars: all('.chart').map(chart => all('.span', chart).length),
    styles: all('.chart').map(chart => all('.span', chart).map(span => span.getAttribute('class'))),
    tooltips: texts('.span title'),
    labels: texts('.span text'),
    ticks: all('.chart').map(chart => texts('.axis text', chart)),
    legend: texts('.legend li'),
    legend_styles: all('.legend i').map(i => i.className),
    legend_colours: all('.legend i').map(i => style(i).backgroundColor),
    widest_names: greatest(all('.names').map(names => box(names).width)),
    view_excess: greatest(all('.view').map(view => view.scrollWidth - view.clientWidth)),
    thinnest_bar: -greatest(all('.span rect').map(rect => -box(rect).width)),
    label_excess: greatest(labels.map(text => box(text).right - box(barOf(text)).right)),
    tick_overlap: greatest(all('.chart').map(chart => overlap(all('.axis text', chart).map(box)))),
    name_excess: greatest(all('.name').map(name => name.scrollHeight - name.clientHeight)),
    lane_shift: greatest(all('.chart').flatMap(chart => all('.name', chart).map((name, i) => Math.abs(box(name).top - box(all('.ground', chart)[i]).top)))),
    tick_contrast: Math.min(...all('.axis text').map(t => contrast(style(t).fill, card(t)))),
    label_contrast: Math.min(...labels.map(t => contrast(style(t).fill, style(barOf(t)).fill)), 21),
    drawing_width: greatest(all('.view > svg').map(svg => box(svg).width)),
    arrows: all('.arrow').length,
    zoom_buttons: all('.zoom button').filter(b => box(b).width > 0).length,
  };
})())js";

class TimelineBrowser : public BrowserTest {
 protected:
  Json measured(const std::vector<TraceEvent>& events, const std::string& action = "",
                const Texts& options = {"--window-size=1280,900"}) {
    return browser_.measured(page_of(events), timeline_figures, options, action);
  }

  static void expect_readable(const Json& page) {
    ASSERT_TRUE(page.is_object()) << page;
    const auto figure = [&](const char* name) { return page.at(name).get<double>(); };
    EXPECT_GE(figure("thinnest_bar"), 1.9) << "the shortest span is still to be seen";
    EXPECT_LE(figure("label_excess"), 0.5) << "labels stay inside their bars";
    EXPECT_LT(figure("tick_overlap"), -4) << "ticks do not touch";
    EXPECT_LE(figure("name_excess"), 0) << "names stay inside their rows";
    EXPECT_LE(figure("lane_shift"), 0.6) << "names stand at the height of their rows";
    EXPECT_GE(figure("text_contrast"), 4.5);
    EXPECT_GE(figure("tick_contrast"), 4.5);
    EXPECT_GE(figure("label_contrast"), 4.5);
    EXPECT_LE(figure("page_excess"), 0) << "the page itself never scrolls sideways";
    EXPECT_EQ(figure("requests"), 0) << "nothing is fetched";
  }
};

TEST_F(TimelineBrowser, a_run_shows_its_lanes_bars_legend_and_totals) {
  const auto page = measured(cold_run());
  expect_readable(page);
  EXPECT_EQ(page.at("headings"), Json(Texts{"Whole run", "Devices at work", "Totals", "Kernels"}));
  EXPECT_EQ(page.at("facts"), "9 spans on 3 lanes in 91.5 ms");
  const Texts lanes{"host", "device 0", "device 1"};
  EXPECT_EQ(page.at("lanes"), Json::array({lanes, lanes}));
  EXPECT_EQ(page.at("bars"), Json::array({9, 7}));
  EXPECT_EQ(page.at("legend"),
            Json(Texts{"lookup", "compile", "write", "kernel", "read", "merge"}));
  EXPECT_EQ(page.at("legend_styles"), page.at("legend"));
  EXPECT_THAT(page.at("labels").get<Texts>(), Contains("VectorAdd").Times(2));
  EXPECT_THAT(page.at("labels").get<Texts>(), Contains("compile: VectorAdd").Times(1));
  ASSERT_EQ(page.at("table").size(), 7u);
  EXPECT_EQ(page.at("table")[2], Json(Texts{cpu, "–", "–", "200 µs × 1", "700 µs × 1", "195 µs × 1",
                                            "–", "1.09 ms 1.2 %"}));
  EXPECT_EQ(page.at("table")[4], Json(Texts{"all lanes", "1.20 µs × 1", "90.0 ms × 1", "400 µs × 2",
                                            "1.40 ms × 2", "390 µs × 2", "200 µs × 1", ""}));
  EXPECT_EQ(page.at("table")[6], Json(Texts{"VectorAdd", "2", "1.40 ms", "700 µs", "100.0 %"}));
  EXPECT_EQ(page.at("ticks")[0], Json(Texts{"0", "10 ms", "20 ms", "30 ms", "40 ms", "50 ms",
                                            "60 ms", "70 ms", "80 ms", "90 ms"}));
  // The chart of a part has what the whole one is too coarse for, and no more than that.
  const auto part = page.at("styles")[1].get<Texts>();
  EXPECT_THAT(part, Contains("span kernel").Times(2)) << "wide enough to be seen";
  EXPECT_THAT(part, Contains("span merge").Times(1));
  EXPECT_THAT(part, Not(Contains("span compile")));
}

TEST_F(TimelineBrowser, every_span_has_a_bar_with_a_tooltip) {
  const auto page = measured(run_in_chunks(10));
  EXPECT_EQ(page.at("bars"), Json::array({21})) << "no chart of the devices' part";
  EXPECT_THAT(page.at("tooltips").get<Texts>(),
              Contains("matmul_tiled_with_a_long_name\nkernel, 20.0 µs\n"
                       "from 2.00 µs to 22.0 µs\nchunk: 0"));
}

TEST_F(TimelineBrowser, busy_time_counts_overlaps_once_and_gaps_not_at_all) {
  const auto page =
      measured({span("host", "a", "compile", 0, 10), span("host", "b", "compile", 5, 12),
                span("host", "c", "compile", 6, 7), span("host", "d", "merge", 20, 21)});
  EXPECT_EQ(page.at("table")[1], Json(Texts{"host", "18 ns × 3", "1 ns × 1", "13 ns 61.9 %"}));
}

TEST_F(TimelineBrowser, what_a_span_waited_for_points_to_it) {
  const auto page = measured(graph_run());
  expect_readable(page);
  EXPECT_EQ(page.at("arrows"), 2);
}

TEST_F(TimelineBrowser, a_timeline_without_spans_says_so) {
  const auto page = measured({});
  EXPECT_EQ(page.at("facts"), "No spans were recorded.");
  EXPECT_EQ(page.at("headings"), Json::array());
}

TEST_F(TimelineBrowser, chunks_extremes_and_dark_and_narrow_screens_are_readable) {
  const Texts usual{"--window-size=1280,900"}, narrow{"--window-size=520,900"},
      dark{"--window-size=2400,900", "--force-dark-mode"};
  // The hardest page on the narrowest screen; all on all of them with KILN_LONG=1.
  std::vector<std::pair<std::vector<TraceEvent>, Texts>> all{
      {run_in_chunks(), usual}, {extremes(), narrow}, {cold_run(), dark}};
  if (std::getenv("KILN_LONG") != nullptr) {
    all.clear();
    for (const Texts& options : {usual, narrow, dark})
      for (const auto& events : {cold_run(), run_in_chunks(), extremes()})
        all.emplace_back(events, options);
  }
  for (const auto& [events, options] : all) {
    SCOPED_TRACE(options.back());
    expect_readable(measured(events, "", options));
  }
}

TEST_F(TimelineBrowser, the_whole_run_fits_the_window_whatever_the_device_is_called) {
  for (const std::string width : {"800", "1200", "1600"}) {
    SCOPED_TRACE(width);
    const auto page = measured(mesh_run(), "", {"--window-size=" + width + ",900"});
    expect_readable(page);
    EXPECT_LE(page.at("widest_names").get<double>(), 190.5) << "names wrap";
    EXPECT_LE(page.at("view_excess").get<double>(), 0.5) << "nothing to scroll to";
  }
}

TEST_F(TimelineBrowser, kernels_are_told_apart_by_colour) {
  const auto page = measured(mesh_run());
  EXPECT_EQ(page.at("legend"),
            Json(Texts{"lookup", "plan", "res_calc", "adt_calc", "update", "save_soln"}));
  const auto colours = page.at("legend_colours").get<Texts>();
  EXPECT_EQ(std::set<std::string>(colours.begin(), colours.end()).size(), colours.size());
  EXPECT_EQ(page.at("table")[5], Json(Texts{"res_calc", "20", "1.80 ms", "90.0 µs", "52.9 %"}));
  EXPECT_EQ(page.at("table").back()[0], "save_soln");
  EXPECT_THAT(page.at("styles")[0].get<Texts>(),
              Contains(::testing::StartsWith("span kernel n")).Times(80));
  EXPECT_THAT(page.at("styles")[0].get<Texts>(), Contains("span plan"));
  // A name keeps its colour where there are more.
  auto more = mesh_run();
  more.push_back(span(more.back().lane, "halo", "kernel", 9'000'000, 9'100'000));
  const auto others = measured(more);
  for (std::size_t i = 0; i < page.at("legend").size(); ++i) {
    const auto legend = others.at("legend").get<Texts>();
    const auto at = std::find(legend.begin(), legend.end(), page["legend"][i].get<std::string>()) -
                    legend.begin();
    EXPECT_EQ(others["legend_styles"][static_cast<std::size_t>(at)], page["legend_styles"][i]);
  }
}

TEST_F(TimelineBrowser, more_kernels_than_colours_share_them) {
  std::vector<TraceEvent> events{span("host", "halo", "swap", 0, 1000)};
  for (int k = 0; k < 40; ++k)
    events.push_back(span(gpu, "loop" + std::to_string(k), "kernel", k * 1000, k * 1000 + 900));
  const auto page = measured(events);
  EXPECT_EQ(page.at("legend"), Json(Texts{"kernel", "swap"})) << "the table says which is which";
  EXPECT_EQ(page.at("legend_styles"), Json(Texts{"kernel", "other"}));
  EXPECT_EQ(page.at("table").size(), 4u + 1 + 40);
  EXPECT_THAT(page.at("styles")[0].get<Texts>(), Contains("span other").Times(1));
}

TEST_F(TimelineBrowser, thin_bars_stand_on_top_of_their_neighbours) {
  const auto page = measured(
      {span(gpu, "write x", "write", 0, 1), span(gpu, "stencil", "kernel", 1, 1'000'000'000)});
  EXPECT_EQ(page.at("styles")[0], Json(Texts{"span kernel", "span write thin"}));
}

TEST_F(TimelineBrowser, a_hundred_thousand_spans_are_counted_and_as_many_drawn_as_can_be_seen) {
  const auto events = run_in_chunks(50'000);
  std::int64_t kernels = 0;
  for (const auto& event : events)
    if (event.category == "kernel") kernels += event.end_ns - event.start_ns;
  const auto page = measured(events);
  EXPECT_EQ(page.at("facts").get<std::string>().substr(0, 22), "100001 spans on 3 lane");
  const auto bars = page.at("bars")[0].get<int>();
  EXPECT_GT(bars, 1000);
  EXPECT_LT(bars, 3 * 1280) << "one a pixel and lane";
  std::int64_t told = 0;  // the drawn ones and what their tooltips count
  for (const std::string tooltip : page.at("tooltips")) {
    const auto hidden = tooltip.rfind("\nand ");
    told += 1 + (hidden == tooltip.npos ? 0 : std::stoll(tooltip.substr(hidden + 5)));
  }
  EXPECT_EQ(told, 100'001);
  EXPECT_EQ(page.at("table")[6][1], "100000");
  EXPECT_EQ(page.at("table")[6][2], fmt::format("{:.2f} s", static_cast<double>(kernels) / 1e9));
}

TEST_F(TimelineBrowser, a_crowd_of_spans_has_their_colours_in_the_shares_of_their_times) {
  std::vector<TraceEvent> events;
  for (int i = 0; i < 30'000; ++i) {
    const bool is_long = i % 3 == 0;  // 700 ns of 1000
    const std::int64_t from = i / 3 * 1000 + (is_long ? 0 : 550 + 150 * (i % 3));
    events.push_back(
        span(gpu, is_long ? "long" : "short", "kernel", from, from + (is_long ? 700 : 150)));
  }
  const auto page = measured(events);
  double all = 0, long_ones = 0;
  for (const std::string tooltip : page.at("tooltips")) {
    ++all;
    long_ones += tooltip.starts_with("long") ? 1 : 0;
  }
  EXPECT_NEAR(long_ones / all, 0.7, 0.1);
}

TEST_F(TimelineBrowser, colours_follow_the_readers_choice_of_light_or_dark) {
  EXPECT_GT(measured(cold_run()).at("page_luminance"), 0.7);
  EXPECT_LT(measured(cold_run(), "", {"--force-dark-mode"}).at("page_luminance"), 0.1);
}

TEST_F(TimelineBrowser, buttons_and_wheel_zoom_ticks_and_labels_with_the_bars) {
  const auto events = run_in_chunks();
  const auto whole = measured(events);
  const auto zoomed = measured(events,
                               "const [less, more] = document.querySelectorAll('.zoom button');"
                               "for (let i = 0; i < 5; ++i) more.click(); less.click()");
  expect_readable(zoomed);
  EXPECT_EQ(whole.at("zoom_buttons"), 3);
  EXPECT_NEAR(zoomed.at("drawing_width").get<double>(),
              16 * whole.at("drawing_width").get<double>(), 2);
  EXPECT_THAT(whole.at("labels").get<Texts>(), Not(Contains("matmul_tiled_with_a_long_name")));
  EXPECT_THAT(zoomed.at("labels").get<Texts>(), Contains("matmul_tiled_with_a_long_name"));
  EXPECT_NE(zoomed.at("ticks"), whole.at("ticks"));
  const auto again = measured(events,
                              "const [less, more, fit] = document.querySelectorAll('.zoom button');"
                              "more.click(); more.click(); fit.click()");
  EXPECT_EQ(again.at("ticks"), whole.at("ticks"));
  EXPECT_EQ(again.at("labels"), whole.at("labels"));
  EXPECT_EQ(again.at("bars"), whole.at("bars"));
  // With the wheel to the end: what is there is drawn, what is far from it is not.
  const auto end =
      measured(events,
               "const view = document.querySelector('.view');"
               "for (let i = 0; i < 5; ++i) view.dispatchEvent(new WheelEvent('wheel', "
               "{ctrlKey: true, deltaY: -300, cancelable: true, "
               "clientX: view.getBoundingClientRect().right}))");
  const auto tooltips = end.at("tooltips").get<Texts>();
  EXPECT_THAT(tooltips, Contains(::testing::EndsWith("chunk: 59")).Times(2));
  EXPECT_THAT(tooltips, Not(Contains(::testing::EndsWith("chunk: 1"))));
}

TEST_F(TimelineBrowser, names_run_no_script_and_load_nothing) {
  const std::string evil =
      "</title></svg></script><script>window.alerted=1</script><img "
      "src='http://kiln.invalid/x' onerror='window.alerted=1'><b>bold</b>";
  const auto text = page_of({span("host", evil, evil, 0, 1'000'000, {{evil, evil}}),
                             span("device 0: " + evil, evil, "kernel", 0, 1'000'000)});
  const auto page = browser_.measured(text, timeline_figures);
  ASSERT_TRUE(page.is_object());
  EXPECT_EQ(page.at("foreign"), 0);
  EXPECT_EQ(page.at("alerted"), false);
  EXPECT_EQ(page.at("requests"), 0);
  EXPECT_EQ(page.at("table")[2][0], "device 0: " + evil) << "shown as it is";
  EXPECT_THAT(page.at("tooltips").get<Texts>(),
              Contains(evil + "\n" + evil + ", 1.00 ms\nfrom 0 to 1.00 ms\n" + evil + ": " + evil));
}

TEST_F(TimelineBrowser, the_narrowest_chart_still_shows_a_scale) {
  // Windows have a least width, so that the page is made narrow; the button has it drawn again.
  const auto page = measured({span("host", "a", "compile", 0, 472'000'000)},
                             "document.body.style.width = '400px';"
                             "document.querySelector('.zoom button').click();");
  EXPECT_EQ(page.at("ticks"), Json::array({Json(Texts{"0", "200 ms", "400 ms"})}));
}

TEST_F(TimelineBrowser, the_policy_lets_the_page_draw_itself) {
  const auto document = browser_.document(page_of(cold_run()), {"--window-size=1280,900"});
  EXPECT_EQ(occurrences(document, "<g class=\"span "), 16u);
  EXPECT_GT(occurrences(document, "style=\"width: max("), 0u) << "the script may set styles";
}

TEST_F(TimelineBrowser, readers_without_scripts_are_told) {
  const auto text = browser_.text_without_scripts(page_of(cold_run()));
  EXPECT_THAT(text, ::testing::HasSubstr("Spans: 9. Lanes: 3. Time in all: 91.500 ms."));
  EXPECT_THAT(text, ::testing::HasSubstr("does not run here"));
  EXPECT_THAT(text, Not(::testing::HasSubstr("Totals"))) << "no heading over nothing";
}

TEST_F(TimelineBrowser, a_picture_can_be_taken) {
  const auto png = browser_.picture(page_of(cold_run()), {"--window-size=1280,900"});
  ASSERT_GT(png.size(), 10'000u) << png;
  EXPECT_EQ(png.substr(1, 3), "PNG");
}

}  // namespace
}  // namespace kiln::cli
