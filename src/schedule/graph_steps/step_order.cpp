#include "schedule/graph_steps/step_order.hpp"

#include <algorithm>

namespace kiln::graph {

void StepOrder::begin() { known_.assign(host() + 1, Users(host() + 1)); }

std::uint32_t StepOrder::add(Step step, Users after) {
  const std::uint32_t queue = step.queue;
  after.resize(host() + 1);
  std::vector<std::uint32_t> slots;
  // The latest first: what it came after is known then.
  for (;;) {
    std::uint32_t latest = 0;
    for (std::uint32_t other = 0; other <= host(); ++other)
      if (other != queue && after[other] > known_[queue][other])
        latest = std::max(latest, after[other]);
    if (latest == 0) break;
    slots.push_back(slot_for(latest, queue));
    Arena::join(known_[queue], known_at_[latest - 1]);
  }
  step.first_wait = static_cast<std::uint32_t>(steps_.waits.size());
  step.waits = static_cast<std::uint32_t>(slots.size());
  steps_.waits.insert(steps_.waits.end(), slots.begin(), slots.end());
  steps_.all.push_back(step);
  const auto number = static_cast<std::uint32_t>(steps_.all.size());
  known_[queue][queue] = number;
  known_at_.push_back(known_[queue]);
  return number;
}

/// The event slot by which a queue waits for a step. Where that is of another context, `latest`
/// becomes the step of the host that hands it on.
std::uint32_t StepOrder::slot_for(std::uint32_t& latest, std::uint32_t queue) {
  Step* step = &steps_.all[latest - 1];
  const bool is_foreign =
      step->queue == host() || (queue != host() && context_of(step->queue) != context_of(queue));
  if (!is_foreign) {
    if (step->signal == none) step->signal = steps_.slots++;
    return step->signal;
  }
  if (step->queue != host()) {
    // The host waits for it, and tells the other context.
    Users after(host() + 1);
    after[step->queue] = latest;
    Step bridge;
    bridge.kind = Step::Kind::host;
    bridge.queue = host();
    latest = add(bridge, after);
  }
  const ContextPtr& context = context_of(queue);
  for (const UserEvent& event : steps_.user_events)
    if (event.step == latest - 1 && event.context == context) return event.slot;
  steps_.user_events.push_back({steps_.slots++, latest - 1, context});
  return steps_.user_events.back().slot;
}

void StepOrder::join(Users& to, std::uint32_t step) const {
  if (step == 0) return;
  const std::uint32_t queue = steps_.all[step - 1].queue;
  if (to.size() <= queue) to.resize(host() + 1);
  to[queue] = std::max(to[queue], step);
}

}  // namespace kiln::graph
