// The page of a search: as text, and as a browser shows it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_process.hpp"
#include "cli/page/browser.hpp"
#include "cli/timeline/samples.hpp"
#include "cli/tune/journal_samples.hpp"
#include "cli/tune/search.hpp"

namespace kiln::cli {
namespace {

using namespace kiln::testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
using Texts = std::vector<std::string>;

std::string report_of(const std::string& journal) {
  return report_page(value_or_throw(tune::read_run(as_bytes(journal), "j")));
}

TEST(TuningReport, has_every_evaluation_with_its_parameters) {
  const auto data = data_of_page(report_of(searched()));
  EXPECT_EQ(data["identity"], "blas.gemm 12 sgemm m 1024");
  EXPECT_EQ(data["device"], "a device");
  EXPECT_EQ(data["parameters"][0],
            Json::parse(R"({"name":"TS","values":["4","8","16","32","64"]})"));
  ASSERT_EQ(data["evaluations"].size(), 100u);
  // Number 37 of the samples: TS 16, WPT 4, padded, VEC 1.
  EXPECT_EQ(data["evaluations"][1], Json::parse("[0.001,1.6,2,2,1,0,0]"));
  EXPECT_EQ(data["top"].size(), 10u);
  EXPECT_EQ(data["top"][0], 1);
  EXPECT_EQ(data["best"]["text"], "TS=16 WPT=4 PAD=True VEC=1 FIX=9");
  EXPECT_EQ(data["best"]["seconds"], 0.001);
  EXPECT_EQ(data["failures"][0][0], "resources");
  EXPECT_EQ(data["failures"][1][0], "wrong_result");
  EXPECT_EQ(data["ending"], nullptr);
}

TEST(TuningReport, says_the_fastest_where_no_script_runs) {
  EXPECT_THAT(report_of(searched()),
              HasSubstr("<noscript><p>Fastest so far of 100 evaluations: 1.000 ms, with "
                        "TS=16 WPT=4 PAD=True VEC=1 FIX=9.</p>"));
  EXPECT_THAT(report_of(journal_of("k", {R"({"id":0,"configuration":{"X":1},"failure":"crash"})"})),
              HasSubstr("<p>None of 1 evaluations has a time.</p>"));
}

TEST(TuningReport, what_others_wrote_stays_text) {
  const std::string evil = "</script></svg><script>alert(1)</script><!--\"'&";
  const auto page = report_of(journal_of(
      evil, {"{\"id\":0,\"configuration\":{" + Json(evil).dump() + ":" + Json(evil).dump() +
                 "},\"seconds\":1}",
             "{\"id\":1,\"configuration\":{" + Json(evil).dump() +
                 ":\"b\"},\"failure\":\"build\",\"message\":" + Json(evil).dump() + "}"}));
  EXPECT_EQ(occurrences(page, "<script"), 3u) << "the data and the page's own";
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_EQ(data_of_page(page)["failures"][0][2], evil);
}

/// What a reader of the page sees, in figures.
const std::string report_figures = R"js((() => {
  // How far texts that stand side by side in a drawing reach into one another, in pixels.
  const overlap = svg => Math.max(...all('.axis', svg).map(axis => {
    const boxes = all('text', axis).map(box);
    return Math.max(-1e9, ...boxes.slice(1).map((b, i) => Math.min(
        boxes[i].right - b.left, Math.min(boxes[i].bottom, b.bottom) - Math.max(boxes[i].top, b.top))));
  }));
  const outside = svg => Math.max(...all('text, circle', svg).map(t => Math.max(
      box(svg).left - box(t).left, box(t).right - box(svg).right, box(t).bottom - box(svg).bottom)));
  const points = selector => all(selector).map(path => path.getAttribute('d').split('M').length - 1);
  return {
    ...page(),
    facts: texts('section:not([hidden]) .facts'),
    subject: document.getElementById('subject').innerText,
    figures: texts('.figures div'),
    drawings: all('svg').map(svg => svg.getAttribute('aria-label')),
    captions: texts('figcaption'),
    ticks: texts('#by-evaluation .axis text'),
    rings: texts('.best title'),
    dots: points('.dot'), fails: points('.fail'), medians: points('.median'),
    overlap: Math.max(...all('svg').map(overlap)),
    outside: Math.max(...all('svg').map(outside)),
    contrast: Math.min(...all('.axis text').map(t => contrast(style(t).fill, card(t)))),
    bars: all('.bar i').map(bar => Math.round(box(bar).width / box(bar.parentElement).width * 100)),
  };
})())js";

