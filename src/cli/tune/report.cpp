// A search as an HTML page: figures, tables and the style; the drawings are in report_charts.cpp.
#include "cli/tune/report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/timeline/page.hpp"
#include "kernel/request/stored_record.hpp"

namespace kiln::cli {
namespace {

using tune::TuningRun;

/// How many of the fastest configurations, and how many letters of a failure's message, are shown.
constexpr std::size_t shown_best = 10;
constexpr std::size_t shown_message = 300;

// Blue and vermilion of Okabe and Ito's colours: people with any kind of colour vision can tell
// them apart, on light and on dark grounds.
constexpr std::string_view report_style = R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b2026; --soft: #5b6570; --line: #d9dee4;
  --dot: #4a8fc2; --light: #b5d3ea; --best: #c14f00; --fail: #9aa3ad;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1d2126; --ink: #e7eaee; --soft: #9ba5b0; --line: #343b43;
    --dot: #62b8e8; --light: #2f5268; --best: #f08a3c; --fail: #6d7781;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 24px; max-width: 1200px; background: var(--page); color: var(--ink);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
}
h1 { font-size: 22px; margin: 0; }
h2 { font-size: 15px; margin: 0 0 6px; }
.facts { color: var(--soft); margin: 2px 0 12px; overflow-wrap: anywhere; }
.figures { display: flex; flex-wrap: wrap; gap: 12px 36px; margin: 0 0 16px; }
.figures div { overflow-wrap: anywhere; }
.figures dt { color: var(--soft); font-size: 12px; }
.figures dd { margin: 0; font-size: 18px; font-weight: 600; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: 0 0 16px; padding: 14px 16px; }
svg { display: block; width: 100%; }
.large { min-width: 800px; }
.wide { overflow-x: auto; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(260px, 100%), 1fr)); gap: 16px; }
figure { margin: 0; max-width: 440px; }
figcaption { font-weight: 600; overflow-wrap: anywhere; }
.axis line { stroke: var(--line); }
.axis text, .note { fill: var(--soft); font-size: 11.5px; }
.dot, .fail { fill: none; stroke-linecap: round; }
.dot { stroke: var(--dot); stroke-width: 4.5px; stroke-opacity: 0.55; }
.fail { stroke: var(--fail); stroke-width: 4px; stroke-opacity: 0.7; }
.curve { fill: none; stroke: var(--best); stroke-width: 2px; }
.median { fill: none; stroke: var(--ink); stroke-width: 2px; }
.best { fill: var(--card); stroke: var(--best); stroke-width: 2.5px; }
circle.best:hover { fill: var(--best); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 5px 14px; border-top: 1px solid var(--line); white-space: nowrap; }
thead th { border: 0; font-weight: 600; color: var(--soft); }
th:first-child, td:first-child { padding-left: 0; }
.bars { width: 100%; }
.bars th:first-child, .words { text-align: left; }
.words { white-space: normal; overflow-wrap: anywhere; min-width: 12em; color: var(--soft); }
tbody th { font-weight: 500; }
td.bar { min-width: 90px; width: 40%; }
td.bar div { position: relative; height: 14px; }
td.bar i { position: absolute; left: 0; top: 0; bottom: 0; background: var(--light); border-radius: 2px; }
td.bar i.alone { background: var(--dot); }
td.bar i.fails { background: var(--fail); }
small { color: var(--soft); font-size: 12px; }
@media (max-width: 760px) { body { padding: 12px; } }
@media print { body { padding: 0; } section { break-inside: avoid; } }
)css";

std::string time_of(double seconds) { return time_text(std::llround(seconds * 1e9)); }

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

std::string importance_section(const TuningRun& run,
                               const std::optional<tune::Importance>& importance) {
  std::string text = "<section><h2>Parameter importance</h2>\n";
  if (!importance)
    return text + fmt::format(
                      "<p class=\"facts\">Fewer than {} different times were measured: too "
                      "few to tell.</p></section>\n",
                      tune::kLeastForImportance);
  text += fmt::format(
      "<p class=\"facts\">Functional ANOVA: the shares of the variance of a model of the times "
      "(logarithms, a forest of regression trees, {} measurements), over all combinations of the "
      "values. The strong part of a bar is a parameter alone, the whole bar with its interactions. "
      "Of times that it has not seen the model explains {:.0f} %{}.</p>\n",
      importance->measured, 100 * std::max(0.0, importance->explained),
      importance->explained < 0.5 ? ": take the shares as a hint" : "");
  text +=
      "<div class=\"wide\"><table class=\"bars\"><thead><tr><th scope=\"col\">parameter</th>"
      "<th scope=\"col\"></th><th scope=\"col\">alone</th>"
      "<th scope=\"col\">with interactions</th></tr></thead>\n<tbody>\n";
  for (const auto& share : importance->shares)
    text += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"bar\"><div><i style=\"width:{}\"></i>"
        "<i class=\"alone\" style=\"width:{}\"></i></div></td><td>{:.1f} %</td><td>{:.1f} %</td>"
        "</tr>\n",
        escaped(run.parameters[share.parameter].name), percent(share.with_others),
        percent(share.alone), 100 * share.alone, 100 * share.with_others);
  return text + "</tbody></table></div></section>\n";
}

