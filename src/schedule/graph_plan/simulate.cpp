#include "schedule/graph_plan/simulate.hpp"

#include <algorithm>

namespace kiln::graph {
namespace {

class Simulation {
 public:
  Simulation(const Problem& problem, const Steps& steps, const std::vector<CommandCosts>& costs,
             Timetable table)
      : problem_(problem),
        steps_(steps),
        costs_(costs),
        table_(std::move(table)),
        host_(static_cast<std::uint32_t>(steps.queues.size())),
        queue_free_(steps.queues.size() + 1),
        slot_end_(steps.slots),
        slot_device_(steps.slots, none) {}

  Timetable run() {
    table_.makespan_ns = 0;
    for (std::uint32_t i = 0; i < steps_.all.size(); ++i) add(i);
    table_.makespan_ns = std::max(table_.makespan_ns, host_ns_);
    return std::move(table_);
  }

 private:
  void add(std::uint32_t index) {
    const Step& step = steps_.all[index];
    const std::uint32_t device = step.queue == host_ ? none : steps_.queues[step.queue].device;
    double ready = 0;
    for (std::uint32_t i = 0; i < step.waits; ++i) {
      const std::uint32_t slot = steps_.waits[step.first_wait + i];
      const bool crosses = slot_device_[slot] != device;
      ready = std::max(ready, slot_end_[slot] + (crosses ? problem_.hand_over_ns : 0));
    }
    // The host does what is its own after all that was enqueued before; what it enqueues later does
    // not wait for that.
    if (device != none) host_ns_ += costs_[device].enqueue_ns;
    const double start = std::max({ready, host_ns_, queue_free_[step.queue]});
    const double end = start + length(step, device);
    queue_free_[step.queue] = end;
    table_.makespan_ns = std::max(table_.makespan_ns, end);
    const auto signal = [&](std::uint32_t slot) {
      slot_end_[slot] = end;
      slot_device_[slot] = device;
    };
    if (step.signal != none) signal(step.signal);
    for (const UserEvent& event : steps_.user_events)
      if (event.step == index) signal(event.slot);
    if (step.task != none && (step.kind == Step::Kind::run || step.kind == Step::Kind::host)) {
      table_.tasks[step.task].start_ns = start;
      table_.tasks[step.task].end_ns = end;
    }
  }

  double length(const Step& step, std::uint32_t device) const {
    if (device == none) return 0;
    const CommandCosts& costs = costs_[device];
    const auto bytes = static_cast<double>(step.bytes);
    switch (step.kind) {
      case Step::Kind::run: {
        const DeviceModel& model = problem_.devices[device];
        // What a task takes has the launch in it.
        return problem_.run(step.task, device) * model.slow_down_of(model.lanes);
      }
      case Step::Kind::fill:
        return costs.launch_ns + costs.fill.ns_per_byte * bytes;
      case Step::Kind::copy:
        return costs.launch_ns + 2 * costs.fill.ns_per_byte * bytes;
      case Step::Kind::upload:
        return costs.up.time_ns(bytes);
      case Step::Kind::download:
        return costs.down.time_ns(bytes);
      case Step::Kind::host:
        break;
    }
    return 0;
  }

  const Problem& problem_;
  const Steps& steps_;
  const std::vector<CommandCosts>& costs_;
  Timetable table_;
  std::uint32_t host_;
  std::vector<double> queue_free_;
  std::vector<double> slot_end_;
  std::vector<std::uint32_t> slot_device_;
  double host_ns_ = 0;
};

}  // namespace

Timetable simulated(const Problem& problem, const Steps& steps,
                    const std::vector<CommandCosts>& costs, const Timetable& planned) {
  return Simulation(problem, steps, costs, planned).run();
}

}  // namespace kiln::graph
