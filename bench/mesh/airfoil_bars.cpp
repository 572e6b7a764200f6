// Airfoil on the reference mesh: kiln::mesh on PoCL against OpenMP by hand, and against what the
// device's memory gives.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "airfoil.hpp"
#include "base/clock.hpp"
#include "device/device.hpp"
#include "frame/statistics.hpp"
#include "mesh/bars.hpp"
#include "mesh/io/mesh_io.hpp"
#include "mesh/loop/timing.hpp"
#include "mesh/model/session.hpp"
#include "mesh/omp_airfoil.hpp"

namespace kiln::bench {
namespace {

/// Bytes of a time step on the mesh of 720000 cells as OP2 counts them: each datum once a loop.
constexpr double bytes_by_op2 = 0.783e9;
constexpr std::size_t omp_block = 16384;

struct AirfoilGrid {
  mesh::MeshFile file;
  airfoil::Grid grid;

  AirfoilGrid(int along, int out) : file(value_or_throw(mesh::make_naca0012({along, out}))) {
    grid.nodes = static_cast<std::size_t>(file.find_set("nodes")->size);
    grid.cells = static_cast<std::size_t>(file.find_set("cells")->size);
    grid.cell_nodes = file.find_map("pcell")->values;
    grid.edge_nodes = file.find_map("pedge")->values;
    grid.edge_cells = file.find_map("pecell")->values;
    grid.bedge_nodes = file.find_map("pbedge")->values;
    grid.bedge_cells = file.find_map("pbecell")->values;
    grid.bound = mesh::values_of<std::int32_t>(*file.find_dat("p_bound"));
    grid.x = mesh::values_of<double>(*file.find_dat("p_x"));
  }
};

mesh::Mesh::Options options_on(const char* device, std::size_t queued) {
  mesh::Mesh::Options options;
  options.device = device;
  options.store = "off";
  options.queued = queued;
  return options;
}

/// OpenMP's threads go on spinning for a while after their work, on cores that the other side is to
/// be measured on.
void let_threads_rest() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

/// Both sides on one mesh, in step with each other.
class AirfoilDuel {
 public:
  enum Loop { save_soln, adt_calc, res_calc, bres_calc, update, loops };

  AirfoilDuel()
      : grid_(400, 600),
        mesh_(options_on("cpu", 32)),
        ours_(mesh_, grid_.grid),
        theirs_(grid_.grid, omp_block) {
    for (int i = 0; i < 3; ++i) ours_.step(), theirs_.step();
    mesh_.finish();
  }

  /// Ours over theirs, of whole time steps, some at a time in turns.
  Outcome whole() {
    constexpr int rounds = 15, steps = 5;
    std::vector<double> a, b, ratios;
    for (int round = 0; round < rounds; ++round) {
      let_threads_rest();
      Stopwatch watch;
      for (int i = 0; i < steps; ++i) ours_.step();
      mesh_.finish();
      a.push_back(1e3 * watch.seconds() / steps);
      watch = {};
      for (int i = 0; i < steps; ++i) theirs_.step();
      b.push_back(1e3 * watch.seconds() / steps);
      ratios.push_back(a.back() / b.back());
    }
    if (auto wrong = disagreement()) return not_measured(*wrong);
    return Figure{median(ratios),
                  fmt::format("{:.2f} ms a time step against {:.2f} ms", median(a), median(b))};
  }

  /// The same of one loop, in the course of time steps.
  Outcome of(Loop loop) {
    constexpr int steps = 15;
    std::vector<double> a, b, ratios;
    for (int i = 0; i < steps; ++i) {
      let_threads_rest();
      const double mine = timed_step(ours_, loop, [&] { mesh_.finish(); });
      const double other = timed_step(theirs_, loop, [] {});
      a.push_back(1e3 * mine), b.push_back(1e3 * other), ratios.push_back(mine / other);
    }
    if (auto wrong = disagreement()) return not_measured(*wrong);
    return Figure{median(ratios), fmt::format("{:.3f} ms against {:.3f} ms", median(a), median(b))};
  }

 private:
  /// Both compute the same flow.
  std::optional<std::string> disagreement() {
    const double mine = ours_.rms(), other = theirs_.rms();
    if (std::abs(mine - other) <= 1e-9 * other) return std::nullopt;
    return fmt::format("the rms differ: {} and {}", mine, other);
  }

  template <class Side, class Finish>
  static double timed_step(Side& side, Loop wanted, const Finish& finish) {
    double seconds = 0;
    const auto run = [&](Loop loop, auto&& body) {
      finish();
      const Stopwatch watch;
      body();
      finish();
      if (loop == wanted) seconds += watch.seconds();
    };
    run(save_soln, [&] { side.save_soln(); });
    for (int stage = 0; stage < 2; ++stage) {
      run(adt_calc, [&] { side.adt_calc(); });
      run(res_calc, [&] { side.res_calc(); });
      run(bres_calc, [&] { side.bres_calc(); });
      run(update, [&] { side.clear_and_update(); });
    }
    return wanted == save_soln ? seconds : seconds / 2;
  }

