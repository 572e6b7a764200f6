// Many processes that start together and want the same programs.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <thread>

#include "base/clock.hpp"
#include "base/os/process.hpp"
#include "frame/statistics.hpp"
#include "spec/sandbox.hpp"
#include "store/bars.hpp"

namespace kiln::bench {

namespace {

constexpr int kHerdProcesses = 16, kHerdPrograms = 200, kHerdRounds = 3;

struct Herd {
  double seconds = 0;
  int compiles = 0;
  std::string failure;  ///< of the last process that did not succeed
};

/// Starts `processes` at once, each in an environment of its own, and waits for all.
Herd run_herd(const Context& context, int processes, const std::string& store, bool disjoint) {
  std::vector<Sandbox> sandboxes(static_cast<std::size_t>(processes));
  std::vector<std::future<Expected<ProcessResult>>> ends;
  const auto start = now_ns();
  for (int i = 0; i < processes; ++i) {
    ProcessRequest request;
    request.program = context.binaries / "bench-resolve_many";
    request.arguments = {store, std::to_string(kHerdPrograms),
                         std::to_string(disjoint ? processes : 1), std::to_string(disjoint ? i : 0),
                         std::to_string(i)};
    request.environment = sandboxes[static_cast<std::size_t>(i)].environment();
    // A user's processes differ in nothing that the compiler sees.
    if (!disjoint) request.environment = sandboxes.front().environment();
    ends.push_back(std::async(std::launch::async, [request] { return run_process(request); }));
  }
  Herd herd;
  for (auto& end : ends) {
    const auto result = end.get();
    const bool right = result && result->exit_code == 0 && result->signal == 0;
    if (right)
      herd.compiles += std::atoi(result->output.c_str());
    else
      herd.failure = !result ? result.error().message()
                             : fmt::format("a process failed (exit code {}, signal {}): {}",
                                           result->exit_code, result->signal, result->errors);
  }
  herd.seconds = static_cast<double>(now_ns() - start) * 1e-9;
  return herd;
}

struct HerdTimes {
  Pairs pairs;
  std::vector<int> compiles;
  std::string failure;
  int processors = 0;
};

const HerdTimes& measured(const Context& context) {
  static const HerdTimes all = [&] {
    HerdTimes result;
    result.processors = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
    for (int round = 0; round < kHerdRounds; ++round) {
      const Sandbox fresh;
      const auto together = [&] {
        const Herd herd = run_herd(context, kHerdProcesses, fresh.store(), false);
        result.pairs.first.push_back(herd.seconds);
        result.compiles.push_back(herd.compiles);
        if (!herd.failure.empty()) result.failure = herd.failure;
      };
      const auto apart = [&] {
        const Herd herd = run_herd(context, result.processors, "off", true);
        result.pairs.second.push_back(herd.seconds);
        if (!herd.failure.empty()) result.failure = herd.failure;
      };
      // Which goes first changes, so that what the machine does meanwhile falls on both.
      round % 2 == 0 ? (together(), apart()) : (apart(), together());
    }
    return result;
  }();
  return all;
}

Outcome compiles(const Context& context) {
  const auto& all = measured(context);
  if (!all.failure.empty()) return not_measured(all.failure);
  return Figure{static_cast<double>(*std::max_element(all.compiles.begin(), all.compiles.end())),
                fmt::format("the most of {} rounds; {} processes, {} programs, random order",
                            kHerdRounds, kHerdProcesses, kHerdPrograms)};
}

Outcome time(const Context& context) {
  const auto& all = measured(context);
  if (!all.failure.empty()) return not_measured(all.failure);
  auto figure = ratio(all.pairs, "s");
  figure.detail += fmt::format(", against {} processes", all.processors);
  return figure;
}

}  // namespace

std::vector<Bar> herd_bars() {
  return {{"store/herd-compiles",
           "compilations when 16 processes ask for the same 200 programs of an empty store",
           Holds::at_most, 200, "compilations",
           [](const Context& context) { return compiles(context); }},
          {"store/herd-time",
           "the same, against as many processes as cores that compile disjoint shares, no store",
           Holds::at_most, 1.1, "x", [](const Context& context) { return time(context); }}};
}

}  // namespace kiln::bench
