// Time steps of airfoil on ranks that have unlike devices, by how much of the mesh each of them
// has.
#include <algorithm>
#include <memory>
#include <vector>

#include "mpi/ranks/cases.hpp"
#include "mpi/ranks/flow.hpp"

namespace kiln::bench {
namespace {

/// Of the share that the slowest rank has in the end.
constexpr double other_shares[] = {0, 0.5, 1.5, 2};

/// `shares` with another one for the slowest rank; what is left goes to the others in proportion.
std::vector<double> with_slowest(std::vector<double> shares, double times) {
  const auto slowest = std::ranges::min_element(shares);
  const double before = *slowest, now = std::min(before * times, 0.9);
  for (double& share : shares) share *= (1 - now) / (1 - before);
  *slowest = now;
  return shares;
}

/// A cut of the mesh, and steps with it.
struct Cut {
  std::string by;
  std::vector<double> shares;
  std::unique_ptr<Flow> flow = {};
  std::vector<double> times = {};
};

}  // namespace

Found unlike_case(const mpi::Environment& mpi, const Words& given) {
  Words words = given;
  const std::string devices = take_value(words, "--devices", "gpu,cpu");
  const int rounds = number_in({take_value(words, "--rounds", "7")}, 0, "rounds");
  const auto rows = take_rows(mpi.comm(), words);
  const int steps = number_in(words, 0, "steps");
  const Runtime runtime = mpi::runtime_for_rank(mpi.comm(), {.devices = devices});
  std::vector<Cut> cuts;
  const auto flow_with = [&](const std::vector<double>& shares) {
    Flow::Setup setup{.weights = shares};
    setup.options.timing = true;
    return std::make_unique<Flow>(mpi.comm(), runtime, *rows, setup);
  };
  const std::vector<double> speeds = mpi::speeds(mpi.comm(), runtime);
  cuts.push_back({"speeds", speeds, flow_with(speeds)});
  // The same mesh is cut anew.
  cuts.push_back({"balanced", speeds, flow_with(speeds)});
  int cut_again = 0;
  {
    Flow& flow = *cuts.back().flow;
    for (mpi::Balancing balancing(mpi.comm(), flow.mesh(), flow.flow().cells());
         !balancing.is_done();) {
      flow.timed(steps);
      const auto shares = balancing.next();
      if (!shares) continue;
      cuts.back().shares = *shares;
      ++cut_again;
      flow.mesh().partition(mpi::scotch(flow.flow().cells(), {flow.flow().edge_cells()}), *shares);
    }
  }
  // Where the slowest one got nothing, a little for it.
  std::vector<double> around = cuts.back().shares;
  if (std::ranges::min(around) == 0) around = speeds;
  for (const double times : other_shares) {
    auto shares = with_slowest(around, times);
    auto flow = flow_with(shares);
    cuts.push_back({"sweep", std::move(shares), std::move(flow)});
  }
  for (Cut& one : cuts) one.flow->timed(steps);
  for (int round = 0; round < rounds; ++round)
    for (Cut& one : cuts) one.times.push_back(1e3 * one.flow->timed(steps) / steps);
  Found found{{"ranks", mpi.size()}, {"cells", rows->grid().all_cells}, {"cut_again", cut_again}};
  Found& all = found["cuts"] = Found::array();
  double best = 0;
  for (Cut& one : cuts) {
    const double step = median(one.times);
    best = best == 0 ? step : std::min(best, step);
    all.push_back({{"by", one.by}, {"shares", one.shares}, {"step_ms", step}});
  }
  found["speeds_ms"] = median(cuts[0].times);
  found["balanced_ms"] = median(cuts[1].times);
  found["best_ms"] = best;
  return found;
}

}  // namespace kiln::bench
