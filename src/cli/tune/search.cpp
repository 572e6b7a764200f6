// `kiln tune ROUTINE` and `kiln tune SPEC`: a search on a device.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/duration.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/context.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_line.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/tune/commands.hpp"
#include "cli/tune/journals.hpp"
#include "cli/tune/report.hpp"
#include "cli/tune/subject.hpp"
#include "cli/tune/time_option.hpp"
#include "tune/session/tuner.hpp"
#include "tune/strategy/make.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Times shorter than this are taken over several launches: the clocks of some drivers step by
/// microseconds.
constexpr double least_sample = 200e-6;

std::filesystem::path journal_path(const Context& context, const tune::Journal::Subject& subject) {
  if (context.has("journal")) return context.text("journal");
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

/// "rows=32 columns=12": the configuration, for people.
Json json_of(const tune::SearchSpace& space, tune::ConfigurationId id) {
  Json json = Json::object();
  for (std::size_t i = 0; i < space.parameters().size(); ++i)
    json[space.parameters()[i].name] = space.value(id, i).to_integer().value_or(0);
  return json;
}

void print_json_result(const tune::Tunable& tunable, const std::string& device,
                       const std::filesystem::path& journal, const tune::TunerResult& result) {
  print_json({{"tuned", tunable.label()},
              {"device", device},
              {"configurations", tunable.space().size()},
              {"evaluated", result.state.evaluated},
              {"failed", result.state.failed},
              {"best", json_of(tunable.space(), result.winner->id)},
              {"best_seconds", result.winner->time},
              {"standard_seconds", result.standard},
              {"faster_by", result.standard / result.winner->time},
              {"finalists", result.winner->finalists},
              {"seconds", result.seconds},
              {"compiling_seconds", result.compiling},
              {"running_seconds", result.running},
              {"replaced_processes", result.replaced},
              {"journal", journal.string()}});
}

void print_result(const tune::Tunable& tunable, const std::string& device,
                  const std::filesystem::path& journal, const tune::TunerResult& result) {
  const bool is_standard = tunable.standard() == result.winner->id;
  print_text(fmt::format("{} on {}\n", tunable.label(), device));
  Table table({"parameters", "", "time"});
  if (result.standard > 0)
    table.row(
        {tunable.space().text(*tunable.standard()), "built in", duration(result.standard * 1e9)});
  if (!is_standard)
    table.row({tunable.space().text(result.winner->id),
               result.standard > 0
                   ? fmt::format("fastest, {:.3f} x", result.standard / result.winner->time)
                   : "fastest",
               duration(result.winner->time * 1e9)});
  print(table.text());
  print_text(
      fmt::format("{} of {} configurations measured, {} of them failed. {}.\n"
                  "Journal: {}\n",
                  result.state.evaluated, tunable.space().size(), result.state.failed,
                  is_standard ? "Nothing is surely faster than what is built in"
                              : "On record: calls use it from now on",
                  journal.string()));
}

}  // namespace

int tune_search(Context& context) {
  const auto [device, speed_identity, tunable] = tuning_subject(context);
  const auto seed = static_cast<std::uint64_t>(context.integer("seed"));
  const std::string& strategy_name = context.text("strategy");
  if (strategy_name == "all")
    throw Error(Errc::bad_input, "--strategy all: compares strategies; expected --replay with it");
  const tune::Journal::Subject subject{tunable->identity(), speed_identity, strategy_name, seed,
                                       tune::Journal::text_of(tunable->space())};
  const auto path = journal_path(context, subject);
  auto journal =
      value_or_throw(tune::Journal::open(path, subject, tunable->space(), context.flag("resume")));
  const auto strategy = value_or_throw(tune::make_strategy(strategy_name, tunable->space(), seed));
  auto lock = value_or_throw(tune::MachineLock::open());

  tune::TunerOptions options;
  options.budget = time_option(context, "budget");
  options.most = static_cast<std::size_t>(context.integer("evaluations"));
  options.seed = seed;
  options.lock = &lock;
  options.policy.least_sample = least_sample;
  options.policy.finalists = 16;
  options.policy.most_rounds = 60;
  tune::WorkerLimits limits;
  limits.prepare = limits.run = time_option(context, "hang-time");

  const tune::Tunable* const measured = tunable.get();
  // What the child has: made by it, after the fork.
  std::unique_ptr<Resolver> resolver;
  std::optional<Queue> queue;
  tune::Worker worker(
      [&] {
        resolver = make_resolver(context);
        const auto chosen = devices_of(context).front();
        queue.emplace(kiln::Context::create({chosen}), chosen);
        return measured->open(*resolver, queue->context(), *queue);
      },
      limits);
  tune::Tuner tuner(*tunable, worker, *strategy, journal, options);

  const std::size_t total =
      options.most > 0
          ? options.most
          : static_cast<std::size_t>(std::max<std::int64_t>(1, options.budget.count() / 1000));
  Progress progress("tune", total);
  std::size_t shown = 0;
  const auto listener = [&](const tune::TunerState& state) {
    const std::size_t done =
        std::min(total, options.most > 0 ? state.evaluated
                                         : static_cast<std::size_t>(state.spent.count() / 1000));
    std::string note = fmt::format("{} of {}", state.evaluated, state.size);
    if (state.best)
      note += fmt::format(", best {} {}", duration(state.best->outcome.time * 1e9),
                          tunable->space().text(state.best->id));
    progress.advance(done > shown ? done - shown : 0, note);
    shown = std::max(shown, done);
    return !interrupted();
  };
  const auto result = value_or_throw(tuner.run(listener));
  progress.hide();
  context.flag("json") ? print_json_result(*tunable, device, path, result)
                       : print_result(*tunable, device, path, result);
  flush_output();
  if (context.has("report")) write_report(path, context.text("report"));
  stop_if_interrupted();
  return 0;
}

}  // namespace kiln::cli
