#include "graph/bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "base/os/process.hpp"
#include "device/device.hpp"
#include "frame/statistics.hpp"
#include "graph/families.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// What the processes of this group see.
enum class See : std::uint8_t {
  two_devices,  ///< two equal ones, which every rival finds; PoCL 3.1 has one thread for both then
  one_device,   ///< one of two threads, of which Kiln makes halves that compute at the same time
  gpu_and_cpu   ///< all that there is, the GPU first
};

/// Caches, programs and performance models are kept between processes, for all bars.
Json run_child(const Context& context, const std::string& program, Words arguments,
               See see = See::two_devices) {
  static const Sandbox box;
  ProcessRequest request;
  request.program = context.binaries / program;  // a whole path stays as it is
  if (!fs::exists(request.program))
    throw Error(Errc::not_found, program + " was not built" +
                                     (program == "rival-graph_starpu" ? " (libstarpu-dev)" : ""));
  request.arguments = std::move(arguments);
  request.environment = box.environment();
  request.environment.emplace_back("KILN_STORE", box.store());
  if (see == See::gpu_and_cpu) {
    request.environment.emplace_back("KILN_BENCH_DEVICES", "gpu,cpu");
  } else {
    const bool is_one = see == See::one_device;
    request.environment.emplace_back("POCL_DEVICES", is_one ? "pthread" : "pthread pthread");
    request.environment.emplace_back("POCL_MAX_PTHREAD_COUNT", is_one ? "2" : "1");
    request.environment.emplace_back("POCL_CPU_MAX_CU_COUNT", is_one ? "2" : "1");  // PoCL 4 on
    if (is_one) request.environment.emplace_back("KILN_BENCH_DEVICES", "cpu/2");
  }
  request.environment.emplace_back("STARPU_HOME", box.path());
  // Its threads are not tied to cores: the drivers' threads are not, either.
  request.environment.emplace_back("STARPU_WORKERS_NOBIND", "1");
  request.limit = std::chrono::minutes(4);
  const auto result = value_or_throw(run_process(request));
  if (result.exit_code != 0 || result.signal != 0)
    throw Error(Errc::device, fmt::format("{} {}: {}", program, request.arguments[1],
                                          result.errors.substr(0, result.errors.find('\n'))));
  return result.output.empty() ? Json() : Json::parse(result.output);
}

Json kiln_side(const Context& context, const char* what, const std::string& graph, int rounds,
               See see = See::two_devices) {
  return run_child(context, "bench-graph_runs", {what, graph, std::to_string(rounds)}, see);
}

std::vector<double> numbers(const Json& json, const char* name) {
  return json.at(name).get<std::vector<double>>();
}
double middle(const Json& json, const char* name = "ms") { return median(numbers(json, name)); }

/// The worst of several graphs' ratios, and each in the detail.
class Worst {
 public:
  explicit Worst(Holds holds) : holds_(holds) {}
  void add(const std::string& graph, double ratio, const std::string& about = "") {
    const bool is_worse = holds_ == Holds::at_most ? ratio > value_ : ratio < value_;
    if (count_++ == 0 || is_worse) {
      value_ = ratio;
      where_ = graph;
    }
    logs_ += std::log(ratio);
    all_ += fmt::format("; {} {:.3f}{}", graph, ratio, about.empty() ? "" : " (" + about + ")");
  }
  Figure figure() const {
    return {value_, fmt::format("worst {}, mean {:.3f}{}", where_, std::exp(logs_ / count_), all_)};
  }

 private:
  Holds holds_;
  double value_ = 0, logs_ = 0;
  int count_ = 0;
  std::string where_, all_;
};

/// A graph planned on all devices and on one, in several processes: memory lies elsewhere in each,
/// which makes a difference for graphs of less than a millisecond.
struct Comparison {
  std::string graph;
  double to_one = 0, to_bound = 0, to_simulated = 0, to_untried = 0;
};
Comparison compared(const Context& context, const std::string& graph, See see) {
  std::vector<double> to_one, to_bound, to_simulated, to_untried;
  double short_ms = 0;
  do {
    const Json found = kiln_side(context, "compare", graph, 15, see);
    // Of different kinds of devices, rounding differs as well.
    if (see != See::gpu_and_cpu && !found.at("same").get<bool>())
      throw Error(Errc::internal, graph + ": results differ");
    short_ms = middle(found);
    to_one.push_back(short_ms / middle(found, "single_ms"));
    to_bound.push_back(short_ms / found.at("bound_ms").get<double>());
    to_simulated.push_back(short_ms / found.at("simulated_ms").get<double>());
    to_untried.push_back(short_ms / found.at("untried_ms").get<double>());
  } while (short_ms < 3 && to_one.size() < 3);
  return {graph, median(to_one), median(to_bound), median(to_simulated), median(to_untried)};
}