  AirfoilGrid grid_;
  mesh::Mesh mesh_;
  airfoil::Airfoil<double> ours_;
  OmpAirfoil theirs_;
};

AirfoilDuel& airfoil_duel() {
  static AirfoilDuel one;
  return one;
}

/// A share of the device's copy bandwidth: the middle of rounds that measure both.
template <class Measure>
Outcome share_of_copy(mesh::Mesh& mesh, const Measure& gigabytes_per_second, std::size_t array,
                      const std::string& detail) {
  mesh::Session& session = *mesh::Handles::session(mesh);
  constexpr int rounds = 7;
  std::vector<double> shares, rates, copies;
  for (int round = 0; round < rounds; ++round) {
    copies.push_back(1e-9 * mesh::measure_copy_bandwidth(session.resolver(), session.queue, array));
    rates.push_back(gigabytes_per_second());
    shares.push_back(rates.back() / copies.back());
  }
  return Figure{median(shares),
                fmt::format("{:.1f} of {:.1f} GB/s{}", median(rates), median(copies), detail)};
}

/// Of the whole time step.
Outcome step_share(const char* device, int along, int out) {
  const AirfoilGrid grid(along, out);
  mesh::Mesh mesh(options_on(device, 32));
  airfoil::Airfoil<double> flow(mesh, grid.grid);
  for (int i = 0; i < 3; ++i) flow.step();
  mesh.finish();
  const double cells = static_cast<double>(grid.grid.cells);
  const double bytes = bytes_by_op2 * cells / 720'000;
  constexpr int steps = 10;
  return share_of_copy(
      mesh,
      [&] {
        const Stopwatch watch;
        for (int i = 0; i < steps; ++i) flow.step();
        mesh.finish();
        return 1e-9 * bytes * steps / watch.seconds();
      },
      0, fmt::format(", {:.2f} GB a time step on {}", 1e-9 * bytes, mesh.device_name()));
}

/// Of one streaming loop by the device's clock, run again and again over data that no cache holds,
/// against a copy of arrays as large as its Dats.
Outcome loop_share(const std::string& loop) {
  const AirfoilGrid grid(800, 1200);
  auto options = options_on("cpu", 32);
  options.timing = true;
  mesh::Mesh mesh(options);
  airfoil::Airfoil<double> flow(mesh, grid.grid);
  for (int i = 0; i < 3; ++i) flow.step();
  const auto rate = [&](auto&& run) {
    mesh.clear_report();
    for (int i = 0; i < 20; ++i) run();
    for (const auto& report : mesh.report())
      if (report.name == loop) return report.gigabytes_per_second;
    return 0.0;
  };
  const double in_step = rate([&] { flow.step(); });
  return share_of_copy(
      mesh, [&] { return rate([&] { loop == "update" ? flow.update() : flow.save_soln(); }); },
      flow.q().bytes(), fmt::format("; {:.1f} GB/s in the course of time steps", in_step));
}

Bar loop_bar(const char* name, const char* of, AirfoilDuel::Loop loop) {
  return {std::string("mesh/airfoil-") + name,
          std::string(of) + " of airfoil against OpenMP's",
          Holds::at_most,
          1.05,
          "x",
          [loop](const Context&) { return airfoil_duel().of(loop); }};
}

}  // namespace

std::vector<Bar> airfoil_bars() {
  return {
      {"mesh/airfoil",
       "a time step of airfoil, double, 720000 cells, PoCL on all cores, against OpenMP by hand",
       Holds::at_most, 1.0, "x", [](const Context&) { return airfoil_duel().whole(); }},
      loop_bar("save", "save_soln", AirfoilDuel::save_soln),
      loop_bar("adt", "adt_calc", AirfoilDuel::adt_calc),
      loop_bar("res", "res_calc", AirfoilDuel::res_calc),
      loop_bar("update", "update", AirfoilDuel::update),
      {"mesh/airfoil-share", "a time step's bytes a second, of the device's own copy bandwidth",
       Holds::at_least, 0.6, "of it", [](const Context&) { return step_share("cpu", 400, 600); }},
      {"mesh/save-share",
       "save_soln's bytes a second, 2.88 million cells, of the device's own copy bandwidth",
       Holds::at_least, 0.9, "of it", [](const Context&) { return loop_share("save_soln"); }},
      {"mesh/update-share",
       "update's bytes a second, 2.88 million cells, of the device's own copy bandwidth",
       Holds::at_least, 0.9, "of it", [](const Context&) { return loop_share("update"); }},
      {"mesh/airfoil-gpu-share",
       "a time step's bytes a second on a GPU, 2.88 million cells, of its own copy bandwidth",
       Holds::at_least, 0.6, "of it", [](const Context&) -> Outcome {
         if (!select_devices("gpu")) return not_measured("there is no GPU");
         return step_share("gpu", 800, 1200);
       }}};
}

}  // namespace kiln::bench
