#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "cli/output/output.hpp"
#include "cli/page/browser.hpp"

namespace kiln::cli {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using PageData = nlohmann::ordered_json;

/// Everything that a name might want to do to a page.
const std::string hostile =
    "</script></title></svg><script>window.alerted=1</script><!--<img src='http://kiln.invalid/x' "
    "onerror='window.alerted=1'><b>bold</b>&lt;\"\xE2\x80\xA8@data@";

TEST(Page, refers_to_nothing_outside_itself) {
  for (std::string page : {std::string(timeline_html), std::string(report_html)}) {
    const std::string name_of_svg = "http://www.w3.org/2000/svg";
    page.erase(page.find(name_of_svg), name_of_svg.size());
    for (const auto* reference : {"http:", "https:", "//fonts", "src=", "href", "url(", "@import",
                                  "<link", "<img", "<iframe", "fetch(", "XMLHttpRequest"})
      EXPECT_THAT(page, Not(HasSubstr(reference)));
    EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'sha256-"));
    EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
  }
}

TEST(Page, what_is_put_in_stays_text) {
  const PageData data = {{"name", hostile}, {hostile, 1}};
  const auto page = filled_page(timeline_html, hostile, data);
  EXPECT_EQ(data_of_page(page), data);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_THAT(page, Not(HasSubstr("\xE2\x80\xA8")));
  EXPECT_THAT(page, HasSubstr("<p>&lt;/script>&lt;/title>"));
  EXPECT_THAT(page, HasSubstr("&amp;lt;"));
}

TEST(Page, bytes_that_are_no_utf8_are_replaced) {
  const auto page = filled_page(timeline_html, "", {{"name", "\xC3(\xFF"}});
  EXPECT_EQ(data_of_page(page)["name"], "\xEF\xBF\xBD(\xEF\xBF\xBD");
}

RC_GTEST_PROP(Page, no_text_can_open_markup, (const std::string& text)) {
  const auto page = filled_page("@summary@|@data@", text, {text});
  RC_ASSERT(page.find('<') == page.npos);
  RC_ASSERT(page.find("|[\"") != page.npos);
}

class PageBrowser : public BrowserTest {};

TEST_F(PageBrowser, texts_are_those_that_people_expect) {
  const auto page = filled_page(timeline_html, "", {{"lanes", PageData::array()}});
  const auto found = browser_.measured(page, R"js({
    times: [0, 1, 999, 1000, 9996, 99960, 999499, 999500, 12345678, 7.2e12].map(timeText),
    shown: ['a\r\n\tb', 'a\0b\x1b\x7f', '\u202egpj', 'float4 µ 矩阵 <b>'].map(shown),
    short: [6, 5, 4].map(most => shortened('kernel', most)),
    characters: shortened('µµ𝒳µµµ', 5)
  })js");
  EXPECT_EQ(found["times"], nlohmann::json({"0", "1 ns", "999 ns", "1.00 µs", "10.0 µs", "100 µs",
                                            "999 µs", "1.00 ms", "12.3 ms", "7200 s"}));
  EXPECT_EQ(found["shown"],
            nlohmann::json({"a   b", "a\uFFFDb\uFFFD\uFFFD", "\uFFFDgpj", "float4 µ 矩阵 <b>"}))
      << "controls are shown, and nothing can turn the direction of the text";
  EXPECT_EQ(found["short"], nlohmann::json({"kernel", "kern…", "ker…"}));
  EXPECT_EQ(found["characters"], "µµ𝒳µ…");
}

TEST_F(PageBrowser, steps_are_round_and_the_smallest_that_are_not_too_many) {
  const auto page = filled_page(timeline_html, "", {{"lanes", PageData::array()}});
  // Lengths over all powers of ten: what is wrong with a step is collected.
  const auto found = browser_.measured(page, R"js((() => {
    const wrong = [];
    let seed = 1;
    const random = () => (seed = seed * 48271 % 2147483647) / 2147483647;
    for (let i = 0; i < 20000; ++i) {
      const length = 10 ** (random() * 24 - 9), count = 1 + random() * 20, step = roundStep(length, count);
      const digits = step.toExponential(6);
      const smaller = step / (digits[0] === '5' ? 2.5 : 2);
      if (!/^[125]\.0+e/.test(digits) || step * count < length * (1 - 1e-9) || smaller * count > length * (1 + 1e-9))
        wrong.push([length, count, step]);
      const from = length * random() * 3, ticks = multiples(step, from, from + length);
      if (ticks.length > count + 1 || ticks.some(tick => tick < from * (1 - 1e-12) || tick > from + length))
        wrong.push([from, length, ticks]);
    }
    return wrong.slice(0, 3);
  })())js");
  EXPECT_EQ(found, nlohmann::json::array());
}

}  // namespace
}  // namespace kiln::cli