/// Of the usual graphs; measured once for all bars.
const std::vector<Comparison>& comparisons(const Context& context, See see) {
  static std::map<See, std::vector<Comparison>> all;
  auto& found = all[see];
  if (!found.empty()) return found;
  auto graphs = graph_families::usual();
  if (see == See::gpu_and_cpu)
    graphs.insert(graphs.end(), {"transformer 8 512", "transformer 4 1024", "transformer 4 2048"});
  for (const std::string& graph : graphs) found.push_back(compared(context, graph, see));
  return found;
}

Outcome never_worse(const Context& context, See see) {
  Worst worst(Holds::at_most);
  for (const auto& one : comparisons(context, see)) worst.add(one.graph, one.to_one);
  return worst.figure();
}

/// Transformers of four heads and more, Cholesky of eight tiles and more.
bool should_be_near(const std::string& graph) {
  return (graph.starts_with("transformer ") && graph[12] != '1') ||
         (graph.starts_with("cholesky ") && graph[9] != '4');
}
Outcome near_bound(const Context& context, See see) {
  Worst worst(Holds::at_most);
  for (const auto& one : comparisons(context, see))
    if (should_be_near(one.graph)) worst.add(one.graph, one.to_bound);
  return worst.figure();
}

/// How far the simulation is off, either way.
Outcome model(const Context& context, See see) {
  Worst worst(Holds::at_most);
  for (const auto& one : comparisons(context, see))
    worst.add(one.graph, std::max(one.to_simulated, 1 / one.to_simulated),
              fmt::format("measured {:.3f}, of what was simulated without a trial {:.3f}",
                          one.to_simulated, one.to_untried));
  return worst.figure();
}

Outcome overhead(const Context& context, const char* graph, const char* kiln, const char* plain,
                 See see) {
  const Json found = kiln_side(context, "overhead", graph, 100, see);
  if (!found.at("same").get<bool>()) return not_measured("results differ");
  return ratio({numbers(found, kiln), numbers(found, plain)}, "ms");
}
Outcome allocations(const Context& context) {
  const Json chain = kiln_side(context, "overhead", "chain 1000", 5);
  const Json apart = kiln_side(context, "overhead", "independent 1000", 5);
  const double found = chain.at("allocations").get<double>(), more = apart.at("allocations");
  return Figure{std::max(found, more), fmt::format("chain {}, independent {}", found, more)};
}

Outcome regret(const Context& context) {
  Worst worst(Holds::at_most);
  for (const char* graph : {"transformer 4 64", "transformer 4 256", "transformer 8 128"}) {
    const Json found = kiln_side(context, "sweep", graph, 15, See::one_device);
    const auto splits = numbers(found, "splits_ms");
    worst.add(graph, found.at("ms").get<double>() / *std::ranges::min_element(splits));
  }
  return worst.figure();
}

/// Kiln's chain against the hand-written loop's; CUDA's launches and its graph in the detail.
Outcome launches(const Context& context) {
  const Json ours = kiln_side(context, "overhead", "chain 1000", 100, See::gpu_and_cpu);
  const Json cuda = run_child(context, "rival-graph_cuda", {"1000", "100"}, See::gpu_and_cpu);
  const double kiln = middle(ours, "kiln_ms"), plain = middle(ours, "plain_ms");
  return Figure{kiln / plain,
                fmt::format("us a kernel: Kiln {:.2f}, OpenCL by hand {:.2f}, CUDA {:.2f}, a CUDA "
                            "graph {:.2f}",
                            kiln, plain, middle(cuda, "launched_ms"), middle(cuda, "graph_ms"))};
}

