#pragma once

#include <vector>

#include "schedule/graph_steps/arena.hpp"
#include "schedule/graph_steps/steps.hpp"

namespace kiln::graph {

/// Adds steps to a list, each with those waits alone that no order of its queue and no earlier wait
/// says already. The host counts as a queue behind all others.
class StepOrder {
 public:
  /// By queue, the last step that something comes after; 0: none.
  using Users = Arena::Users;

  /// `steps` has all of its queues when begin() is called, and outlives this.
  explicit StepOrder(Steps& steps) : steps_(steps) {}
  /// To be called once, before any step.
  void begin();

  /// Adds a step behind `after`. Result: its number, from 1 on.
  std::uint32_t add(Step step, Users after);
  /// Of each queue the last step that whatever comes next in `queue` comes after.
  const Users& known(std::uint32_t queue) const { return known_[queue]; }
  /// Adds a step, none if 0, to those that something comes after.
  void join(Users& to, std::uint32_t step) const;

 private:
  std::uint32_t slot_for(std::uint32_t& latest, std::uint32_t queue);
  const ContextPtr& context_of(std::uint32_t queue) const {
    return steps_.queues[queue].queue.context();
  }
  std::uint32_t host() const { return static_cast<std::uint32_t>(steps_.queues.size()); }

  Steps& steps_;
  std::vector<Users> known_;     ///< by queue
  std::vector<Users> known_at_;  ///< by step: what its queue comes after from then on
};

}  // namespace kiln::graph
