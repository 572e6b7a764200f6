// The page of a search: as text, and as a browser shows it.
#include "cli/tune/report.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_process.hpp"
#include "cli/timeline/browser.hpp"
#include "cli/tune/journal_samples.hpp"

namespace kiln::cli {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

std::string page_of(const std::string& journal) {
  return report_page(value_or_throw(tune::read_run(as_bytes(journal), "j")));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(TuningReport, has_a_section_for_each_question) {
  const auto page = page_of(searched());
  for (const auto* heading : {"Best so far, by evaluation", "Best so far, by time",
                              "Parameter importance", "Parameters", "Failures", "Top 10"})
    EXPECT_THAT(page, HasSubstr("<h2>" + std::string(heading) + "</h2>"));
  EXPECT_EQ(count(page, "<figure>"), 4u) << "a drawing for each parameter with several values";
  EXPECT_THAT(page, HasSubstr("<figcaption>TS</figcaption>"));
  EXPECT_THAT(page, Not(HasSubstr("<figcaption>FIX</figcaption>"))) << "it has one value";
  EXPECT_THAT(page, HasSubstr("Functional ANOVA"));
  EXPECT_THAT(page, HasSubstr("wrong result</th>"));
  EXPECT_THAT(page, HasSubstr("needs more local memory"));
}

TEST(TuningReport, the_fastest_stands_first_with_its_parameters) {
  const auto page = page_of(searched());
  const auto top = page.substr(page.find("<h2>Top 10</h2>"));
  EXPECT_EQ(count(top, "<tr><td>"), 10u);
  EXPECT_THAT(top, HasSubstr("<tr><td>1</td><td>1.00 ms</td><td>1.000 ×</td>"));
  EXPECT_THAT(top.substr(0, top.find("<tr><td>2</td>")),
              HasSubstr("<td>16</td><td>4</td><td>True</td><td>1</td><td>9</td>"));
}

TEST(TuningReport, refers_to_nothing_outside_itself_and_runs_nothing) {
  const auto page = page_of(searched());
  for (const auto* part :
       {"http:", "https:", "src=", "href", "url(", "@import", "<link", "<script"})
    EXPECT_THAT(page, Not(HasSubstr(part)));
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none';"));
}

TEST(TuningReport, what_others_wrote_stays_text) {
  const std::string evil = "</svg><script>alert(1)</script>\"'&";
  const auto page = page_of(journal_of(
      evil, {"{\"id\":0,\"configuration\":{" + Json(evil).dump() + ":" + Json(evil).dump() +
                 "},\"seconds\":1}",
             "{\"id\":1,\"configuration\":{" + Json(evil).dump() +
                 ":\"b\"},\"failure\":\"build\",\"message\":" + Json(evil).dump() + "}"}));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_EQ(count(page, "</svg>"), count(page, "<svg "));
  EXPECT_GE(count(page, "&lt;script&gt;alert(1)"), 5u);
}

TEST(TuningReport, tells_what_there_is_of_a_search_that_has_hardly_begun) {
  const auto page = page_of(journal_of("k", {R"({"id":0,"configuration":{"X":1},"seconds":0.5})"}));
  EXPECT_THAT(page, HasSubstr("Best so far, by evaluation"));
  EXPECT_THAT(page, Not(HasSubstr("by time"))) << "the journal does not say when";
  EXPECT_THAT(page, HasSubstr("too few to tell"));
  EXPECT_THAT(page, HasSubstr("<h2>Top 1</h2>"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST(TuningReport, a_search_without_a_time_shows_its_failures) {
  const auto page = page_of(
      journal_of("k", {R"({"id":0,"configuration":{"X":1},"failure":"crash","message":"oh"})"}));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">crash</th>"));
  EXPECT_THAT(page, Not(HasSubstr("Top ")));
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
}

class TuningReportBrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!browser_.is_installed()) GTEST_SKIP() << "chromium is not installed";
  }

