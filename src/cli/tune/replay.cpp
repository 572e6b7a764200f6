// `kiln tune --replay`: strategies on a measured space.
#include "tune/replay/replay.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/tune/search.hpp"
#include "tune/strategy/forest_search.hpp"

namespace kiln::cli {
namespace {

/// The largest file, in bytes as stored (mostly compressed).
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

tune::MeasuredSpace read(const std::string& path) {
  const EndsAtOnce reading;
  const Bytes bytes = value_or_throw(read_input(path, kMostBytes));
  return value_or_throw(tune::read_measured_space(bytes, path));
}

/// The space and the options that all strategies are compared with.
struct Replay {
  std::string path, from_path;
  tune::MeasuredSpace space;
  std::optional<tune::MeasuredSpace> from;
  std::size_t from_evaluations = 0;
  tune::ReplayOptions options;
};

std::shared_ptr<const tune::Transfer> brought_over(const Replay& replay,
                                                   std::span<const tune::Trial> trials,
                                                   std::uint64_t seed) {
  auto transfer = tune::Transfer::make(replay.from->space, trials, replay.space.space, seed);
  if (!transfer) {
    throw Error(transfer.error().code(),
                fmt::format("{} has nothing in common with {}: {}", one_line(replay.from_path),
                            one_line(replay.path), transfer.error().message()));
  }
  return *std::move(transfer);
}

/// What the search with this seed starts from: a run with the same seed on the other device.
std::shared_ptr<const tune::Transfer> run_elsewhere(const Replay& replay, std::uint64_t seed) {
  const auto& from = *replay.from;
  const auto strategy = value_or_throw(tune::make_strategy("", from.space, seed));
  const tune::Search search = tune::replay(from, *strategy, replay.options.share,
                                           replay.from_evaluations, replay.from_evaluations);
  return brought_over(replay, search.trials, seed);
}

tune::ReplayFigures measure(const Replay& replay, std::string_view strategy, Progress& progress) {
  std::shared_ptr<const tune::Transfer> all;
  if (replay.from && replay.from_evaluations == 0) {
    all = brought_over(replay, replay.from->trials(), 1);
  }
  auto options = replay.options;
  options.after_seed = [&] {
    progress.advance(1, strategy);
    return !interrupted();
  };
  const auto make = [&](std::uint64_t seed) {
    const auto transfer = replay.from && !all ? run_elsewhere(replay, seed) : all;
    return value_or_throw(
        tune::make_strategy(std::string(strategy), replay.space.space, seed, transfer));
  };
  auto figures = tune::replay_seeds(replay.space, make, options);
  stop_if_interrupted();
  return figures;
}

void print_figures_json(const Replay& replay, std::string_view strategy,
                        const tune::ReplayFigures& figures) {
  print_json({{"strategy", strategy},
              {"median_evaluations", figures.median_evaluations},
              {"p90_evaluations", figures.p90_evaluations},
              {"score", figures.score},
              {"seeds", figures.seeds},
              {"not_reached", figures.not_reached},
              {"configurations", replay.space.outcomes.size()},
              {"failing", replay.space.failures()},
              {"device", replay.space.device},
              {"kernel", replay.space.kernel},
              {"evaluations", figures.evaluations}});
}

std::string replay_title(const Replay& replay) {
  const auto& space = replay.space;
  const std::string kernel = space.kernel.empty() ? "a kernel" : one_line(space.kernel);
  const std::string device = space.device.empty() ? "a device" : one_line(space.device);
  return fmt::format("{} on {}: {} configurations, {} failing; evaluations until within {:g} %\n",
                     kernel, device, space.outcomes.size(), space.failures(),
                     100 * (1 - replay.options.share));
}

}  // namespace

int tune_replay(const Context& context, std::span<const std::string_view> strategies) {
  const std::string path = context.text("replay");
  refuse_calls(path, "--replay");
  if (context.has("from")) refuse_calls(context.text("from"), "--from with --replay");
  Replay replay{path, context.text("from"), read(path), std::nullopt, 0, {}};
  if (context.has("from")) replay.from = read(replay.from_path);
  replay.from_evaluations = static_cast<std::size_t>(context.integer("from-evaluations"));
  if (replay.from_evaluations > 0 && !replay.from) {
    throw bad_input("--from-evaluations says how much of --from FILE to take; expected --from");
  }
  const double within = context.number("within");
  if (within >= 100) throw bad_input("--within must be less than 100");
  replay.options.share = 1 - within / 100;
  constexpr std::int64_t most_seeds = 1'000'000;
  if (context.integer("seeds") > most_seeds)
    throw bad_input("--seeds: found {}, expected at most {}", context.integer("seeds"), most_seeds);
  replay.options.seeds = static_cast<std::size_t>(context.integer("seeds"));
  replay.options.threads = std::max(1u, std::thread::hardware_concurrency());
  const std::string_view only[] = {context.text("strategy")};
  if (only[0] != "all") strategies = only;

  const bool as_json = context.flag("json");
  Table table({"strategy", "median", "p90", "score", "missed"});
  Progress progress("tune", strategies.size() * replay.options.seeds, Progress::OffTerminal::lines);
  for (const auto strategy : strategies) {
    const auto figures = measure(replay, strategy, progress);
    if (as_json) {
      progress.hide();
      print_figures_json(replay, strategy, figures);
      continue;
    }
    table.row(strategy, fmt::format("{:g}", figures.median_evaluations),
              fmt::format("{:g}", figures.p90_evaluations), fmt::format("{:.3f}", figures.score),
              figures.not_reached);
  }
  progress.hide();
  if (!as_json) print_text(replay_title(replay) + table.text());
  return 0;
}

}  // namespace kiln::cli
