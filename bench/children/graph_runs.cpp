// Kiln's side of the bars of task graphs, on the devices that the environment leaves, or those that
// KILN_BENCH_DEVICES names.
//
//   bench-graph_runs run "FAMILY NUMBERS…" RUNS [POLICY]
//   bench-graph_runs compare "FAMILY NUMBERS…" ROUNDS      planned on all devices, and on one
//   bench-graph_runs spans "FAMILY NUMBERS…" POLICY        what one run's commands took, by name
//   bench-graph_runs sweep "FAMILY NUMBERS…" ROUNDS        the best of all splits of its parts, too
//   bench-graph_runs overhead "FAMILY NUMBERS…" ROUNDS     next to a hand-written loop, device 0
//   bench-graph_runs footprint "FAMILY NUMBERS…"           memory besides the data
//   bench-graph_runs memory "FAMILY NUMBERS…"              as on devices with memory of their own
//
// Prints JSON; times in milliseconds.
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <new>
#include <string>

#include "base/clock.hpp"
#include "graph/families.hpp"
#include "graph/kiln_graph.hpp"
#include "graph/plain_loop.hpp"
#include "kernel/runtime.hpp"
#include "schedule/graph/bounds.hpp"
#include "schedule/graph_plan/planned_graph.hpp"
#include "schedule/graph_work/kernel_work.hpp"

