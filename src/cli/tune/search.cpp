// `kiln tune ROUTINE`: a search on a device.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/duration.hpp"
#include "blas/tune/blas_tunable.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/context.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_line.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/tune/commands.hpp"
#include "cli/tune/time_option.hpp"
#include "tune/session/tuner.hpp"
#include "tune/strategy/make.hpp"
#include "tune/worker/in_child.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Times shorter than this are taken over several launches: the clocks of some drivers step by
/// microseconds.
constexpr double least_sample = 200e-6;

/// What is known of a device without its driver.
struct KnownDevice {
  std::string name, speed_identity;
  blas::TuningDevice facts;
};

/// Asked in a child: this process must stay free of drivers, since it forks those that measure.
KnownDevice look_at(const Context& context) {
  const auto look = [&] {
    const auto device = devices_of(context).front();
    const auto facts = blas::TuningDevice::of(*device);
    return Json{{"name", device->name},          {"speed", device->speed_identity()},
                {"cpu", facts.is_cpu},           {"floats", facts.native_floats},
                {"form", facts.gemm_form},       {"local", facts.local_memory},
                {"group", facts.work_group_size}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const Json json = Json::parse(value_or_throw(tune::in_child(look, std::chrono::minutes(2))));
  return {json["name"],
          json["speed"],
          {json["cpu"], json["floats"], json["form"], json["local"], json["group"]}};
}

std::filesystem::path state_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::filesystem::path(state) / "kiln" / "tuning";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/')
    throw Error(Errc::bad_input, "neither XDG_STATE_HOME nor HOME is set: expected --journal FILE");
  return std::filesystem::path(home) / ".local" / "state" / "kiln" / "tuning";
}

std::filesystem::path journal_path(const Context& context, const tune::Journal::Subject& subject) {
  if (context.has("journal")) return context.text("journal");
  const std::string what = subject.identity + '\n' + subject.device + '\n' + subject.strategy +
                           fmt::format("\n{}", subject.seed);
  const auto folder = state_folder();
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

void print_json_result(const tune::Tunable& tunable, const KnownDevice& device,
                       const std::filesystem::path& journal, const tune::TunerResult& result) {
  print_json({{"tuned", tunable.label()},
              {"device", device.name},
              {"configurations", tunable.space().size()},
              {"evaluated", result.state.evaluated},
              {"failed", result.state.failed},
              {"best", json_of(tunable.space(), result.winner->id)},
              {"best_seconds", result.winner->time},
              {"standard_seconds", result.standard},
              {"faster_by", result.standard / result.winner->time},
              {"finalists", result.winner->finalists},
              {"seconds", result.seconds},
              {"preparing_seconds", result.preparing},
              {"running_seconds", result.running},
              {"replaced_processes", result.replaced},
              {"journal", journal.string()}});
}

void print_result(const tune::Tunable& tunable, const KnownDevice& device,
                  const std::filesystem::path& journal, const tune::TunerResult& result) {
  const bool is_standard = tunable.standard() == result.winner->id;
  print_text(fmt::format("{} on {}\n", tunable.label(), device.name));
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
  const blas::Call call = call_of(context);
  const KnownDevice device = look_at(context);
  const auto tunable = value_or_throw(blas::make_blas_tunable(call, device.facts));
  const auto seed = static_cast<std::uint64_t>(context.integer("seed"));
  const std::string& strategy_name = context.text("strategy");
  if (strategy_name == "all")
    throw Error(Errc::bad_input, "--strategy all: compares strategies; expected --replay with it");
  const tune::Journal::Subject subject{tunable->identity(), device.speed_identity, strategy_name,
                                       seed, tune::Journal::text_of(tunable->space())};
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

  // What the child has: made by it, after the fork.
  std::unique_ptr<Resolver> resolver;
  std::optional<Queue> queue;
  tune::Worker worker(
      [&] {
        resolver = make_resolver(context);
        const auto chosen = devices_of(context).front();
        queue.emplace(kiln::Context::create({chosen}), chosen);
        return tunable->open(*resolver, queue->context(), *queue);
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
  stop_if_interrupted();
  return 0;
}

}  // namespace kiln::cli
