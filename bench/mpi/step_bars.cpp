// Time steps of airfoil over ranks, and what a call of a loop costs there.
#include <fmt/format.h>

#include <cmath>

#include "frame/statistics.hpp"
#include "kiln/runtime.hpp"
#include "mpi/bars.hpp"
#include "mpi/launch.hpp"

namespace kiln::bench {
namespace {

using Samples = std::vector<double>;

Samples samples_of(const nlohmann::json& found, const char* name) {
  return found.at(name).get<Samples>();
}

Outcome cost(const Context& context) {
  need_cores(2);
  const auto found =
      run_ranks(context, {.count = 3}, {"duel", grid_of(context, 400, 600), "5", "15"});
  Figure figure = ratio({samples_of(found, "two_ms"), samples_of(found, "one_ms")}, "ms");
  const double two = found["rms"][0], one = found["rms"][1];
  if (std::abs(two - one) > 1e-12 * one)
    return not_measured(fmt::format("the rms differ: {} and {}", two, one));
  return figure;
}

Outcome overlap(const Context& context) {
  need_cores(2);
  const fs::path layer = context.binaries.parent_path() / "lib" / "libkiln-mpi-delay.so";
  if (!fs::exists(layer)) return not_measured("libkiln-mpi-delay.so, the tests', is not built");
  const auto found =
      run_ranks(context, {.count = 2, .placement = {"-x", "LD_PRELOAD=" + layer.string()}},
                {"delay", grid_of(context, 400, 600), "5", "21", "2000"});
  Figure figure = difference({samples_of(found, "late_ms"), samples_of(found, "prompt_ms")}, "ms");
  figure.detail +=
      fmt::format("; {:g} messages and {:.0f} kB a step", found["messages"].get<double>(),
                  1e-3 * found["bytes"].get<double>());
  return figure;
}

Outcome call(const Context& context) {
  const auto found = run_ranks(context, {.count = 2}, {"call"});
  return Figure{found["more_us"],
                fmt::format("{:.2f} us, its enqueues {:.2f} us", found["call_us"].get<double>(),
                            found["enqueue_us"].get<double>())};
}

/// Milliseconds of a step on so many ranks, each bound to a core, or one that has them all.
double step_ms(const Context& context, int ranks, const std::string& grid,
               const std::string& devices = "cpu") {
  return run_ranks(context, {.count = ranks},
                   {"airfoil", grid, "10", "--rounds", "9", "--devices", devices})["step_ms"];
}

/// Efficiency of many ranks against one with as many threads, in turns.
Outcome strong(const Context& context, int ranks) {
  need_cores(ranks);
  const std::string grid = grid_of(context, 400, 600);
  Pairs pairs;
  for (int round = 0; round < 3; ++round) {
    pairs.first.push_back(step_ms(context, ranks, grid));
    pairs.second.push_back(step_ms(context, 1, grid));
  }
  return ratio(pairs, "ms");
}

/// A mesh of 180000 cells a rank against one rank with as many threads on the same mesh.
Outcome weak(const Context& context, int ranks) {
  need_cores(ranks);
  const std::string grid = grid_of(context, 200, 300 * ranks);
  const double many = step_ms(context, ranks, grid), one = step_ms(context, 1, grid);
  return Figure{one / many, fmt::format("{:.2f} ms a step against {:.2f} ms of one rank with as "
                                        "many threads",
                                        many, one)};
}

/// Several GPUs against one of them.
Outcome gpus(const Context& context, int count, bool is_weak) {
  need_gpus(count);
  const std::string small = grid_of(context, 800, 1200);
  const double one = step_ms(context, 1, small, "gpu");
  const double many =
      step_ms(context, count, is_weak ? grid_of(context, 800, 1200 * count) : small, "gpu");
  return Figure{one / many, fmt::format("{:.3f} ms a step against {:.3f} ms of one", many, one)};
}

Outcome gpu_exchange(const Context& context) {
  need_gpus(2);
  const auto found =
      run_ranks(context, {.count = 2}, {"exchange", "40000", "300", "--devices", "gpu"});
  return Figure{found["exchange_us"], ""};
}

/// A GPU's rank and a CPU's, with the shares that Kiln finds, against the best of several.
Outcome unlike(const Context& context) {
  need_gpus(1);
  // Of several GPUs the second rank would have the second one.
  const auto gpu = Runtime({.devices = "gpu", .store = "off"}).devices().front().index;
  const auto found = run_ranks(
      context, {.count = 2},
      {"unlike", grid_of(context, 400, 600), "20", "--devices", fmt::format("{},cpu", gpu)});
  const double ours = found["balanced_ms"], first = found["speeds_ms"], best = found["best_ms"];
  return Figure{ours / best, fmt::format("{:.3f} ms a step, {:.3f} ms with the shares at first, "
                                         "{:.3f} ms with the best of {}",
                                         ours, first, best, found["cuts"].size())};
}

/// How far the time of a step is from what was computed beforehand.
Outcome model(const Context& context, int ranks) {
  need_cores(ranks);
  const auto found = run_ranks(
      context, {.count = ranks},
      {"model", grid_of(context, 400, 600), grid_of(context, 400, 600 / ranks), "5", "15"});
  if (found["messages"] != found["messages_expected"] || found["bytes"] != found["bytes_expected"])
    return not_measured(fmt::format(
        "{} messages and {} bytes a step, expected {} and {}", found["messages"].dump(),
        found["bytes"].dump(), found["messages_expected"].dump(), found["bytes_expected"].dump()));
  const double off = found["off"];
  return Figure{std::abs(off),
                fmt::format("{:.2f} ms a step predicted, {:.2f} ms measured; {:.1f} "
                            "ns a cell",
                            found["predicted_ms"].get<double>(), found["measured_ms"].get<double>(),
                            found["cell_ns"].get<double>())};
}

}  // namespace

std::vector<Bar> mpi_step_bars() {
  return {
      {"mpi/cost",
       "a time step of airfoil, 720000 cells, on 2 ranks of one thread, against one rank of two",
       Holds::at_most, 1.10, "x", cost},
      {"mpi/overlap", "a time step on 2 ranks, 720000 cells, with messages that take 2 ms",
       Holds::at_most, 0.4, "ms more", overlap},
      {"mpi/call", "a loop of 8 arguments on 2 ranks that exchanges nothing, above its enqueues",
       Holds::at_most, 5, "us more", call},
      {"mpi/model-1", "a time step on 1 rank, 720000 cells, as docs/scaling.md predicts it",
       Holds::at_most, 0.15, "off", [](const Context& context) { return model(context, 1); }},
      {"mpi/model-2", "the same on 2 ranks", Holds::at_most, 0.15, "off",
       [](const Context& context) { return model(context, 2); }},
      {"mpi/model-16", "the same on 16 ranks", Holds::at_most, 0.15, "off",
       [](const Context& context) { return model(context, 16); }},
      {"mpi/strong-16",
       "a time step, 720000 cells, on 16 ranks of one thread, against one rank of 16",
       Holds::at_most, 1.05, "x", [](const Context& context) { return strong(context, 16); }},
      {"mpi/weak-16", "16 ranks with 180000 cells each, of one rank with 16 threads",
       Holds::at_least, 0.9, "of it", [](const Context& context) { return weak(context, 16); }},
      {"mpi/unlike", "a time step on a GPU and the CPU by their speeds, against the best of 6 cuts",
       Holds::at_most, 1.1, "x", unlike},
      {"mpi/gpus-2", "a time step, 2.88 million cells, on 2 GPUs, against one", Holds::at_least,
       1.75, "x faster", [](const Context& context) { return gpus(context, 2, false); }},
      {"mpi/gpus-2-weak", "2.88 million cells a GPU on 2 GPUs, of one", Holds::at_least, 0.93,
       "of it", [](const Context& context) { return gpus(context, 2, true); }},
      {"mpi/gpus-4", "a time step, 2.88 million cells, on 4 GPUs, against one", Holds::at_least,
       3.0, "x faster", [](const Context& context) { return gpus(context, 4, false); }},
      {"mpi/gpus-4-weak", "2.88 million cells a GPU on 4 GPUs, of one", Holds::at_least, 0.9,
       "of it", [](const Context& context) { return gpus(context, 4, true); }},
      {"mpi/gpu-exchange", "a halo of 40 kB between two ranks' GPUs, both ways", Holds::at_most, 60,
       "us", gpu_exchange}};
}

std::vector<Bar> mpi_bars() {
  std::vector<Bar> bars = mpi_setup_bars();
  for (auto& bar : mpi_step_bars()) bars.push_back(std::move(bar));
  return bars;
}

}  // namespace kiln::bench
