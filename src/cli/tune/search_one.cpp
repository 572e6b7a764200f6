#include "cli/tune/search_one.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/digest.hpp"
#include "cli/context.hpp"
#include "cli/session.hpp"
#include "cli/tune/journals.hpp"
#include "cli/tune/time_option.hpp"
#include "tune/strategy/make.hpp"

namespace kiln::cli {
namespace {

/// Times shorter than this are taken over several launches: the clocks of some drivers step by
/// microseconds.
constexpr double least_sample = 200e-6;

tune::TunerOptions tuner_options(const SearchSettings& settings, tune::MachineLock& lock) {
  tune::TunerOptions options;
  options.budget = settings.budget;
  options.most = settings.evaluations;
  options.seed = settings.seed;
  options.lock = &lock;
  options.policy.least_sample = least_sample;
  options.policy.finalists = 16;
  options.policy.most_rounds = 60;
  return options;
}

}  // namespace

SearchSettings search_settings(const Context& context) {
  SearchSettings settings;
  settings.strategy = context.text("strategy");
  if (settings.strategy == "all")
    throw Error(Errc::bad_input, "--strategy all: compares strategies; expected --replay with it");
  settings.seed = static_cast<std::uint64_t>(context.integer("seed"));
  settings.budget = time_option(context, "budget");
  settings.evaluations = static_cast<std::size_t>(context.integer("evaluations"));
  settings.hang_time = time_option(context, "hang-time");
  settings.resume = context.flag("resume");
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
                           fmt::format("\n{}", subject.seed);
  const auto folder = journal_folder();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(Errc::io,
                fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  return folder / (blake2b(as_bytes(what)).brief() + ".jsonl");
}

tune::TunerResult search_one(const Context& context, const TuningSubject& subject,
                             const SearchSettings& settings,
                             const tune::Tuner::Listener& listener) {
  const tune::Tunable& tunable = *subject.tunable;
  const auto of = journal_subject(subject, settings);
  auto journal = value_or_throw(
      tune::Journal::open(journal_path(of, settings), of, tunable.space(), settings.resume));
  const auto strategy =
      value_or_throw(tune::make_strategy(settings.strategy, tunable.space(), settings.seed));
  auto lock = value_or_throw(tune::MachineLock::open());
  tune::WorkerLimits limits;
  limits.prepare = limits.run = settings.hang_time;
  // What the child has: made by it, after the fork.
  std::unique_ptr<Resolver> resolver;
  std::optional<Queue> queue;
  tune::Worker worker(
      [&] {
        resolver = make_resolver(context);
        const DevicePtr chosen = subject.find_device();
        queue.emplace(kiln::Context::create({chosen}), chosen);
        return tunable.open(*resolver, queue->context(), *queue);
      },
      limits);
  tune::Tuner tuner(tunable, worker, *strategy, journal, tuner_options(settings, lock));
  return value_or_throw(tuner.run(listener));
}

}  // namespace kiln::cli