/// StarPU's best median over its schedulers, with kernels that its threads wait for and such that
/// they do not; Kiln before and after. Results are equal.
struct Duel {
  double kiln = 0, other = 0;
  std::string about;
};
Duel against_starpu(const Context& context, const std::string& graph, See see) {
  Duel duel;
  duel.other = 1e300;
  std::vector<double> kiln;
  for (const char* scheduler : {"dmda", "dmdas", "lws"})
    for (const char* form : {"waits", "queues"}) {
      const Json ours = kiln_side(context, "run", graph, 9, see);
      const Json found =
          run_child(context, "rival-graph_starpu", {graph, "9", scheduler, form}, see);
      // Devices of different kinds round differently.
      if (see != See::gpu_and_cpu && ours.at("digest") != found.at("digest"))
        throw Error(Errc::internal, graph + ": results differ");
      kiln.push_back(middle(ours));
      if (middle(found) >= duel.other) continue;
      duel.other = middle(found);
      duel.about = fmt::format("{} {}", scheduler, form);
    }
  duel.kiln = median(kiln);
  duel.about = fmt::format("{:.3f} ms, StarPU's {} {:.3f} ms", duel.kiln, duel.about, duel.other);
  return duel;
}
Outcome starpu(const Context& context, See see) {
  Worst worst(Holds::at_most);
  for (const char* graph :
       {"transformer 4 64", "transformer 4 256", "transformer 8 128 shared", "cholesky 8 64",
        "lu 8 64", "3mm 256", "gemver 1024", "fdtd 50 256", "layered 60 16384"}) {
    const Duel duel = against_starpu(context, graph, see);
    worst.add(graph, duel.kiln / duel.other, duel.about);
  }
  return worst.figure();
}
Outcome starpu_overhead(const Context& context, See see) {
  Worst worst(Holds::at_most);
  for (const char* graph : {"chain 1000", "independent 1000"}) {
    const Duel duel = against_starpu(context, graph, see);
    worst.add(graph, duel.kiln / duel.other, duel.about);
  }
  return worst.figure();
}

/// Debian's interpreter: it is the one that has Debian's packages.
constexpr const char* debian_python = "/usr/bin/python3";

/// One of the original's schedulers, in Python. Its results must be Kiln's.
double original_ms(const Context& context, const std::string& graph, const std::string& folder,
                   const Words& policy, const std::string& digest) {
  Words arguments{(context.source / "bench/rivals/graph_original.py").string(), folder, "9"};
  arguments.insert(arguments.end(), policy.begin(), policy.end());
  const Json found = run_child(context, debian_python, arguments, See::one_device);
  const Json results = run_child(context, "bench-graph_files", {"digest", graph, folder});
  if (results.at("digest") != digest) throw Error(Errc::internal, graph + ": results differ");
  return middle(found);
}

/// The best of what the original's schedulers come to: its clusters with each split of the parts,
/// of which it would have to be told the best.
Outcome original(const Context& context, const char* graph, std::size_t heads) {
  if (!fs::exists(debian_python)) return not_measured("no python3");
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-graph"));
  const std::string place = folder.path().string();
  run_child(context, "bench-graph_files", {"write", graph, place});
  std::vector<Words> policies{{"eager"}, {"heft"}};
  for (std::size_t on_second = 0; on_second <= heads / 2; ++on_second)
    policies.push_back({"cluster", std::to_string(on_second)});
  double best = 1e300;
  std::vector<double> kiln;
  std::string all;
  for (const Words& policy : policies) {
    const Json ours = kiln_side(context, "run", graph, 15, See::one_device);
    const double taken = original_ms(context, graph, place, policy, ours.at("digest"));
    kiln.push_back(middle(ours));
    best = std::min(best, taken);
    all += fmt::format("; {} {:.3f} ms", fmt::join(policy, " "), taken);
  }
  return Figure{best / median(kiln), fmt::format("{:.3f} ms{}", median(kiln), all)};
}

/// A figure of plans on devices with memory of their own, over its least.
Outcome over_least(const Context& context,
                   const std::vector<std::pair<const char*, const char*>>& pairs) {
  Worst worst(Holds::at_most);
  for (const std::string& graph : graph_families::usual()) {
    const Json found = run_child(context, "bench-graph_runs", {"memory", graph});
    double have = 0, least = 0;
    for (const auto& [figure, least_figure] : pairs) {
      have += found.at(figure).get<double>();
      least += found.at(least_figure).get<double>();
    }
    worst.add(graph, have / least);
  }
  return worst.figure();
}

}  // namespace