/// Failed evaluations by reason.
std::string failures_section(const TuningRun& run) {
  const auto reasons = run.reasons();
  std::string text = "<section><h2>Failures</h2>\n";
  if (reasons.empty()) return text + "<p class=\"facts\">None.</p></section>\n";
  const auto all = static_cast<double>(run.evaluations.size());
  text +=
      "<div class=\"wide\"><table class=\"bars\"><thead><tr><th scope=\"col\">reason</th>"
      "<th scope=\"col\"></th><th scope=\"col\">evaluations</th>"
      "<th scope=\"col\" class=\"words\">the first one said</th></tr></thead>\n<tbody>\n";
  for (const auto& [failure, count, message] : reasons) {
    std::string name = tune::name_of(failure);
    if (const auto line = name.find('_'); line != name.npos) name[line] = ' ';
    const double share = static_cast<double>(count) / all;
    text += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"bar\"><div><i class=\"fails\" style=\"width:{}\">"
        "</i></i></div></td><td>{} <small>{:.1f} %</small></td><td class=\"words\">{}</td></tr>\n",
        name, percent(share), count, 100 * share, escaped(shortened(message, shown_message)));
  }
  return text + "</tbody></table></div></section>\n";
}

/// How the winner was found; empty for a search that has not ended.
std::string play_off_section(const TuningRun& run) {
  if (!run.winner) return "";
  const auto& ending = run.winner->ending;
  std::string text =
      fmt::format("<section><h2>Winner</h2>\n<p class=\"facts\">On record: {}, {}. {}.",
                  escaped(run.text(run.winner->positions)), time_of(ending.seconds),
                  explanation_of(ending.decision, ending.finalists.size(), ending.rounds));
  if (run.evaluations.size() > run.winner->evaluations)
    text += fmt::format(" {} evaluations came after that.",
                        run.evaluations.size() - run.winner->evaluations);
  text += "</p>\n";
  if (ending.finalists.size() < 2) return text + "</section>\n";
  text +=
      "<p class=\"facts\">A finalist's time is given by that of the first, over the rounds that "
      "both were in; who was surely slower left early.</p>\n"
      "<div class=\"wide\"><table><thead><tr><th scope=\"col\">#</th><th scope=\"col\">in the "
      "play-off</th><th scope=\"col\">rounds</th><th scope=\"col\" class=\"words\">parameters</th>"
      "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < ending.finalists.size(); ++i) {
    const auto& finalist = ending.finalists[i];
    const auto found =
        std::find_if(run.evaluations.begin(), run.evaluations.end(),
                     [&](const tune::Evaluation& one) { return one.id == finalist.id; });
    text +=
        fmt::format("<tr><td>{}</td><td>{:.3f} ×</td><td>{}</td><td class=\"words\">{}</td></tr>\n",
                    i + 1, finalist.relative, finalist.rounds,
                    found == run.evaluations.end() ? "" : escaped(run.text(*found)));
  }
  return text + "</tbody></table></div></section>\n";
}

std::string top_section(const TuningRun& run) {
  const auto ranked = run.standing();
  std::string text = fmt::format(
      "<section><h2>Top {}</h2>\n<div class=\"wide\"><table><thead><tr><th scope=\"col\">#</th>"
      "<th scope=\"col\">time in the search</th><th scope=\"col\">relative</th>"
      "<th scope=\"col\">evaluation</th>",
      std::min(shown_best, ranked.size()));
  for (const auto& parameter : run.parameters)
    text += fmt::format("<th scope=\"col\">{}</th>", escaped(parameter.name));
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < std::min(shown_best, ranked.size()); ++i) {
    const auto& one = *ranked[i];
    text += fmt::format("<tr><td>{}</td><td>{}</td><td>{:.3f} ×</td><td>{}</td>", i + 1,
                        time_of(one.outcome.time), one.outcome.time / ranked[0]->outcome.time,
                        &one - run.evaluations.data() + 1);
    for (std::size_t p = 0; p < run.parameters.size(); ++p)
      text += fmt::format("<td>{}</td>", escaped(run.value(one, p).text()));
    text += "</tr>\n";
  }
  return text + "</tbody></table></div></section>\n";
}

std::string report_body(const TuningRun& run) {
  std::string text = fmt::format(
      "<h1>Tuning report</h1>\n<p class=\"facts\">{}<br>{}<br>strategy {}, seed {}</p>\n",
      escaped(run.identity), escaped(model_of(run.device)), escaped(run.strategy), run.seed);
  text += figures(run);
  if (run.ranked().empty()) return text + failures_section(run);
  const auto importance = tune::importance_of(run);
  return text + evaluations_chart(run) + elapsed_chart(run) + importance_section(run, importance) +
         parameter_charts(run, importance) + failures_section(run) + play_off_section(run) +
         top_section(run);
}

}  // namespace

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

}  // namespace kiln::cli