  /// What a reader sees. The policy of the page refuses scripts: this measures a page without it.
  Json measured(std::string page, const std::vector<std::string>& options) {
    const std::string policy = "<meta http-equiv=\"Content-Security-Policy\"";
    const auto at = page.find(policy);
    page.erase(at, page.find('>', at) + 1 - at);
    page.insert(page.rfind("</body>"), R"js(<pre id="measured"></pre><script>
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
const card = element => getComputedStyle(element.closest('section')).backgroundColor;
// How far texts that stand beside one another in a drawing reach into one another, in pixels.
const overlap = svg => Math.max(...all('.axis', svg).map(axis => {
  const boxes = all('text', axis).map(box);
  return Math.max(-1e9, ...boxes.slice(1).map((b, i) => Math.min(
      boxes[i].right - b.left, Math.min(boxes[i].bottom, b.bottom) - Math.max(boxes[i].top, b.top))));
}));
const outside = svg => Math.max(...all('text, circle', svg).map(t => Math.max(
    box(svg).left - box(t).left, box(t).right - box(svg).right, box(t).bottom - box(svg).bottom)));
document.getElementById('measured').textContent = JSON.stringify({
  drawings: all('svg').length,
  overlap: Math.max(...all('svg').map(overlap)),
  outside: Math.max(...all('svg').map(outside)),
  contrast: Math.min(...all('.axis text').map(t => contrast(getComputedStyle(t).fill, card(t)))),
  bars: all('td.bar i').map(bar => Math.round(box(bar).width / box(bar.parentElement).width * 100)),
  page_luminance: luminance(getComputedStyle(document.body).backgroundColor),
  page_excess: document.documentElement.scrollWidth - innerWidth,
  requests: performance.getEntriesByType('resource').length,
});
</script>)js");
    const auto document = browser_.document(page, options);
    const std::string begin = "<pre id=\"measured\">";
    const auto from = document.find(begin) + begin.size();
    return Json::parse(document.substr(from, document.find("</pre>", from) - from), nullptr, false);
  }

  Browser browser_;
};

TEST_F(TuningReportBrowser, is_readable_on_wide_narrow_and_dark_screens) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--window-size=1280,900"},
        std::vector<std::string>{"--window-size=520,900"},
        std::vector<std::string>{"--window-size=1280,900", "--force-dark-mode"}}) {
    SCOPED_TRACE(options.back());
    const auto seen = measured(page_of(searched()), options);
    ASSERT_TRUE(seen.is_object());
    EXPECT_EQ(seen["drawings"], 6);
    EXPECT_LE(seen["overlap"], 0) << "labels do not touch";
    EXPECT_LE(seen["outside"], 0.5) << "nothing is cut off";
    EXPECT_GE(seen["contrast"], 4.5);
    EXPECT_LE(seen["page_excess"], 0) << "the page never scrolls sideways";
    EXPECT_EQ(seen["requests"], 0);
    for (const auto& bar : seen["bars"]) EXPECT_LE(bar, 100);
    const bool dark = options.back() == "--force-dark-mode";
    EXPECT_EQ(seen["page_luminance"].get<double>() < 0.1, dark);
  }
}

class TunedReport : public CommandTest {};

TEST_F(TunedReport, draws_a_journal) {
  write("gemm.jsonl", searched());
  const auto done = kiln({"tuned", "report", "gemm.jsonl", "-o", "gemm.html"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output + done.errors, "");
  EXPECT_EQ(read_text(folder() / "gemm.html").value(), page_of(searched()));
}

TEST_F(TunedReport, mistakes_are_one_line) {
  write("gemm.jsonl", searched());
  write("bad.jsonl", "{}\n");
  expect_refusal(kiln({"tuned", "report", "gemm.jsonl"}), 2, "missing --output");
  expect_refusal(kiln({"tuned", "report", "none.jsonl", "-o", "x.html"}), 2, "none.jsonl");
  expect_refusal(kiln({"tuned", "report", "bad.jsonl", "-o", "x.html"}), 2, "bad.jsonl: line 1");
  EXPECT_FALSE(std::filesystem::exists(folder() / "x.html"));
}

}  // namespace
}  // namespace kiln::cli
