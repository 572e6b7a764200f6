// The plan of airfoil's res_calc on the reference mesh, against a builder that makes the same plan
// as OP2 does.
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <thread>

#include "base/clock.hpp"
#include "frame/statistics.hpp"
#include "mesh/airfoil_maps.hpp"
#include "mesh/bars.hpp"
#include "mesh/plan/mesh_plan.hpp"
#include "mesh/serial_plan.hpp"

namespace kiln::bench {
namespace {

constexpr std::uint32_t block_size = 256;

/// Both sides must have made one plan; a line about what differs, else nothing.
std::string difference_of(const SerialPlan& serial, const mesh::MeshPlan& plan) {
  const auto same = [](const auto& a, const auto& b) { return std::ranges::equal(a, b); };
  if (!same(serial.blkmap, plan.blkmap) || !same(serial.ncolblk, plan.ncolblk))
    return "the colours of blocks differ";
  if (!same(serial.thrcol, plan.thrcol) || !same(serial.nthrcol, plan.nthrcol))
    return "the colours of elements differ";
  if (!same(serial.ind_sizes, plan.ind_sizes) || serial.nshared != plan.nshared())
    return "the sizes of the staging maps differ";
  return {};
}

Outcome plan_on_threads(int threads) {
  if (static_cast<int>(std::thread::hardware_concurrency()) < threads)
    return not_measured(fmt::format("the machine has fewer than {} cores", threads));
  const AirfoilMaps maps = airfoil_maps(400, 600);
  const auto input = res_calc_input(maps, mesh::Scheme::staged, block_size);
  tbb::task_arena arena(threads);
  const auto build = [&] { return arena.execute([&] { return mesh::build_plan(input); }); };
  if (auto differs = difference_of(serial_plan(input), mesh::MeshPlan(build())); !differs.empty())
    return not_measured(differs);
  const auto timed = [](auto&& make) -> Sample {
    return [make]() -> tl::expected<double, std::string> {
      const Stopwatch watch;
      const auto plan = make();
      return watch.seconds() * 1e3;
    };
  };
  const auto pairs = interleave(timed([&] { return serial_plan(input); }), timed(build), 15);
  if (!pairs) return not_measured(pairs.error());
  return ratio(*pairs, "ms");
}

}  // namespace

std::vector<Bar> plan_bars() {
  return {{"mesh/plan-1",
           "plan of res_calc (1,438,600 edges, blocks of 256, staged) on one thread, against a "
           "builder that makes it as OP2 does",
           Holds::at_least, 4, "x faster", [](const Context&) { return plan_on_threads(1); }},
          {"mesh/plan-2", "the same on two threads", Holds::at_least, 6, "x faster",
           [](const Context&) { return plan_on_threads(2); }}};
}

}  // namespace kiln::bench
