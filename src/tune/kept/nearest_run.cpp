#include "tune/kept/nearest_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kernel/related_records.hpp"

namespace kiln::tune {
namespace {

/// Factors of two between two numbers; 0 where one is not known.
double doublings(std::int64_t a, std::int64_t b) {
  if (a <= 0 || b <= 0) return 0;
  return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
}

/// "gemm float" of "gemm float TRANS_A": routine and precision; of a file the kernel's name.
std::string stem_of(const std::string& problem_class, bool is_file) {
  const auto first = problem_class.find(' ');
  return problem_class.substr(0, is_file ? first : problem_class.find(' ', first + 1));
}

double device_distance(const KeptRun& kept, const SearchSubject& subject) {
  const auto &a = kept.facts, &b = subject.facts;
  double far = kept.run.device == subject.device ? 0 : 1;
  if (model_of(kept.run.device) != model_of(subject.device)) far += a.vendor == b.vendor ? 20 : 40;
  return far + 2 * (doublings(a.compute_units, b.compute_units) +
                    doublings(a.native_floats, b.native_floats) +
                    doublings(a.local_memory, b.local_memory));
}

/// The run as a space of its own with trials.
std::shared_ptr<const Transfer> transfer_of(const TuningRun& run, const SearchSpace& space,
                                            std::uint64_t seed) {
  std::map<Positions, Outcome> known;
  for (const auto& evaluation : run.evaluations) {
    const Positions at(evaluation.positions.begin(), evaluation.positions.end());
    known.insert_or_assign(at, evaluation.outcome);
  }
  std::vector<Positions> rows;
  std::vector<Trial> trials;
  for (const auto& [at, outcome] : known) {
    trials.push_back({rows.size(), outcome});
    rows.push_back(at);
  }
  const auto source = SearchSpace::of_rows(run.parameters, rows);
  if (!source) return nullptr;
  const auto made = Transfer::make(*source, trials, space, seed);
  return made ? *made : nullptr;
}

std::string text_of(const KeptRun& kept, const SearchSubject& subject) {
  const auto& problem = kept.problem;
  std::string text = fmt::format("a search of {} evaluations", kept.evaluated);
  if (problem.problem_class != subject.problem.problem_class)
    text += " for " + problem.problem_class;
  if (problem.size != subject.problem.size) text += fmt::format(", size {}", problem.size);
  if (model_of(kept.run.device) != model_of(subject.device))
    return text + ", on " + model_of(kept.run.device);
  if (units_of(kept.run.device) != units_of(subject.device))
    return text + ", on " + units_of(kept.run.device);
  return text + (kept.run.device == subject.device ? "" : ", with another driver");
}

}  // namespace

std::optional<double> distance(const KeptRun& kept, const SearchSubject& subject) {
  const auto &there = kept.problem, &here = subject.problem;
  if (there.family != here.family || kept.facts.type != subject.facts.type) return std::nullopt;
  double far = device_distance(kept, subject);
  if (there.problem_class != here.problem_class) {
    const bool is_file = here.family == "spec";
    const bool is_alike =
        stem_of(there.problem_class, is_file) == stem_of(here.problem_class, is_file);
    if (is_file && !is_alike) return std::nullopt;
    far += is_alike ? 4 : 8;
  }
  far += there.version == here.version ? 0 : 1;
  return far + std::min(doublings(there.size, here.size), 6.0);
}

std::optional<Start> nearest_start(const std::vector<KeptRun>& kept, const SearchSubject& subject,
                                   const SearchSpace& space, std::uint64_t seed,
                                   const std::string& id) {
  std::vector<std::pair<double, const KeptRun*>> near;
  for (const auto& each : kept) {
    if (!id.empty() && each.id != id) continue;
    if (const auto far = distance(each, subject)) near.emplace_back(*far, &each);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->date > b.second->date;
  });
  for (const auto& [far, each] : near)
    if (auto transfer = transfer_of(each->run, space, seed))
      return Start{std::move(transfer), each->id, text_of(*each, subject)};
  return std::nullopt;
}

}  // namespace kiln::tune
