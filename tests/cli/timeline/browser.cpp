#include "cli/timeline/browser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cli/timeline/samples.hpp"

namespace kiln::testing {

/// The page with a script at its end that measures what the reader sees, and leaves the figures as
/// JSON in an element of its own. `action` is a statement that runs before.
inline std::string with_measures(std::string page, const std::string& action = "") {
  const std::string script = "<pre id=\"measured\"></pre><script>" + action + R"js(;
const all = (selector, of = document) => [...of.querySelectorAll(selector)];
const box = element => element.getBoundingClientRect();
const luminance = colour => {
  const [r, g, b] = colour.match(/[\d.]+/g).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
};
const style = element => getComputedStyle(element);
// How far the boxes of neighbours reach into one another, in pixels.
const overlap = boxes => boxes.reduce((worst, b, i) => i ? Math.max(worst, boxes[i - 1].right - b.left) : worst, -1e9);
const labels = all('.span text').filter(text => text.textContent);
document.getElementById('measured').textContent = JSON.stringify({
  lanes: all('.chart').map(chart => all('.name b', chart).map(b => b.textContent)),
  bars: all('.chart').map(chart => all('.span', chart).length),
  labels: labels.map(text => text.textContent),
  ticks: all('.chart').map(chart => all('.axis text', chart).map(t => t.textContent)),
  table: all('tr').map(row => [...row.cells].map(cell => cell.textContent)),
  legend: all('.legend li').map(li => li.textContent),
  legend_colours: all('.legend i').map(i => style(i).backgroundColor),
  widest_names: Math.max(...all('.names').map(names => box(names).width)),
  view_excess: Math.max(...all('.view').map(view => view.scrollWidth - view.clientWidth)),
  thinnest_bar: Math.min(...all('.span rect').map(rect => box(rect).width)),
  label_excess: Math.max(...labels.map(text => box(text).right - box(text.closest('.span').querySelector('rect')).right), -1e9),
  tick_overlap: Math.max(...all('.chart').map(chart => overlap(all('.axis text', chart).map(box)))),
  name_excess: Math.max(...all('.name').map(name => name.scrollHeight - name.clientHeight)),
  lane_shift: Math.max(...all('.chart').flatMap(chart => all('.name', chart).map((name, i) => Math.abs(box(name).top - box(all('.ground', chart)[i]).top)))),
  text_contrast: contrast(style(document.body).color, style(document.body).backgroundColor),
  tick_contrast: Math.min(...all('.axis text').map(t => contrast(style(t).fill, style(t.closest('section')).backgroundColor))),
  label_contrast: Math.min(...labels.map(t => contrast(style(t).fill, style(t.closest('.span').querySelector('rect')).fill)), 21),
  page_luminance: luminance(style(document.body).backgroundColor),
  drawing_width: Math.max(...all('.view > svg').map(svg => box(svg).width)),
  page_excess: document.documentElement.scrollWidth - innerWidth,
  zoom_buttons: all('.zoom button').filter(b => box(b).width > 0).length,
  requests: performance.getEntriesByType('resource').length,
  foreign: all('img, script, iframe, link, object, b:not(.name b)').length - document.scripts.length,
  alerted: !!window.alerted,
});
</script></body>)js";
  return page.replace(page.rfind("</body>"), 7, script);
}

}  // namespace kiln::testing

namespace kiln::cli {
namespace {

using namespace kiln::testing;
using ::testing::Contains;
using ::testing::Not;
using Json = nlohmann::json;
using Texts = std::vector<std::string>;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string without_script(std::string page) {
  const auto from = page.find("<script>"), to = page.find("</script>", from);
  return page.erase(from, to + std::string_view("</script>").size() - from);
}

class TimelineBrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!browser_.is_installed()) GTEST_SKIP() << "chromium is not installed";
  }

  Json measured(const std::vector<TraceEvent>& events, const std::string& action = "",
                const Texts& options = {"--window-size=1280,900"}) {
    return measured_page(page_of(events), options, action);
  }

  Json measured_page(const std::string& page, const Texts& options,
                     const std::string& action = "") {
    const auto document = browser_.document(with_measures(page, action), options);
    const std::string begin = "<pre id=\"measured\">";
    const auto from = document.find(begin);
    if (from == std::string::npos) return {};
    auto text = document.substr(from + begin.size());
    text = text.substr(0, text.find("</pre>"));
    text = replaced(replaced(replaced(text, "&lt;", "<"), "&gt;", ">"), "&amp;", "&");
    return Json::parse(text, nullptr, false);
  }

  static void expect_readable(const Json& page) {
    ASSERT_TRUE(page.is_object()) << page;
    const auto figure = [&](const char* name) { return page.at(name).get<double>(); };
    EXPECT_GE(figure("thinnest_bar"), 1.9) << "the shortest span is still to be seen";
    EXPECT_LE(figure("label_excess"), 0.5) << "labels stay inside their bars";
    EXPECT_LT(figure("tick_overlap"), -4) << "ticks do not touch";
    EXPECT_LE(figure("name_excess"), 0) << "names stay inside their rows";
    EXPECT_LE(figure("lane_shift"), 0.6) << "names stand beside their rows";
    EXPECT_GE(figure("text_contrast"), 4.5);
    EXPECT_GE(figure("tick_contrast"), 4.5);
    EXPECT_GE(figure("label_contrast"), 4.5);
    EXPECT_LE(figure("page_excess"), 0) << "the page itself never scrolls sideways";
    EXPECT_EQ(figure("requests"), 0) << "nothing is fetched";
  }

  Browser browser_;
};