namespace {

/// Allocations of C++ in this process so far; the driver's own are C's.
std::atomic<std::uint64_t> allocations{0};

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

namespace families = graph_families;
using namespace kiln;
using namespace kiln::graph;

double ms_of(PlannedGraph& planned) {
  const auto start = now_ns();
  planned.run({});
  return static_cast<double>(now_ns() - start) * 1e-6;
}

std::string list(const std::vector<double>& values) {
  return fmt::format("[{:.4f}]", fmt::join(values, ", "));
}

Runtime runtime_of(const std::string& devices) {
  return Runtime(std::make_shared<Runtime::State>(nullptr, devices));
}

/// What KILN_BENCH_DEVICES names, as "gpu,cpu"; where it is not set, the given ones.
std::string devices_or(const char* usual) {
  const char* named = std::getenv("KILN_BENCH_DEVICES");
  return named != nullptr && *named != 0 ? named : usual;
}
/// The first of them alone.
std::string first_device() {
  const std::string all = devices_or("0");
  return all.substr(0, all.find(','));
}

/// Two devices that compute at the same time. Two devices of PoCL 3.1 share its threads; with as
/// many threads as one of them has, they are no faster than it.
std::string halves() { return devices_or("cpu/2"); }

/// One policy's runs.
void run(const families::Graph& graph, int runs, Policy policy) {
  const Runtime runtime = runtime_of(devices_or("cpu"));
  KilnGraph made(graph, runtime, KilnGraph::Inputs::kept);
  const auto start = now_ns();
  const auto plan = plan_graph(
      runtime, made.take(), {.policy = policy, .queues = policy == Policy::one_device ? 1U : 0U});
  PlannedGraph& planned = *plan;
  const double plan_ms = static_cast<double>(now_ns() - start) * 1e-6;
  const double first = ms_of(planned);
  std::vector<double> taken;
  for (int i = 0; i < runs; ++i) taken.push_back(ms_of(planned));
  fmt::print(
      "{{\"graph\": \"{}\", \"side\": \"kiln {}\", \"tasks\": {}, \"commands\": {}, \"plan_ms\": "
      "{:.3f}, \"first_ms\": {:.4f}, \"ms\": {}, \"simulated_ms\": {:.4f}, \"digest\": "
      "\"{:016x}\"}}\n",
      graph.name, name_of(policy), graph.tasks.size(), planned.executable().steps().all.size(),
      plan_ms, first, list(taken), planned.report().timetable.makespan_ns * 1e-6,
      made.result_digest(planned));
}

/// What no schedule can go below, by the times that the kernels take alone.
double bound_ms(const families::Graph& graph, PlannedGraph& single, const Problem& problem) {
  std::vector<std::vector<double>> taken(graph.kernels.size());
  for (int round = 0; round < 5; ++round) {
    single.run({.takes_times = true});
    for (Task task = 0; task < graph.tasks.size(); ++task)
      taken[graph.tasks[task].kernel].push_back(
          static_cast<double>(single.executable().task_ns()[task]));
  }
  // Of unlike devices, what is known of each.
  if (devices_or("").starts_with("gpu")) return bounds(problem).mixed_ns * 1e-6;
  Problem measured = problem;
  const std::size_t devices = problem.devices.size();
  for (Task task = 0; task < graph.tasks.size(); ++task)
    for (std::size_t device = 0; device < devices; ++device)
      measured.run_ns[task * devices + device] = median(taken[graph.tasks[task].kernel]);
  value_or_throw(measured.complete());
  return bounds(measured).mixed_ns * 1e-6;
}

/// Runs of the plan on all devices and of that on one, in turn.
void compare(const families::Graph& graph, int rounds) {
  const Runtime runtime = runtime_of(halves());
  KilnGraph made(graph, runtime, KilnGraph::Inputs::kept);
  // Its tasks are those of the graph: what the bound is of.
  PlannedGraph whole(runtime, WorkGraph(made.work()), {});
  whole.plan(PlannedGraph::Explore::yes);
  const auto plan = plan_graph(runtime, made.take(), {});
  PlannedGraph& planned = *plan;
  KilnGraph alone(graph, runtime, KilnGraph::Inputs::kept);
  PlannedGraph single(runtime, alone.take(), {.policy = Policy::one_device, .queues = 1});
  single.plan(PlannedGraph::Explore::yes);
  const double first = ms_of(planned);
  ms_of(single);
  std::vector<double> taken, on_one;
  // Of short graphs more runs: half a second at most.
  double all_ms = 0;
  for (int round = 0; round < rounds || (round < 20 * rounds && all_ms < 500); ++round) {
    if (round % 2 == 0) taken.push_back(ms_of(planned));
    on_one.push_back(ms_of(single));
    if (round % 2 == 1) taken.push_back(ms_of(planned));
    all_ms += taken.back() + on_one.back();
  }
  const bool same = made.result_digest(planned) == alone.result_digest(single);
  const auto digest = made.result_digest(planned);
  fmt::print(
      "{{\"graph\": \"{}\", \"side\": \"kiln\", \"tasks\": {}, \"commands\": {}, \"first_ms\": "
      "{:.4f}, "
      "\"ms\": {}, \"single_ms\": {}, \"simulated_ms\": {:.4f}, \"untried_ms\": {:.4f}, "
      "\"bound_ms\": {:.4f}, \"same\": "
      "{}, "
      "\"digest\": \"{:016x}\"}}\n",
      graph.name, graph.tasks.size(), planned.executable().steps().all.size(), first, list(taken),
      list(on_one), planned.report().timetable.makespan_ns * 1e-6,
      planned.report().simulated_ns * 1e-6, bound_ms(graph, single, whole.problem()), same, digest);
}

/// What commands took in a run, by name: for profiles.
class Spans final : public TraceSink {
 public:
  void add(TraceEvent event) override {
    auto& [count, ns] = by_name_[event.lane + ": " + event.name];
    ++count;
    ns += event.end_ns - event.start_ns;
    first_ = std::min(first_, event.start_ns);
    last_ = std::max(last_, event.end_ns);
    all_.push_back(std::move(event));
  }
  void print(double run_ms) {
    std::ranges::sort(all_, {}, &TraceEvent::start_ns);
    for (const TraceEvent& event : all_)
      fmt::print("{:10.4f} to {:10.4f}  {}: {}\n",
                 static_cast<double>(event.start_ns - first_) * 1e-6,
                 static_cast<double>(event.end_ns - first_) * 1e-6, event.lane, event.name);
    for (const auto& [name, sum] : by_name_)
      fmt::print("{:>6} {:10.4f} ms  {}\n", sum.first, static_cast<double>(sum.second) * 1e-6,
                 name);
    fmt::print("spans {:.4f} ms, with the host {:.4f} ms\n",
               static_cast<double>(last_ - first_) * 1e-6, run_ms);
  }

