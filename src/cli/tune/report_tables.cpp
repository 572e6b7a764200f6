// What matters, what failed, what is best: the parts of a report that are tables.
#include <fmt/format.h>

#include <cmath>

#include "cli/gantt_text.hpp"
#include "cli/tune/report_parts.hpp"

namespace kiln::cli {
namespace {

using tune::TuningRun;

constexpr std::size_t shown_best = 10;
constexpr std::size_t shown_message = 300;

std::string time_of(double seconds) { return time_text(std::llround(seconds * 1e9)); }

}  // namespace

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

}  // namespace kiln::cli
