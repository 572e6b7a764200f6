#include "cli/tune/history.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <chrono>

#include "base/log.hpp"
#include "blas/class_neighbours.hpp"
#include "cli/context.hpp"
#include "cli/output.hpp"
#include "cli/store_settings.hpp"
#include "cli/tune/report.hpp"
#include "kiln/version.hpp"

namespace kiln::cli {
namespace {

/// The store is written within moments: who has the lock longer is stopped.
constexpr std::chrono::seconds longest_wait{5};

/// All that may be near: of the local store everything, of the layers below it what has a key that
/// can be worked out.
std::vector<tune::KeptRun> candidates(const Context& context, const TuningSubject& subject) {
  const StoreSettings settings = store_settings_of(context);
  std::vector<tune::KeptRun> runs;
  const auto store = value_or_throw(open_store(settings));
  if (!store) return runs;
  tune::TuningProblem problem = subject.tunable->problem();
  std::vector<std::string> classes{problem.problem_class};
  for (auto& name : blas::classes_like(problem.problem_class)) classes.push_back(std::move(name));
  for (auto& name : classes) {
    problem.problem_class = std::move(name);
    for (auto& kept : tune::kept_runs(*store, problem, subject.speed_identity))
      runs.push_back(std::move(kept));
  }
  if (!settings.local.empty()) {
    LocalStore local(settings.local);
    local.leave_failures_to_caller();
    // What is damaged or away is no reason not to tune.
    if (auto all = tune::all_kept_runs(local))
      for (auto& kept : *all) runs.push_back(std::move(kept));
  }
  return runs;
}

std::string system_text() {
  utsname names{};
  if (::uname(&names) != 0) return "";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

}  // namespace

std::optional<tune::Start> SearchHistory::start(const std::filesystem::path& journal,
                                                const std::optional<std::string>& before,
                                                tune::Journal::Subject& head) const {
  const bool learns = head.strategy.empty() || head.strategy == "forest";
  if (before) head.start = *before;
  // A search that began from nothing goes on so, whatever is on record by now.
  if (!learns || context_.flag("from-scratch") || (before && before->empty())) return std::nullopt;
  const tune::SearchSubject subject{subject_.tunable->problem(), subject_.speed_identity,
                                    subject_.facts};
  auto start = tune::nearest_start(candidates(context_, subject_), subject,
                                   subject_.tunable->space(), head.seed, before.value_or(""));
  if (start) {
    head.start = start->id;
  } else if (before) {
    complain(
        fmt::format("note: {}: the search {} that this one started from is no longer on "
                    "record; goes on without it",
                    journal.string(), *before));
  }
  return start;
}

void SearchHistory::keep(const std::filesystem::path& journal, tune::MachineLock* lock) const {
  try {
    const auto store = value_or_throw(open_store(store_settings_of(context_)));
    if (!store) return;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    tune::KeptRun kept;
    kept.problem = subject_.tunable->problem();
    kept.facts = subject_.facts;
    kept.kiln = std::string(version());
    kept.system = system_text();
    kept.date = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    kept.run = read_journal(journal);
    // Two tuners that end at once would each put back what they have read.
    const bool locked =
        lock != nullptr && lock->wait(std::chrono::steady_clock::now() + longest_wait,
                                      [] { return true; }) == tune::MachineLock::Waited::locked;
    const auto done = tune::keep_run(*store, std::move(kept));
    if (locked) lock->unlock();
    value_or_throw(done);
  } catch (const Error& error) {
    log(LogLevel::warning, fmt::format("the search is not kept in the store: {}", error.message()));
  }
}

}  // namespace kiln::cli
