#include "rival/contest.hpp"

#include <algorithm>
#include <cmath>

#include "rival/burst.hpp"
#include "rival/cblas.hpp"
#include "rival/clblast.hpp"

namespace kiln::rival {
namespace {

Contender kiln_side(Problem& problem) {
  return {"Kiln", "", [&problem] { return burst([&problem] { problem.run(); }); }, {}};
}

Contender openblas_side(Problem& problem, bool on_host) {
  Contender side{"OpenBLAS", "", nullptr, {}};
  if (!on_host)
    side.absent = "it has no part in this device";
  else if (!Cblas::get().present())
    side.absent = "not installed (libopenblas.so.0)";
  side.sample = [&problem] {
    return burst([&problem] { Cblas::get().run(problem.call(), problem.memory()); });
  };
  return side;
}

Contender clblast_side(Problem& problem) {
  Contender side{"CLBlast", "", nullptr, {}};
  if (!Clblast::get().present()) side.absent = "not installed (libclblast.so.1)";
  side.sample = [&problem] {
    return burst([&problem] {
      Clblast::get().run(problem.call(), problem.queue());
      check_cl(::clFinish(problem.queue()), "clFinish");
    });
  };
  return side;
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

std::vector<Contender> contenders_of(Problem& problem, const std::function<bool()>& stop) {
  const bool on_host = problem.is_in_host_memory();
  std::vector<Contender> sides{kiln_side(problem), openblas_side(problem, on_host),
                               clblast_side(problem)};
  for (auto& side : sides)
    if (!stop()) try_out(side);
  return sides;
}

void measure(std::vector<Contender>& sides, int rounds, const std::function<bool()>& stop) {
  std::vector<Contender*> present;
  for (auto& side : sides)
    if (side.absent.empty()) present.push_back(&side);
  const bool has_openblas = std::any_of(present.begin(), present.end(),
                                        [](const auto* side) { return side->name == "OpenBLAS"; });
  const auto take = [has_openblas](Contender& side) {
    // Its threads spin on for a while after their work.
    if (has_openblas && side.name != "OpenBLAS") Cblas::let_threads_sleep();
    return side.sample();
  };
  double round = 0;
  for (auto* side : present) {
    if (stop()) return;
    // A burst has two parts, of 10 ms at least.
    round += std::max(20.0, 2 * take(*side));
    if (has_openblas && side->name != "OpenBLAS") round += 80;
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
