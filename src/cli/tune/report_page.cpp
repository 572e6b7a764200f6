#include <fmt/format.h>

#include <cmath>

#include "base/file.hpp"
#include "base/streams.hpp"
#include "cli/gantt_text.hpp"
#include "cli/tune/report.hpp"
#include "cli/tune/report_parts.hpp"

namespace kiln::cli {
namespace {

using tune::TuningRun;

constexpr std::uint64_t most_bytes_of_page = std::uint64_t{1} << 30;

std::string figure(std::string_view name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escaped(value));
}

std::string figures(const TuningRun& run) {
  std::size_t failed = 0;
  double end = 0;
  for (const auto& evaluation : run.evaluations) {
    failed += evaluation.outcome.ok() ? 0 : 1;
    end = std::max(end, evaluation.at.value_or(0));
  }
  std::string text = "<dl class=\"figures\">\n";
  if (const auto best = run.best()) {
    text += figure(best->is_final ? "winner" : "fastest so far",
                   time_text(std::llround(best->seconds * 1e9)));
    text += figure("with", best->text);
  }
  if (run.winner && run.winner->ending.standard > 0)
    text += figure("built-in", time_text(std::llround(run.winner->ending.standard * 1e9)));
  text += figure("evaluations", fmt::format("{}", run.evaluations.size()));
  text += figure("failed", fmt::format("{}", failed));
  if (end > 0) text += figure("searched for", time_text(std::llround(end * 1e9)));
  return text + "</dl>\n";
}

std::string report_body(const TuningRun& run) {
  std::string text = fmt::format(
      "<h1>Tuning report</h1>\n<p class=\"facts\">{}<br>{}<br>strategy {}, seed {}</p>\n",
      escaped(run.identity), escaped(run.device_name()), escaped(run.strategy), run.seed);
  text += figures(run);
  if (run.ranked().empty()) return text + failures_section(run);
  const auto importance = tune::importance_of(run);
  return text + evaluations_chart(run) + elapsed_chart(run) + importance_section(run, importance) +
         parameter_charts(run, importance) + failures_section(run) + play_off_section(run) +
         top_section(run);
}

}  // namespace

tune::TuningRun read_journal(const std::filesystem::path& path) {
  const Bytes bytes = value_or_throw(read_input(path, most_bytes_of_page));
  return value_or_throw(tune::read_run(bytes, path.string()));
}

std::string report_page(const TuningRun& run) {
  // The policy has the browser itself refuse every request and script, whatever a name might
  // smuggle in.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Tuning report</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      report_style, report_body(run));
}

void write_report(const std::filesystem::path& journal, const std::filesystem::path& page) {
  value_or_throw(write_file(page, as_bytes(report_page(read_journal(journal)))));
}

}  // namespace kiln::cli