class TuningReportBrowser : public BrowserTest {
 protected:
  Json measured(const std::string& journal, const Texts& options = {}) {
    return browser_.measured(report_of(journal), report_figures, options);
  }
};

TEST_F(TuningReportBrowser, has_a_section_for_each_question) {
  const auto page = measured(searched());
  ASSERT_TRUE(page.is_object());
  EXPECT_EQ(page["headings"],
            Json(Texts{"Best so far, by evaluation", "Best so far, by time", "Parameter importance",
                       "Parameters", "Failures", "Top 10"}));
  EXPECT_EQ(page["subject"], "blas.gemm 12 sgemm m 1024\na device\nstrategy forest, seed 1");
  EXPECT_EQ(page["figures"],
            Json(Texts{"fastest so far1.00 ms", "withTS=16 WPT=4 PAD=True VEC=1 FIX=9",
                       "evaluations100", "failed5", "searched for80.0 s"}));
  const auto captions = page["captions"].get<Texts>();
  EXPECT_EQ(captions.size(), 4u) << "a drawing for each parameter with several values";
  EXPECT_THAT(captions, Contains("TS"));
  EXPECT_THAT(captions, Not(Contains("FIX"))) << "it has one value";
  EXPECT_EQ(page["drawings"].size(), 6u);
  EXPECT_THAT(page["drawings"].get<Texts>(), Contains("times by TS"));
  EXPECT_THAT(page["facts"][0].get<std::string>(), HasSubstr("Functional ANOVA"));
  EXPECT_THAT(page["facts"][0].get<std::string>(), HasSubstr(" 95 measurements)"));
  EXPECT_THAT(
      page["table"].get<std::vector<Texts>>(),
      Contains(Texts{"wrong result", "", "1 1.0 %", "number 3 of the result is 1, expected 2"}));
  // Each evaluation is a point of each drawing.
  EXPECT_EQ(page["dots"], Json::array({95, 95, 95, 95, 95, 95}));
  EXPECT_EQ(page["fails"], Json::array({5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(page["ticks"], Json(Texts{"1.00 ms", "2.00 ms", "3.00 ms", "4.00 ms", "0", "20", "40",
                                      "60", "80", "100", "failed"}));
  const auto rings = page["rings"].get<Texts>();
  EXPECT_EQ(rings[1], "evaluation 2: 1.00 ms\nTS=16 WPT=4 PAD=True VEC=1 FIX=9");
  EXPECT_THAT(rings, Contains("the fastest: 16"));
}

TEST_F(TuningReportBrowser, the_fastest_stands_first_with_its_parameters) {
  const auto rows = measured(searched())["table"].get<std::vector<Texts>>();
  ASSERT_GT(rows.size(), 11u);
  EXPECT_EQ(rows[rows.size() - 11], (Texts{"#", "time in the search", "relative", "evaluation",
                                           "TS", "WPT", "PAD", "VEC", "FIX"}));
  EXPECT_EQ(rows[rows.size() - 10],
            (Texts{"1", "1.00 ms", "1.000 ×", "2", "16", "4", "True", "1", "9"}));
}

TEST_F(TuningReportBrowser, a_search_that_has_ended_shows_the_winner_and_its_play_off) {
  const auto page = measured(
      searched() +
      R"({"winner":37,"configuration":{"TS":16,"WPT":4,"PAD":true,"VEC":1,"FIX":9},"seconds":0.0012,)"
      R"("built_in_seconds":0.0025,"decided_by":"play-off","rounds":8,"finalists":[)"
      R"({"id":37,"relative":1,"rounds":8},{"id":87,"relative":1.0125,"rounds":5}]})"
      "\n");
  ASSERT_TRUE(page.is_object());
  EXPECT_EQ(page["figures"],
            Json(Texts{"winner1.20 ms", "withTS=16 WPT=4 PAD=True VEC=1 FIX=9", "built-in2.50 ms",
                       "evaluations100", "failed5", "searched for80.0 s"}));
  EXPECT_THAT(page["headings"].get<Texts>(), Contains("Winner"));
  EXPECT_THAT(page["facts"].get<Texts>(),
              Contains("On record: TS=16 WPT=4 PAD=True VEC=1 FIX=9, 1.20 ms. Play-off of 2 "
                       "finalists, 8 rounds."));
  const auto rows = page["table"].get<std::vector<Texts>>();
  EXPECT_THAT(rows, Contains(Texts{"1", "1.000 ×", "8", "TS=16 WPT=4 PAD=True VEC=1 FIX=9"}));
  EXPECT_THAT(rows, Contains(Texts{"2", "1.012 ×", "5", "TS=16 WPT=4 PAD=True VEC=2 FIX=9"}));
  EXPECT_THAT(page["rings"].get<Texts>(), Contains("the winner: 16"));
}

TEST_F(TuningReportBrowser, tells_what_there_is_of_a_search_that_has_hardly_begun) {
  const auto page =
      measured(journal_of("k", {R"({"id":0,"configuration":{"X":1},"seconds":0.5})"}));
  EXPECT_EQ(page["headings"],
            Json(Texts{"Best so far, by evaluation", "Parameter importance", "Failures", "Top 1"}))
      << "the journal does not say when";
  EXPECT_THAT(page["facts"][0].get<std::string>(), HasSubstr("too few to tell"));
  EXPECT_EQ(page["facts"][1], "None.");
  EXPECT_THAT(page["ticks"].get<Texts>(), Contains("1"));
  EXPECT_THAT(page["ticks"].get<Texts>(), Not(Contains("0.2"))) << "evaluations are counted";
  EXPECT_EQ(page.dump().find("NaN"), std::string::npos);
}

TEST_F(TuningReportBrowser, a_search_without_a_time_shows_its_failures) {
  const auto page = measured(
      journal_of("k", {R"({"id":0,"configuration":{"X":1},"failure":"crash","message":"oh"})"}));
  EXPECT_EQ(page["headings"], Json(Texts{"Failures"}));
  EXPECT_EQ(page["table"][1], Json(Texts{"crash", "", "1 100.0 %", "oh"}));
  EXPECT_EQ(page["drawings"], Json::array());
}

TEST_F(TuningReportBrowser, names_run_no_script_and_load_nothing) {
  const std::string evil = "</script></svg><img src=x onerror='window.alerted=1'>";
  const auto page = measured(journal_of(
      evil, {"{\"id\":0,\"configuration\":{" + Json(evil).dump() + ":" + Json(evil).dump() +
                 "},\"seconds\":1}",
             "{\"id\":1,\"configuration\":{" + Json(evil).dump() +
                 ":\"b\"},\"failure\":\"build\",\"message\":" + Json(evil).dump() + "}"}));
  ASSERT_TRUE(page.is_object());
  EXPECT_EQ(page["foreign"], 0);
  EXPECT_EQ(page["alerted"], false);
  EXPECT_EQ(page["captions"], Json(Texts{evil}));
  EXPECT_EQ(page["rings"][0], "evaluation 1: 1.00 s\n" + evil + "=\"" + evil + "\"");
}

TEST_F(TuningReportBrowser, is_readable_on_wide_narrow_and_dark_screens) {
  for (const Texts& options : {Texts{"--window-size=1280,900"}, Texts{"--window-size=520,900"},
                               Texts{"--window-size=1280,900", "--force-dark-mode"}}) {
    SCOPED_TRACE(options.back());
    const auto seen = measured(searched(), options);
    ASSERT_TRUE(seen.is_object());
    EXPECT_EQ(seen["drawings"].size(), 6u);
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

TEST_F(TuningReportBrowser, the_policy_lets_the_page_draw_itself) {
  const auto document = browser_.document(report_of(searched()));
  EXPECT_EQ(occurrences(document, "<svg "), 6u);
  EXPECT_THAT(document, HasSubstr("<i class=\"alone\" style=\"width: "));
}

TEST_F(TuningReportBrowser, readers_without_scripts_are_told) {
  EXPECT_THAT(browser_.text_without_scripts(report_of(searched())),
              HasSubstr("Fastest so far of 100 evaluations: 1.000 ms, with TS=16 WPT=4"));
}

class TunedReport : public CommandTest {};

TEST_F(TunedReport, draws_a_journal) {
  write("gemm.jsonl", searched());
  const auto done = kiln({"tuned", "report", "gemm.jsonl", "-o", "gemm.html"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output + done.errors, "");
  EXPECT_EQ(read_text(folder() / "gemm.html").value(), report_of(searched()));
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
