#include "cli/tune/search_one.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.hpp"
#include "cli/context.hpp"
#include "cli/output.hpp"
#include "cli/store_settings.hpp"
#include "cli/tune/history.hpp"
#include "cli/tune/journals.hpp"
#include "cli/tune/search_processes.hpp"
#include "cli/tune/time_option.hpp"
#include "tune/share/shared_search.hpp"
#include "tune/strategy/make.hpp"

namespace kiln::cli {
namespace {

/// Times shorter than this are taken over several launches: the clocks of some drivers step by
/// microseconds.
constexpr double least_sample = 200e-6;

tune::TunerOptions tuner_options(const SearchSettings& settings, tune::MachineLock* lock) {
  tune::TunerOptions options;
  options.budget = settings.budget;
  options.most = settings.evaluations;
  options.seed = settings.seed;
  options.lock = lock;
  options.policy.least_sample = least_sample;
  options.policy.finalists = 16;
  options.policy.most_rounds = 60;
  return options;
}

tune::TunerResult ended_by_others(const tune::Trial& winner, const tune::SearchSpace& space) {
  tune::TunerResult result;
  result.winner = tune::Measurement::Winner{winner.id, winner.outcome.time, 0, 0, {}};
  result.left_to_others = true;
  result.state.size = space.size();
  return result;
}

}  // namespace

std::optional<tune::MachineLock> lock_of_tuners() {
  auto lock = tune::MachineLock::open();
  if (lock) return *std::move(lock);
  complain(fmt::format(
      "note: {}; tunes without the lock, so that another tuner may disturb the measurements",
      lock.error().message()));
  return std::nullopt;
}

SearchSettings search_settings(const Context& context) {
  SearchSettings settings;
  settings.strategy = context.text("strategy");
  if (settings.strategy == "all")
    throw Error(Errc::bad_input, "--strategy all: compares strategies; expected --replay with it");
  settings.seed = static_cast<std::uint64_t>(context.integer("seed"));
  settings.budget = time_option(context, "budget");
  settings.evaluations = static_cast<std::size_t>(context.integer("evaluations"));
  settings.jobs = static_cast<std::size_t>(std::min<std::int64_t>(context.integer("jobs"), 256));
  settings.hang_time = time_option(context, "hang-time");
  settings.fresh = context.flag("fresh");
  settings.share = context.flag("share");
  settings.journal = context.text("journal");
  return settings;
}

tune::Journal::Subject journal_subject(const TuningSubject& subject,
                                       const SearchSettings& settings) {
  return {subject.tunable->identity(), subject.speed_identity, settings.strategy, settings.seed,
          tune::Journal::text_of(subject.tunable->space())};
}

std::filesystem::path journal_path(const tune::Journal::Subject& subject,
                                   const SearchSettings& settings) {
  if (!settings.journal.empty()) return settings.journal;
  const std::string what = subject.identity + '\n' + subject.device + '\n' + subject.strategy +
                           fmt::format("\n{}\n{}", subject.seed, subject.space);
  const auto folder = journal_folder();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(Errc::io,
                fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  return folder / (blake2b(as_bytes(what)).brief() + ".jsonl");
}

tune::TunerResult search_one(const Context& context, const TuningSubject& subject,
                             const SearchSettings& settings, tune::MachineLock* lock,
                             const tune::Tuner::Listener& listener) {
  const tune::Tunable& tunable = *subject.tunable;
  auto of = journal_subject(subject, settings);
  const auto path = journal_path(of, settings);
  const auto existing =
      settings.fresh ? tune::Journal::Existing::set_aside : tune::Journal::Existing::resume;
  std::optional<std::string> before;
  if (!settings.fresh) before = value_or_throw(tune::Journal::look(path, of));
  const SearchHistory history(context, subject);
  const auto start = history.start(path, before, of);
  auto journal = value_or_throw(tune::Journal::open(path, of, tunable.space(), existing));
  const std::size_t resumed = journal.entries().size();
  if (!context.flag("json")) {
    if (resumed > 0)
      print_text(fmt::format("Continues the search in {}: {} evaluations (--fresh begins anew).\n",
                             path.string(), resumed));
    if (start) print_text(fmt::format("Starts from {}.\n", start->text));
    flush_output();
  }
  std::unique_ptr<tune::SharedSearch> shared;
  if (settings.share) {
    const auto make = value_or_throw(
        tune::shared_board(store_settings_of(context), tune::SharedSearch::name_of(of)));
    shared = value_or_throw(tune::SharedSearch::open(make, tunable.space()));
    if (const auto ended = shared->finished()) return ended_by_others(*ended, tunable.space());
  }
  const auto strategy = value_or_throw(tune::make_strategy(
      settings.strategy, tunable.space(), settings.seed, start ? start->transfer : nullptr));
  SearchProcesses processes(context, subject, settings.jobs, settings.hang_time);
  tune::TunerOptions options = tuner_options(settings, lock);
  options.compilers = processes.compilers();
  options.compile_beside = !subject.device_is_cpu;
  options.partners = shared.get();
  tune::Tuner tuner(tunable, processes.worker(), *strategy, journal, options);
  auto result = value_or_throw(tuner.run(listener));
  if (!result.left_to_others) processes.keep(result.winner->id);
  history.keep(path, lock);
  result.resumed = resumed;
  if (start) result.started_from = start->text;
  return result;
}

}  // namespace kiln::cli
