#include "cli/tuned/searches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/store/open.hpp"
#include "cli/tune/report.hpp"

namespace kiln::cli {
namespace {

constexpr std::size_t least_letters = 4, most_shown = 10;

bool is_id(const std::string& word) {
  return word.size() >= least_letters && word.find_first_not_of("0123456789abcdef") == word.npos;
}

std::string best_text(const tune::TuningRun& run) {
  const auto best = run.best();
  return best ? duration(best->seconds * 1e9) : "-";
}

}  // namespace

std::vector<tune::KeptRun> kept_searches(const Context& context) {
  auto all = value_or_throw(tune::all_kept_runs(*open_local(context)));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.run.device, a.run.identity, a.date) <
           std::tie(b.run.device, b.run.identity, b.date);
  });
  return all;
}

std::optional<tune::KeptRun> kept_search(const Context& context, const std::string& word) {
  if (!is_id(word)) return std::nullopt;
  auto all = kept_searches(context);
  std::erase_if(all, [&](const auto& kept) { return !kept.id.starts_with(word); });
  if (all.size() > 1)
    throw Error(Errc::bad_input,
                fmt::format("{} searches on record begin with {}; expected more letters",
                            all.size(), word));
  return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

tune::TuningRun search_named(const Context& context, const std::string& word) {
  std::error_code ignored;
  if (!std::filesystem::exists(word, ignored))
    if (auto kept = kept_search(context, word)) return std::move(kept->run);
  const EndsAtOnce reading;
  return read_journal(word);
}

void print_searches(const std::vector<tune::KeptRun>& searches) {
  Table table({"search", "problem class", "size", "strategy", "seed", "evaluations", "fastest",
               "written", "device"});
  for (const auto& kept : searches)
    table.row({kept.id, kept.problem.problem_class,
               kept.problem.size > 0 ? std::to_string(kept.problem.size) : "-", kept.run.strategy,
               std::to_string(kept.run.seed), std::to_string(kept.evaluated), best_text(kept.run),
               date_text(kept.date), kept.run.device_name()});
  print(table.text());
}

void print_search(const tune::KeptRun& kept) {
  const auto line = [](std::string_view name, const std::string& value) {
    print(fmt::format("{:<14} {}\n", name, one_line(value)));
  };
  line("search", kept.id);
  line("of", kept.run.identity);
  line("space", kept.run.space);
  line("device", kept.run.device);
  line("", fmt::format("{}, {}, {} units, {} floats, {} bytes of local memory", kept.facts.type,
                       kept.facts.vendor, kept.facts.compute_units, kept.facts.native_floats,
                       kept.facts.local_memory));
  line("made by", fmt::format("Kiln {} on {}", kept.kiln, kept.system));
  line("written", date_text(kept.date));
  line("strategy", fmt::format("{}, seed {}", kept.run.strategy, kept.run.seed));
  line("evaluations",
       kept.evaluated == kept.run.evaluations.size()
           ? std::to_string(kept.evaluated)
           : fmt::format("{}, of which {} are kept", kept.evaluated, kept.run.evaluations.size()));
  for (const auto& reason : kept.run.reasons())
    line("failed", fmt::format("{} {}{}{}", reason.count, name_of(reason.failure),
                               reason.message.empty() ? "" : ": ", reason.message));
  if (const auto& winner = kept.run.winner) {
    line("winner", fmt::format("{}, {}", kept.run.text(winner->positions),
                               duration(winner->ending.seconds * 1e9)));
    line("decided by", fmt::format("{}, {} finalists, {} rounds", name_of(winner->ending.decision),
                                   winner->ending.finalists.size(), winner->ending.rounds));
  }
  Table table({"fastest", "time in the search", "in the play-off"});
  const auto standing = kept.run.standing();
  for (std::size_t i = 0; i < std::min(most_shown, standing.size()); ++i) {
    const auto* finalist = kept.run.finalist(standing[i]->id);
    table.row({kept.run.text(*standing[i]), duration(standing[i]->outcome.time * 1e9),
               finalist == nullptr ? "-" : fmt::format("{:.3f} x", finalist->relative)});
  }
  print(table.text());
}

}  // namespace kiln::cli