 private:
  std::vector<TraceEvent> all_;
  std::map<std::string, std::pair<int, std::int64_t>> by_name_;
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max(), last_ = 0;
};

void spans(const families::Graph& graph, Policy policy) {
  const Runtime runtime = runtime_of(halves());
  KilnGraph made(graph, runtime, KilnGraph::Inputs::kept);
  const auto plan = plan_graph(runtime, made.take(), {.policy = policy});
  PlannedGraph& planned = *plan;
  for (int i = 0; i < 5; ++i) {
    const double ms = ms_of(planned);
    fmt::print("a run without times: {:.4f} ms, of which the host enqueues {:.4f} ms\n", ms,
               static_cast<double>(planned.executable().enqueue_ns()) * 1e-6);
  }
  for (int i = 0; i < 2; ++i) planned.run({.takes_times = true});
  Spans found;
  fmt::print("a hand-over takes {:.1f} us\n", planned.problem().hand_over_ns * 1e-3);
  fmt::print("{} commands, {} events\n", planned.executable().steps().all.size(),
             planned.executable().steps().slots);
  const auto start = now_ns();
  planned.run({.trace = &found});
  found.print(static_cast<double>(now_ns() - start) * 1e-6);
}

/// The plan, and each split of the parts over two devices.
void sweep(const families::Graph& graph, int rounds) {
  const Runtime runtime = runtime_of(halves());
  std::uint32_t parts = 0;
  for (const auto& task : graph.tasks) parts = std::max(parts, task.part + 1);
  std::vector<std::unique_ptr<KilnGraph>> graphs;
  std::vector<std::unique_ptr<PlannedGraph>> plans;
  const auto add = [&](std::uint32_t on_second) {
    graphs.push_back(
        std::make_unique<KilnGraph>(graph, runtime, KilnGraph::Inputs::kept, on_second));
    plans.push_back(plan_graph(runtime, graphs.back()->take(), {}));
    ms_of(*plans.back());
  };
  add(none);
  for (std::uint32_t on_second = 0; on_second <= parts; ++on_second) add(on_second);
  std::vector<std::vector<double>> taken(plans.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < plans.size(); ++i) taken[i].push_back(ms_of(*plans[i]));
  std::vector<double> medians;
  for (const auto& times : taken) medians.push_back(median(times));
  fmt::print("{{\"graph\": \"{}\", \"ms\": {:.4f}, \"splits_ms\": {}}}\n", graph.name, medians[0],
             list({medians.begin() + 1, medians.end()}));
}

/// Both sides do the same commands on the same device, in turn.
void overhead(const families::Graph& graph, int rounds) {
  const Runtime runtime = runtime_of(first_device());
  const families::Machine machine;
  families::PlainLoop(graph, machine).run();
  const auto make_planned = [&](KilnGraph& made) {
    auto planned = std::make_unique<PlannedGraph>(
        runtime, made.take(), PlanOptions{.policy = Policy::one_device, .queues = 1});
    planned->plan(PlannedGraph::Explore::no);
    return planned;
  };
  {
    KilnGraph warm(graph, runtime, KilnGraph::Inputs::arrays);
    ms_of(*make_planned(warm));
  }
  std::vector<double> first_kiln, first_plain, kiln, plain;
  const auto pair = [](int round, std::vector<double>& a, const auto& run_a, std::vector<double>& b,
                       const auto& run_b) {
    if (round % 2 == 0) a.push_back(run_a());
    b.push_back(run_b());
    if (round % 2 == 1) a.push_back(run_a());
  };
  for (int round = 0; round < std::max(5, rounds / 3); ++round) {
    KilnGraph made(graph, runtime, KilnGraph::Inputs::arrays);
    const auto planned = make_planned(made);
    families::PlainLoop loop(graph, machine);
    pair(
        round, first_kiln, [&] { return ms_of(*planned); }, first_plain,
        [&] { return loop.run(); });
  }
  KilnGraph made(graph, runtime, KilnGraph::Inputs::arrays);
  const auto planned = make_planned(made);
  families::PlainLoop loop(graph, machine);
  for (int round = 0; round < rounds; ++round)
    pair(
        round, kiln, [&] { return ms_of(*planned); }, plain, [&] { return loop.run(); });
  const auto before = allocations.load();
  ms_of(*planned);
  const auto allocated = allocations.load() - before;
  loop.run();
  const bool same = made.result_digest(*planned) == loop.result_digest();
  fmt::print(
      "{{\"graph\": \"{}\", \"tasks\": {}, \"commands\": {}, \"first_kiln_ms\": {}, "
      "\"first_plain_ms\": {}, \"kiln_ms\": {}, \"plain_ms\": {}, \"allocations\": {}, \"same\": "
      "{}}}\n",
      graph.name, graph.tasks.size(), planned->executable().steps().all.size(), list(first_kiln),
      list(first_plain), list(kiln), list(plain), allocated, same);
}

/// Bytes that are moved and held where devices have memory of their own, with no run.
void transfers(const families::Graph& graph) {
  const Runtime runtime = runtime_of(devices_or("cpu"));
  KilnGraph made(graph, runtime, KilnGraph::Inputs::kept);
  PlannedGraph planned(runtime, made.take(), {.policy = Policy::heft, .as_if_apart = true});
  planned.plan(PlannedGraph::Explore::yes);
  planned.run({});
  const Steps& steps = planned.executable().steps();
  const auto& work = planned.work();
  // Its own times: those of the report have the commands in them.
  const Timetable table = timetable_by(planned.problem(), Policy::heft, no_device, {});
  const std::size_t devices = planned.devices().all().size();
  // Each version once to each device that reads it and has not made it, by way of the host, and
  // what is asked for back.
  std::uint64_t up = 0, down = 0;
  // What is live when, by the plan's times; at one moment, what ends before what begins.
  std::vector<std::map<std::pair<double, bool>, std::int64_t>> change(devices);
  for (const Value& value : work.values()) {
    std::vector<double> first(devices, never), last(devices, 0);
    const std::uint32_t home = value.producer == none ? none : table.tasks[value.producer].device;
    const auto use = [&](std::uint32_t device, Task task) {
      first[device] = std::min(first[device], table.tasks[task].start_ns);
      last[device] = std::max(last[device], table.tasks[task].end_ns);
    };
    if (home != none) use(home, value.producer);
    for (const Task reader : value.readers) use(table.tasks[reader].device, reader);
    bool leaves = value.is_result;
    for (std::uint32_t device = 0; device < devices; ++device) {
      if (first[device] == never) continue;
      if (device != home) {
        up += value.bytes;
        leaves = true;
      }
      // What is changed in place ends where its next version begins.
      double start_of_last = 0;
      const bool taken_over = std::ranges::any_of(value.readers, [&](Task reader) {
        if (table.tasks[reader].device != device || table.tasks[reader].end_ns != last[device])
          return false;
        const auto& entry = work.tasks()[reader];
        return std::ranges::any_of(entry.writes, [&](ValueId written) {
          start_of_last = table.tasks[reader].start_ns;
          // The copy of an input is there for this run alone.
          const bool may_be_changed =
              written != none && (work.values()[written].is_in_place || value.input != nullptr);
          return may_be_changed && &work.values()[work.values()[written].base] == &value;
        });
      });
      change[device][{first[device], true}] += static_cast<std::int64_t>(value.bytes);
      // Who takes it over has its bytes from its own begin.
      const double end = taken_over ? start_of_last : last[device];
      change[device][{end, false}] -= static_cast<std::int64_t>(value.bytes);
    }
    if (leaves && home != none) down += value.bytes;
  }
  std::int64_t least = 0, peak = 0;
  for (std::uint32_t device = 0; device < devices; ++device) {
    std::int64_t live = 0, most = 0;
    for (const auto& [when, by] : change[device]) most = std::max(most, live += by);
    least += most;
    const auto at = planned.devices().all()[device].memory;
    peak += static_cast<std::int64_t>(steps.peak_bytes[at]);
  }
  fmt::print(
      "{{\"graph\": \"{}\", \"up\": {}, \"least_up\": {}, \"down\": {}, \"least_down\": {}, "
      "\"peak\": {}, \"least_peak\": {}, \"digest\": \"{:016x}\"}}\n",
      graph.name, steps.bytes_up, up, steps.bytes_down, down, peak, least,
      made.result_digest(planned));
}

/// Memory of this process in use, in MiB.
double resident_mib() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return static_cast<double>(resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) /
         1048576;
}

