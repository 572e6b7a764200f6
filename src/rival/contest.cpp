#include "rival/contest.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "rival/libraries.hpp"

namespace kiln::rival {
namespace {

/// Milliseconds of a call among its like, as a solver makes them: calls one after another for
/// 10 ms unmeasured, so that threads, clocks and caches are as the calls themselves leave them,
/// then calls for 10 ms, of which this is the mean. The same for all sides.
double burst(const std::function<void()>& call) {
  constexpr double least_ns = 10e6;
  double mean = 0;
  for (int round = 0; round < 2; ++round) {
    const auto start = now_ns();
    double spent = 0;
    int calls = 0;
    do {
      call();
      ++calls;
      spent = static_cast<double>(now_ns() - start);
    } while (spent < least_ns);
    mean = spent / calls * 1e-6;
  }
  return mean;
}

/// A first call, which compiles, or says that the library has no such routine.
void try_out(Contender& side) {
  if (!side.absent.empty()) return;
  try {
    side.sample();
  } catch (const Error& error) {
    if (error.code() != Errc::unsupported) throw;
    side.absent = error.message();
  }
}

}  // namespace

Contender side_of(std::string name, std::function<void()> call) {
  return {std::move(name), "", [call = std::move(call)] { return burst(call); }, {}};
}

Contender kiln_side(Problem& problem) {
  return side_of("Kiln", [&problem] { problem.run(); });
}

Contender openblas_side(Problem& problem) {
  Contender side =
      side_of("OpenBLAS", [&problem] { Cblas::get().run(problem.call(), problem.memory()); });
  if (!Cblas::get().present()) side.absent = "not installed (libopenblas.so.0)";
  side.spins = true;
  return side;
}

Contender clblast_side(Problem& problem) {
  Contender side = side_of("CLBlast", [&problem] {
    Clblast::get().run(problem.call(), problem.queue());
    check_cl(::clFinish(problem.queue()), "clFinish");
  });
  if (!Clblast::get().present()) side.absent = "not installed (libclblast.so.1)";
  return side;
}

std::vector<Contender> contenders_of(Problem& problem, const std::function<bool()>& stop) {
  std::vector<Contender> sides{kiln_side(problem), openblas_side(problem), clblast_side(problem)};
  if (!problem.is_in_host_memory()) sides[1].absent = "it has no part in this device";
  for (auto& side : sides)
    if (!stop()) try_out(side);
  return sides;
}

void measure(std::vector<Contender>& sides, int rounds, const std::function<bool()>& stop) {
  std::vector<Contender*> present;
  for (auto& side : sides)
    if (side.absent.empty()) present.push_back(&side);
  const bool one_spins =
      std::any_of(present.begin(), present.end(), [](const auto* side) { return side->spins; });
  const auto take = [one_spins](Contender& side) {
    if (one_spins && !side.spins) Cblas::let_threads_sleep();
    return side.sample();
  };
  double round = 0;
  for (auto* side : present) {
    if (stop()) return;
    // A burst has two parts, of 10 ms at least.
    round += std::max(20.0, 2 * take(*side));
    if (one_spins && !side->spins) round += 80;
  }
  constexpr double wanted = 2000;
  if (rounds == 0) rounds = static_cast<int>(std::clamp(std::ceil(wanted / round), 3.0, 30.0));
  for (int i = 0; i < rounds; ++i)
    for (std::size_t j = 0; j < present.size(); ++j) {
      if (stop()) return;
      Contender& side = *present[(static_cast<std::size_t>(i) + j) % present.size()];
      side.samples.push_back(take(side));
    }
}

}  // namespace kiln::rival
