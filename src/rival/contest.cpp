#include "rival/contest.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/clock.hpp"
#include "blas/call/call.hpp"
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

/// Whether a thread other than the calling one runs or waits for a core, as the system has it.
bool another_thread_runs() {
  namespace fs = std::filesystem;
  const std::string own = std::to_string(::gettid());
  std::error_code error;
  for (const auto& thread : fs::directory_iterator("/proc/self/task", error)) {
    if (thread.path().filename() == own) continue;
    std::ifstream file(thread.path() / "stat");
    const std::string fields{std::istreambuf_iterator<char>(file), {}};
    const auto name_end = fields.rfind(") ");  // of the thread, which may have any characters
    if (name_end != fields.npos && fields[name_end + 2] == 'R') return true;
  }
  return false;
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

/// Why a library of plain BLAS has no part in a call; empty where it has.
std::string beyond_blas(const blas::Call& call) {
  if (blas::has_stored(call)) return "it has no such elements";
  if (call.epilogue != blas::Epilogue{}) return "it has no epilogue";
  return "";
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
  side.absent =
      Cblas::get().present() ? beyond_blas(problem.call()) : "not installed (libopenblas.so.0)";
  side.spins = true;
  return side;
}

Contender clblast_side(Problem& problem) {
  Contender side = side_of("CLBlast", [&problem] {
    Clblast::get().run(problem.call(), problem.queue());
    check_cl(::clFinish(problem.queue()), "clFinish");
  });
  side.absent =
      Clblast::get().present() ? beyond_blas(problem.call()) : "not installed (libclblast.so.1)";
  return side;
}

std::vector<Contender> contenders_of(Problem& problem, const std::function<bool()>& stop) {
  std::vector<Contender> sides{kiln_side(problem), openblas_side(problem), clblast_side(problem)};
  if (!problem.is_in_host_memory()) sides[1].absent = "it has no part in this device";
  for (auto& side : sides)
    if (!stop()) try_out(side);
  return sides;
}

double wait_for_sleeping_threads() {
  constexpr double longest = 1;  // seconds
  constexpr int looks = 3;       // in a row: one that spins may wait for a lock for a moment
  const Stopwatch watch;
  for (int quiet = 0; quiet < looks && watch.seconds() < longest;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    quiet = another_thread_runs() ? 0 : quiet + 1;
  }
  return watch.seconds() * 1000;
}

void measure(std::vector<Contender>& sides, int rounds, const std::function<bool()>& stop) {
  std::vector<Contender*> present;
  for (auto& side : sides)
    if (side.absent.empty()) present.push_back(&side);
  const bool one_spins =
      std::any_of(present.begin(), present.end(), [](const auto* side) { return side->spins; });
  const auto wait_for = [one_spins](const Contender& side) {
    return one_spins && !side.spins ? wait_for_sleeping_threads() : 0.0;
  };
  double round = 0;
  for (auto* side : present) {
    if (stop()) return;
    // A burst has two parts, of 10 ms at least.
    round += wait_for(*side) + std::max(20.0, 2 * side->sample());
  }
  constexpr double wanted = 2000;
  if (rounds == 0) rounds = static_cast<int>(std::clamp(std::ceil(wanted / round), 3.0, 30.0));
  for (int i = 0; i < rounds; ++i)
    for (std::size_t j = 0; j < present.size(); ++j) {
      if (stop()) return;
      Contender& side = *present[(static_cast<std::size_t>(i) + j) % present.size()];
      wait_for(side);
      side.samples.push_back(side.sample());
    }
}

}  // namespace kiln::rival
