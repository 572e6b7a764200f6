#include "spec/regret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/clock.hpp"
#include "frame/statistics.hpp"
#include "schedule/co_run.hpp"
#include "schedule/partition.hpp"
#include "spec/example.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {

namespace {

constexpr int kClasses = 11;
constexpr int kAutoRuns = 5;
constexpr int kCoarseRuns = 5;
constexpr int kSplitRounds = 30;

/// How long the fastest way must take to be measured, in milliseconds: far above what a launch
/// costs, and long enough that what else the cores do is a small part. With a GPU in the run the
/// size that occupies it would keep a CPU busy for seconds a run, in eleven classes.
double least_ms(const std::vector<DevicePtr>& devices) {
  const auto in_host_memory = [](const DevicePtr& device) { return device->host_memory; };
  return std::all_of(devices.begin(), devices.end(), in_host_memory) ? 12 : 3;
}

/// One kernel at one size on the devices, over a store.
struct Bench {
  Bench(const Context& context, const Subject& subject, std::int64_t dataset,
        const std::vector<DevicePtr>& devices, const Sandbox& sandbox)
      : example(context, subject.name, dataset),
        resolver(open_local_store(sandbox.store())),
        run(resolver, queues_of(devices), example.job(), {}) {
    if (!run.refusal().empty())
      throw Error(Errc::refused, fmt::format("{}: {}", subject.name, run.refusal()));
  }
  static std::vector<Queue> queues_of(const std::vector<DevicePtr>& devices) {
    std::vector<Queue> queues;
    for (const auto& device : devices) queues.emplace_back(kiln::Context::create({device}), device);
    return queues;
  }
  double milliseconds(const std::vector<double>& weights) {
    const auto start = now_ns();
    run.run(weights);
    return static_cast<double>(now_ns() - start) * 1e-6;
  }

  Example example;
  Resolver resolver;
  CoRun run;
};

double median_of_three(Bench& bench, const std::vector<double>& weights) {
  bench.milliseconds(weights);  // the first one merges, touches memory, makes buffers
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) times.push_back(bench.milliseconds(weights));
  return median(times);
}

/// Grows the dataset until the fastest of an even split and each device alone takes long enough to
/// be measured.
std::int64_t measurable_size(const Context& context, const Subject& subject,
                             const std::vector<DevicePtr>& devices) {
  std::int64_t dataset = subject.dataset;
  const Sandbox sandbox;  // one for all attempts, which need the same program
  for (int attempt = 0; attempt < 8; ++attempt) {
    Bench bench(context, subject, dataset, devices, sandbox);
    const double fastest = std::min({median_of_three(bench, {1, 1}), median_of_three(bench, {1, 0}),
                                     median_of_three(bench, {0, 1})});
    if (fastest >= least_ms(devices)) break;
    dataset *= subject.growth == 1 ? 4 : 2;
  }
  return dataset;
}

bool same_cut(const std::vector<double>& a, const std::vector<double>& b, std::size_t groups) {
  const auto first = cut(groups, a), second = cut(groups, b);
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const Part& x, const Part& y) { return x.end == y.end; });
}

}  // namespace

const std::vector<Subject>& split_subjects() {
  static const std::vector<Subject> subjects{
      {"nbody", 2048, 2},          {"mandelbrot", 256, 2}, {"black_scholes", 1 << 18, 1},
      {"matmul_tiled", 256, 3},    {"blur", 512, 2},       {"stencil3d", 128, 3},
      {"histogram_rows", 4096, 1}, {"row_sum", 16384, 1},  {"saxpy", 1 << 21, 1},
      {"stream_copy", 1 << 19, 1}};
  return subjects;
}

std::string Regret::text() const {
  std::string list, guesses;
  for (const double ms : coarse_ms) list += fmt::format(" {:.3g}", ms);
  for (const double ms : believed_ms) guesses += fmt::format(" {:.3g}", ms);
  return fmt::format(
      "{:<15} {:>8}  {:.3f}  auto {} {:.4g} ms, best {} {:.4g} ms; by class{}; believed{}", kernel,
      dataset, ratio, fmt::join(weights, ":"), auto_ms, best_class, best_ms, list, guesses);
}

Regret measure_regret(const Context& context, const Subject& subject,
                      const std::vector<DevicePtr>& devices) {
  Regret result;
  result.kernel = subject.name;
  result.dataset = measurable_size(context, subject, devices);
  const Sandbox fresh;
  Bench bench(context, subject, result.dataset, devices, fresh);
  AutoSplit learner(bench.run);
  for (int i = 0; i < kAutoRuns; ++i) learner.run();
  result.weights = learner.weights();

  const auto& grid = bench.run.job().range.global;
  const double items = static_cast<double>(grid[0] * grid[1] * grid[2]);  // the model's unit

  // A coarse pass finds the classes worth comparing with.
  std::vector<std::vector<double>> coarse(kClasses);
  for (int round = -1; round < kCoarseRuns; ++round)
    for (int c = 0; c < kClasses; ++c) {
      const double ms = bench.milliseconds(class_weights(c, devices.size()));
      if (round >= 0) coarse[static_cast<std::size_t>(c)].push_back(ms);
    }
  for (int c = 0; c < kClasses; ++c) {
    // The shortest, since a few runs are too few for a median: what else the machine does only
    // adds.
    result.coarse_ms.push_back(quantile(coarse[static_cast<std::size_t>(c)], 0));
    const auto shares = SplitModel::nearest(class_weights(c, devices.size()));
    result.believed_ms.push_back(learner.model().predicted_ns(shares) * items * 1e-6);
  }
  std::vector<int> order(kClasses);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return result.coarse_ms[static_cast<std::size_t>(a)] <
           result.coarse_ms[static_cast<std::size_t>(b)];
  });

  std::vector<double> chosen;
  std::vector<std::vector<double>> rivals(2);
  for (int round = 0; round < kSplitRounds; ++round) {
    // Who goes first changes, since a run finds in the caches what the one before left there.
    for (int step = 0; step < 3; ++step) {
      const int turn = (step + round) % 3;
      if (turn == 2) {
        chosen.push_back(bench.milliseconds(result.weights));
      } else {
        const auto i = static_cast<std::size_t>(turn);
        rivals[i].push_back(bench.milliseconds(class_weights(order[i], devices.size())));
      }
    }
  }
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    // The same cut is the same run: a ratio of two of its measurements would be noise alone.
    const bool same =
        same_cut(result.weights, class_weights(order[i], devices.size()), bench.run.groups());
    const double ratio = same ? 1 : kiln::bench::ratio({chosen, rivals[i]}, "ms").value;
    if (ratio <= result.ratio) continue;
    result.ratio = ratio;
    result.best_class = order[i];
    result.best_ms = median(rivals[i]);
  }
  result.auto_ms = median(chosen);
  return result;
}

}  // namespace kiln::bench
