#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/os/file.hpp"
#include "base/os/process.hpp"

namespace kiln::testing {

/// The data of a page.
inline nlohmann::json data_of_page(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const auto from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

/// What scripts that measure pages have at hand.
inline const std::string measuring = R"js(
const all = (selector, of = document) => [...of.querySelectorAll(selector)];
const texts = (selector, of = document) => all(selector, of).map(one => one.textContent);
const box = element => element.getBoundingClientRect();
const style = element => getComputedStyle(element);
const card = element => style(element.closest('section')).backgroundColor;
const luminance = colour => {
  const [r, g, b] = colour.match(/[\d.]+/g).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
};
const page = () => ({
  headings: texts('section:not([hidden]) h2'),
  table: all('section:not([hidden]) tr').map(row => [...row.cells].map(cell => cell.textContent)),
  text_contrast: contrast(style(document.body).color, style(document.body).backgroundColor),
  page_luminance: luminance(style(document.body).backgroundColor),
  page_excess: document.documentElement.scrollWidth - innerWidth,
  requests: performance.getEntriesByType('resource').length,
  foreign: all('img, iframe, link, object, b:not(.name b)').length,
  alerted: !!window.alerted,
});
)js";

/// A headless Chromium with a new profile a run. What a page writes to the console is a failure.
class Browser {
 public:
  using Options = std::vector<std::string>;

  Browser() : folder_(value_or_throw(TemporaryFolder::create("kiln-browser"))) {
    ProcessRequest request;
    request.program = "/bin/sh";
    request.arguments = {"-c", "command -v chromium || command -v chromium-browser"};
    program_ = value_or_throw(run_process(request)).output;
    program_ = program_.substr(0, program_.find('\n'));
  }

  bool is_installed() const { return !program_.empty(); }

  /// The page's document after its script ran, as markup.
  std::string document(const std::string& page, Options options = {}) {
    options.push_back("--dump-dom");
    return run(page, std::move(options)).output;
  }

  /// The value of an expression, evaluated after the page's own scripts and those in `before`; null
  /// where there was none. The page's policy would refuse that, and is left out.
  nlohmann::json measured(std::string page, const std::string& expression, Options options = {},
                          const std::string& before = "") {
    if (const auto policy = page.find("<meta http-equiv=\"Content-Security-Policy\"");
        policy != page.npos)
      page.erase(policy, page.find('>', policy) + 1 - policy);
    const std::string begin = "<pre id=\"test-result\">";
    page.insert(page.rfind("</body>"), begin + "</pre><script>{" + before + "}{" + measuring +
                                           "document.getElementById('test-result').textContent = "
                                           "JSON.stringify(" +
                                           expression + ");}</script>");
    return result_in(document(page, std::move(options)), begin);
  }

  /// The text that a reader without scripts sees.
  std::string text_without_scripts(const std::string& page) {
    std::string quoted = nlohmann::json(page).dump();
    for (auto at = quoted.find('<'); at != quoted.npos; at = quoted.find('<', at))
      quoted.replace(at, 1, "\\u003c");
    const std::string begin = "<pre id=\"test-result\">";
    const auto text = result_in(
        document("<html><body><iframe sandbox=\"allow-same-origin\"></iframe>" + begin +
                     "</pre><script>const frame = document.querySelector('iframe');"
                     "frame.onload = () => document.getElementById('test-result').textContent = "
                     "JSON.stringify(frame.contentDocument.body.innerText); frame.srcdoc = " +
                     quoted + "</script></body></html>",
                 {"--enable-logging=none"}),
        begin);
    return text.is_string() ? text.get<std::string>() : "";
  }

  /// A picture of the page, as the bytes of a PNG file.
  std::string picture(const std::string& page, Options options = {}) {
    const auto file = folder_.path() / "picture.png";
    options.push_back("--screenshot=" + file.string());
    const auto result = run(page, std::move(options));
    return read_text(file).value_or("no picture: " + result.errors);
  }

 private:
  /// What scripts have left in an element, in the document's markup.
  static nlohmann::json result_in(const std::string& document, const std::string& begin) {
    const auto from = document.find(begin);
    if (from == document.npos) return {};
    auto text = document.substr(from + begin.size());
    text.resize(std::min(text.size(), text.find("</pre>")));
    for (const auto& [entity, character] :
         {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&amp;", "&"}})
      for (auto at = text.find(entity); at != text.npos; at = text.find(entity, at + 1))
        text.replace(at, std::string_view(entity).size(), character);
    return nlohmann::json::parse(text, nullptr, false);
  }

  ProcessResult run(const std::string& page, Options options) {
    const auto profile = folder_.path() / ("profile" + std::to_string(++runs_));
    const auto file = folder_.path() / "page.html";
    value_or_throw(write_file(file, as_bytes(page)));
    ProcessRequest request;
    request.program = program_;
    request.arguments = {"--headless",
                         "--no-sandbox",
                         "--disable-gpu",
                         "--disable-quic",
                         "--no-first-run",
                         "--disable-background-networking",
                         "--disable-component-update",
                         "--disable-sync",
                         "--hide-scrollbars",
                         "--enable-logging=stderr",  // the console
                         "--user-data-dir=" + profile.string()};
    request.arguments.insert(request.arguments.end(), options.begin(), options.end());
    request.arguments.push_back("file://" + file.string());
    request.environment = {{"HOME", folder_.path().string()}};
    request.limit = std::chrono::minutes(5);  // only so that a hanging browser ends at all
    auto result = value_or_throw(run_process(request));
    if (const auto at = result.errors.find(":CONSOLE"); at != std::string::npos)
      ADD_FAILURE() << result.errors.substr(at, 500);
    return result;
  }

  TemporaryFolder folder_;
  std::string program_;
  int runs_ = 0;
};

/// Tests that open pages; skipped where there is no browser.
class BrowserTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!browser_.is_installed()) GTEST_SKIP() << "chromium is not installed";
  }

  Browser browser_;
};

}  // namespace kiln::testing
