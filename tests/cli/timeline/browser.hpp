#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"

namespace kiln::testing {

/// A headless Chromium with a new profile a run.
class Browser {
 public:
  Browser() : folder_(value_or_throw(TemporaryFolder::create("kiln-browser"))) {
    ProcessRequest request;
    request.program = "/bin/sh";
    request.arguments = {"-c", "command -v chromium || command -v chromium-browser"};
    program_ = value_or_throw(run_process(request)).output;
    program_ = program_.substr(0, program_.find('\n'));
  }

  bool is_installed() const { return !program_.empty(); }

  /// The page's document after its script ran, as markup.
  std::string document(const std::string& page, std::vector<std::string> options = {}) {
    options.push_back("--dump-dom");
    return run(page, std::move(options)).output;
  }

  /// A picture of the page, as the bytes of a PNG file.
  std::string picture(const std::string& page, std::vector<std::string> options = {}) {
    const auto file = folder_.path() / "picture.png";
    options.push_back("--screenshot=" + file.string());
    const auto result = run(page, std::move(options));
    return read_text(file).value_or("no picture: " + result.errors);
  }

 private:
  ProcessResult run(const std::string& page, std::vector<std::string> options) {
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
                         "--user-data-dir=" + profile.string()};
    request.arguments.insert(request.arguments.end(), options.begin(), options.end());
    request.arguments.push_back("file://" + file.string());
    request.environment = {{"HOME", folder_.path().string()}};
    request.limit = std::chrono::minutes(5);  // only so that a hanging browser ends at all
    return value_or_throw(run_process(request));
  }

  TemporaryFolder folder_;
  std::string program_;
  int runs_ = 0;
};

}  // namespace kiln::testing