/// What a graph takes besides its data, from its tasks to the commands of a run.
void footprint(const families::Graph& graph) {
  const Runtime runtime = runtime_of("cpu");
  {
    // The driver and the programs are there before.
    const families::Graph small = families::make("layered 60 32");
    KilnGraph made(small, runtime, KilnGraph::Inputs::kept);
    PlannedGraph(runtime, made.take(), {.policy = Policy::one_device}).run({});
  }
  double data = 0;
  for (const auto& buffer : graph.buffers) data += static_cast<double>(buffer.bytes) / 1048576;
  const double before = resident_mib();
  KilnGraph made(graph, runtime, KilnGraph::Inputs::kept);
  PlannedGraph planned(runtime, made.take(), {.policy = Policy::heft});
  planned.plan(PlannedGraph::Explore::no);
  ::malloc_trim(0);  // what planning has given back
  const double planned_mib = resident_mib() - before;
  planned.run({});
  fmt::print(
      "{{\"graph\": \"{}\", \"tasks\": {}, \"mib\": {:.2f}, \"after_run_mib\": {:.2f}, "
      "\"data_mib\": "
      "{:.2f}}}\n",
      graph.name, graph.tasks.size(), planned_mib, resident_mib() - before, data);
}

}  // namespace

int main(int count, char** words) try {
  if (count < 3) return 2;
  const std::string what = words[1];
  const families::Graph graph = families::make(words[2]);
  const int number = count > 3 ? std::atoi(words[3]) : 20;
  if (what == "run") {
    const Policy policy = count > 4 ? value_or_throw(parse_policy(words[4])) : Policy::automatic;
    run(graph, number, policy);
  } else if (what == "compare") {
    compare(graph, number);
  } else if (what == "spans") {
    spans(graph, count > 3 ? value_or_throw(parse_policy(words[3])) : Policy::automatic);
  } else if (what == "sweep") {
    sweep(graph, number);
  } else if (what == "overhead") {
    overhead(graph, number);
  } else if (what == "footprint") {
    footprint(graph);
  } else if (what == "memory") {
    transfers(graph);
  } else {
    return 2;
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "graph_runs: {}\n", error.what());
  return 1;
}