std::vector<Bar> graph_bars() {
  std::vector<Bar> bars = graph_plan_bars(), gpu_bars;
  const auto add_gpu = [&](const char* name, const std::string& text, Holds holds, double limit,
                           std::function<Outcome(const Context&)> measure) {
    gpu_bars.push_back({std::string("graph/gpu-") + name, text + ", with a GPU", holds, limit, "x",
                        [measure](const Context& c) -> Outcome {
                          if (!select_devices("gpu")) return not_measured("there is no GPU");
                          return measure(c);
                        }});
  };
  const auto add = [&](const char* name, const char* text, Holds holds, double limit,
                       const char* unit, std::function<Outcome(const Context&)> measure) {
    bars.push_back({std::string("graph/") + name, text, holds, limit, unit, std::move(measure)});
  };
  const auto at_most = Holds::at_most;
  const auto add_overhead = [&](const char* name, const char* text, double limit, const char* graph,
                                const char* kiln, const char* plain) {
    add(name, text, at_most, limit, "x",
        [=](const Context& c) { return overhead(c, graph, kiln, plain, See::two_devices); });
    add_gpu(name, text, at_most, limit,
            [=](const Context& c) { return overhead(c, graph, kiln, plain, See::gpu_and_cpu); });
  };
  add_overhead("overhead-chain", "a chain of 1,000 small tasks, prepared, over a hand-written loop",
               1.05, "chain 1000", "kiln_ms", "plain_ms");
  add_overhead("overhead-independent", "the same for 1,000 tasks that share nothing", 1.05,
               "independent 1000", "kiln_ms", "plain_ms");
  add_overhead("overhead-chain-first", "the first run of the chain over the loop's first", 1.15,
               "chain 1000", "first_kiln_ms", "first_plain_ms");
  add_overhead("overhead-independent-first", "the same for 1,000 tasks that share nothing", 1.15,
               "independent 1000", "first_kiln_ms", "first_plain_ms");
  add("allocations", "allocations in a run of either that is repeated", at_most, 0, "",
      allocations);
  const auto add_both = [&](const char* name, const char* text, double limit, double gpu_limit,
                            Outcome (*measure)(const Context&, See)) {
    add(name, text, at_most, limit, "x",
        [measure](const Context& c) { return measure(c, See::one_device); });
    add_gpu(name, text, at_most, gpu_limit,
            [measure](const Context& c) { return measure(c, See::gpu_and_cpu); });
  };
  add_both("never-worse", "makespan over that on one device, the worst graph", 1.02, 1.02,
           never_worse);
  add_both("near-bound", "makespan over the bound, the worst graph", 1.15, 1.25, near_bound);
  add_both("model", "measured over simulated makespan or the other way, the worst graph", 1.1, 1.1,
           model);
  add_gpu("launches", "a chain of 1,000 small kernels over a hand-written loop, next to CUDA",
          at_most, 1.05, launches);
  add("regret", "makespan over the best split of the heads, the worst graph", at_most, 1.05, "x",
      regret);
  for (const See see : {See::two_devices, See::gpu_and_cpu}) {
    const auto add_either = [&](const char* name, const char* text, double limit,
                                Outcome (*measure)(const Context&, See)) {
      const auto of = [=](const Context& c) { return measure(c, see); };
      if (see == See::gpu_and_cpu)
        add_gpu(name, text, at_most, limit, of);
      else
        add(name, text, at_most, limit, "x", of);
    };
    add_either("starpu", "makespan over the best of StarPU's dmda, dmdas and lws, the worst graph",
               1, starpu);
    add_either("starpu-overhead",
               "time of a small task over StarPU's, the worse of chain and independent", 0.5,
               starpu_overhead);
  }
  add("original-64", "the original's best scheduler over Kiln, 8 heads of size 64", Holds::at_least,
      5, "x", [](const Context& c) { return original(c, "transformer 8 64", 8); });
  add("original-512", "the same, 4 heads of size 512", Holds::at_least, 1.5, "x",
      [](const Context& c) { return original(c, "transformer 4 512", 4); });
  add("transfers", "bytes moved over each version once to each device, the worst graph", at_most, 1,
      "x", [](const Context& c) {
        return over_least(c, {{"up", "least_up"}, {"down", "least_down"}});
      });
  add("memory", "bytes held on devices over the least for the order, the worst graph", at_most, 1.1,
      "x", [](const Context& c) {
        return over_least(c, {{"peak", "least_peak"}});
      });
  add("footprint", "memory that a graph of 10,000 tasks takes besides its data", at_most, 30, "MB",
      [](const Context& c) -> Outcome {
        const Json found = run_child(c, "bench-graph_runs", {"footprint", "layered 10000 32"});
        const double data = found.at("data_mib"), driver = found.at("after_run_mib");
        const double held = found.at("mib").get<double>() - data;
        return Figure{
            held * 1.048576,
            fmt::format("{} tasks, ready to run; with what PoCL keeps of a run's commands "
                        "{:.1f} MB; {:.1f} MB of data",
                        found.at("tasks").get<int>(), (driver - data) * 1.048576, data * 1.048576)};
      });
  bars.insert(bars.end(), std::make_move_iterator(gpu_bars.begin()),
              std::make_move_iterator(gpu_bars.end()));
  return bars;
}

}  // namespace kiln::bench