TEST_F(TimelineBrowser, a_run_shows_its_lanes_bars_legend_and_totals) {
  const auto page = measured(cold_run());
  expect_readable(page);
  const Texts lanes{"host", "device 0", "device 1"};
  EXPECT_EQ(page.at("lanes"), Json::array({lanes, lanes}));
  EXPECT_EQ(page.at("bars"), Json::array({9, 7}));
  EXPECT_EQ(page.at("legend"),
            Json(Texts{"lookup", "compile", "write", "kernel", "read", "merge"}));
  EXPECT_THAT(page.at("labels").get<Texts>(), Contains("VectorAdd").Times(2));
  ASSERT_EQ(page.at("table").size(), 7u);
  EXPECT_EQ(page.at("table")[6], Json(Texts{"VectorAdd", "2", "1.40 ms", "700 µs", "100.0 %"}));
  EXPECT_EQ(page.at("table")[2], Json(Texts{cpu, "–", "–", "200 µs × 1", "700 µs × 1", "195 µs × 1",
                                            "–", "1.09 ms 1.2 %"}));
  EXPECT_EQ(page.at("ticks")[0], Json(Texts{"0", "10 ms", "20 ms", "30 ms", "40 ms", "50 ms",
                                            "60 ms", "70 ms", "80 ms", "90 ms"}));
}

TEST_F(TimelineBrowser, chunks_extremes_and_dark_and_narrow_screens_are_readable) {
  for (const Texts& options : {Texts{"--window-size=1280,900"}, Texts{"--window-size=520,900"},
                               Texts{"--window-size=2400,900", "--force-dark-mode"}}) {
    SCOPED_TRACE(options.back());
    expect_readable(measured(cold_run(), "", options));
    expect_readable(measured(run_in_chunks(), "", options));
    expect_readable(measured(extremes(), "", options));
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
  EXPECT_EQ(page.at("table").back()[0], "save_soln");
}

TEST_F(TimelineBrowser, colours_follow_the_readers_choice_of_light_or_dark) {
  EXPECT_GT(measured(cold_run()).at("page_luminance"), 0.7);
  EXPECT_LT(measured(cold_run(), "", {"--force-dark-mode"}).at("page_luminance"), 0.1);
}

TEST_F(TimelineBrowser, the_buttons_zoom_ticks_and_labels_with_the_bars) {
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
}

TEST_F(TimelineBrowser, the_page_is_readable_where_its_script_does_not_run) {
  for (const Texts& options : {Texts{"--window-size=1280,900"}, Texts{"--window-size=520,900"}})
    for (const auto& events : {cold_run(), run_in_chunks(), extremes()}) {
      const auto page = measured_page(without_script(page_of(events)), options);
      expect_readable(page);
      EXPECT_EQ(page.at("zoom_buttons"), 0) << "no buttons that would do nothing";
      EXPECT_GE(page.at("ticks")[0].size(), 3u);
    }
}

TEST_F(TimelineBrowser, names_run_no_script_and_load_nothing) {
  const std::string evil =
      "</title></svg><script>window.alerted=1</script><img src='http://kiln.invalid/x' "
      "onerror='window.alerted=1'><b>bold</b>";
  const auto page = measured({span("host", evil, evil, 0, 1'000'000, {{evil, evil}}),
                              span("device 0: " + evil, evil, "kernel", 0, 1'000'000)});
  ASSERT_TRUE(page.is_object());
  EXPECT_EQ(page.at("foreign"), 0);
  EXPECT_EQ(page.at("alerted"), false);
  EXPECT_EQ(page.at("requests"), 0);
  EXPECT_EQ(page.at("table")[2][0], "device 0: " + evil) << "shown as it is";
}

TEST_F(TimelineBrowser, a_picture_can_be_taken) {
  const auto png = browser_.picture(page_of(cold_run()), {"--window-size=1280,900"});
  ASSERT_GT(png.size(), 10'000u) << png;
  EXPECT_EQ(png.substr(1, 3), "PNG");
}

}  // namespace
}  // namespace kiln::cli
