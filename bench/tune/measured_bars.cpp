// Searches on spaces that were measured whole: evaluations until within 5 % of the optimum.
#include <fmt/format.h>

#include "tune/bars.hpp"
#include "tune/measured.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::bench {
namespace {

using measured::Pair;
using measured::Start;

std::string detail(const tune::ReplayFigures& figures) {
  return fmt::format("median {:g}, p90 {:g}, score {:.3f}, {} seeds, {} never got there",
                     figures.median_evaluations, figures.p90_evaluations, figures.score,
                     figures.seeds, figures.not_reached);
}

/// One number of the default's figures.
template <class Number>
Bar bar(const char* what, const Pair& pair, const std::string& text, Holds holds, double limit,
        const char* unit, Start start, Number number) {
  return {measured::bar_name(what, pair),
          text,
          holds,
          limit,
          unit,
          [&pair, start, number](const Context& context) -> Outcome {
            const auto figures = measured::figures(context, pair, "", start);
            if (!figures) return not_measured(figures.error());
            return Figure{number(*figures), detail(*figures)};
          }};
}

double median_of(const tune::ReplayFigures& figures) { return figures.median_evaluations; }
double p90_of(const tune::ReplayFigures& figures) { return figures.p90_evaluations; }
double score_of(const tune::ReplayFigures& figures) { return figures.score; }

/// The default's median over the least median of the textbook strategies.
Outcome against_simple(const Context& context, const Pair& pair) {
  const auto own = measured::figures(context, pair, "", Start::cold);
  if (!own) return not_measured(own.error());
  double best = 0;
  std::string detail = fmt::format("forest {:g}", own->median_evaluations);
  for (const auto& info : tune::strategies()) {
    if (!info.is_simple) continue;
    const auto other = measured::figures(context, pair, info.name, Start::cold);
    if (!other) return not_measured(other.error());
    const double median = other->median_evaluations;
    if (best == 0 || median < best) best = median;
    detail += fmt::format(", {} {:g}", info.name, median);
  }
  return Figure{own->median_evaluations / best, detail};
}

Outcome against_random(const Context& context, const Pair& pair) {
  const auto own = measured::figures(context, pair, "", Start::cold);
  const auto random = measured::figures(context, pair, "random", Start::cold);
  if (!own) return not_measured(own.error());
  if (!random) return not_measured(random.error());
  if (random->median_evaluations < 40) return not_measured("random needs less than 40");
  return Figure{
      own->median_evaluations / random->median_evaluations,
      fmt::format("forest {:g}, random {:g}", own->median_evaluations, random->median_evaluations)};
}

Bar score_bar(const Pair& pair) {
  return bar(
      "score", pair,
      std::string("the methodology's score (0: random, 1: the optimum at once) on ") + pair.name,
      Holds::at_least, 0, "", Start::cold, score_of);
}

}  // namespace

std::vector<Bar> hub_bars() {
  std::vector<Bar> bars;
  const std::string within = "evaluations until within 5 % of the optimum, ";
  for (const Pair& pair : measured::hub_spaces()) {
    const std::string where = std::string(" on ") + pair.name;
    bars.push_back(bar("median", pair, within + "median of 100 seeds" + where, Holds::at_most, 100,
                       "evaluations", Start::cold, median_of));
    bars.push_back(bar("p90", pair, within + "the 90th percentile" + where, Holds::at_most, 250,
                       "evaluations", Start::cold, p90_of));
    bars.push_back({measured::bar_name("simple", pair),
                    "their median against the best textbook strategy's" + where, Holds::at_most,
                    0.8, "x",
                    [&pair](const Context& context) { return against_simple(context, pair); }});
    bars.push_back({measured::bar_name("random", pair),
                    "their median against random search's" + where, Holds::at_most, 1, "x",
                    [&pair](const Context& context) { return against_random(context, pair); }});
    bars.push_back(bar("transfer", pair, within + "with all times of another device" + where,
                       Holds::at_most, 10, "evaluations", Start::whole, median_of));
    bars.push_back(bar("run", pair, within + "with a run of 250 on another device" + where,
                       Holds::at_most, 40, "evaluations", Start::run, median_of));
    bars.push_back(score_bar(pair));
  }
  return bars;
}

std::vector<Bar> own_space_bars() {
  std::vector<Bar> bars;
  for (const Pair& pair : measured::own_spaces()) {
    bars.push_back({measured::bar_name("random", pair),
                    std::string("median of evaluations against random search's on ") + pair.name,
                    Holds::at_most, 0.25, "x",
                    [&pair](const Context& context) { return against_random(context, pair); }});
    bars.push_back(score_bar(pair));
  }
  return bars;
}

}  // namespace kiln::bench
