// From a file to the first time step on ranks.
#include <fmt/format.h>

#include <algorithm>

#include "frame/statistics.hpp"
#include "mpi/bars.hpp"
#include "mpi/launch.hpp"

namespace kiln::bench {
namespace {

constexpr int along = 400, out = 600;  // 720000 cells

/// Measured once for all bars of a kind.
const nlohmann::json& partition_of(const Context& context) {
  static const nlohmann::json found =
      run_ranks(context, {.count = 2}, {"partition", grid_of(context, along, out)});
  return found;
}
const nlohmann::json& setup_of(const Context& context) {
  // The shortest time of several, and the most memory.
  static const nlohmann::json found = [&] {
    nlohmann::json best;
    double peak = 0;
    for (int round = 0; round < 3; ++round) {
      auto one = run_ranks(context, {.count = 2}, {"setup", grid_of(context, along, out)});
      peak = std::max(peak, one["peak"].get<double>());
      if (best.is_null() || one["seconds"] < best["seconds"]) best = std::move(one);
    }
    best["peak"] = peak;
    return best;
  }();
  return found;
}

Outcome edge_cut(const Context& context) {
  const auto& found = partition_of(context);
  const double ours = found["cut"], theirs = found["alone_cut"];
  return Figure{ours / theirs, fmt::format("{:.0f} edges against {:.0f}, the median of {} seeds",
                                           ours, theirs, found["alone_cuts"].size())};
}

Outcome balance(const Context& context) { return Figure{partition_of(context)["balance"], ""}; }

Outcome cut_time(const Context& context) {
  const auto& found = partition_of(context);
  return Figure{found["seconds"],
                fmt::format("PT-Scotch alone {:.2f} s", found["alone_time"].get<double>())};
}

Outcome setup_time(const Context& context) {
  const auto& found = setup_of(context);
  return Figure{found["seconds"], fmt::format("read and declared after {:.2f} s",
                                              found["read_seconds"].get<double>())};
}

Outcome memory(const Context& context) {
  const auto& found = setup_of(context);
  constexpr double mb = 1e6;
  const double share = found["share"].get<double>() / mb, peak = found["peak"].get<double>() / mb;
  return Figure{peak - 1.5 * share,
                fmt::format("at most {:.0f} MB above those of a rank without a mesh ({:.0f} MB); "
                            "its share of maps and dats {:.1f} MB",
                            peak, found["before"].get<double>() / mb, share)};
}

/// Of a store that has nothing, and then everything.
Outcome compilations(const Context& context, int ranks, bool is_warm) {
  const std::string store = scratch_path(fmt::format("start-{}-{}", ranks, is_warm));
  const std::vector<std::string> words{"start", grid_of(context, 20, 30), store};
  auto found = run_ranks(context, {.count = ranks}, words);
  if (is_warm) found = run_ranks(context, {.count = ranks}, words);
  const double compiled = found["compiled"], loops = found["loops"];
  return Figure{
      is_warm ? compiled : compiled / loops,
      fmt::format("{:.0f} programs compiled for {:.0f} loops on {} ranks", compiled, loops, ranks)};
}

}  // namespace

std::vector<Bar> mpi_setup_bars() {
  return {{"mpi/cut",
           "edges that Kiln's partition of 720000 cells cuts, against PT-Scotch called directly (2 "
           "ranks, the same graph and strategy)",
           Holds::at_most, 1.05, "x", edge_cut},
          {"mpi/balance", "the largest part of that partition, of the mean", Holds::at_most, 1.05,
           "x", balance},
          {"mpi/cut-time", "time for that partition", Holds::at_most, 3, "s", cut_time},
          {"mpi/setup", "read, cut, migrate and find halos of 720000 cells on 2 ranks",
           Holds::at_most, 5, "s", setup_time},
          {"mpi/memory", "memory of a rank meanwhile, above 1.5 times its share of the mesh",
           Holds::at_most, 50, "MB more", memory},
          {"mpi/start-2", "compilations of a loop by 2 ranks with an empty store", Holds::at_most,
           1, "a loop", [](const Context& context) { return compilations(context, 2, false); }},
          {"mpi/start-4", "the same by 4 ranks", Holds::at_most, 1, "a loop",
           [](const Context& context) { return compilations(context, 4, false); }},
          {"mpi/start-warm", "compilations by 2 ranks whose store has the loops", Holds::at_most, 0,
           "in all", [](const Context& context) { return compilations(context, 2, true); }}};
}

}  // namespace kiln::bench
