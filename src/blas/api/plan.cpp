#include "kiln/blas/plan.hpp"

#include <optional>

#include "base/lifetime.hpp"
#include "blas/api/refusal.hpp"
#include "blas/api/shape_difference.hpp"
#include "blas/library.hpp"
#include "blas/new_events.hpp"
#include "blas/process_run.hpp"
#include "blas/validate.hpp"
#include "device/forked.hpp"

namespace kiln::blas {

struct Plan::State {
  State(const Call& of, std::span<const cl_command_queue> on)
      : call(of), queues(on.begin(), on.end()), shape(Library::shape_of(of, {on})) {
    for (auto* queue : queues) held.emplace_back(queue, true);
  }

  /// The place of the sequence for calls whose alpha is 0, 1 or another number.
  static std::size_t place_of(const Shape& of) {
    return of.alpha_is_zero != 0 ? 0u : of.alpha_is_one != 0 ? 1u : 2u;
  }
  void run(const Call& asked, const Execution& execution) {
    const Shape wanted(asked, shape.context, shape.devices.data(), shape.queues);
    auto& place = sequences[place_of(wanted)];
    // Where a run fails, commands that it had enqueued may still use the sequence's memory, and
    // nothing knows when they end: the next run gets a sequence of its own.
    const bool is_good =
        place && place->last_run(execution.queues) != SolutionSequence::LastRun::failed;
    auto sequence = is_good ? std::move(place) : process_library().build(asked, execution);
    sequence->run(asked, execution);
    place = std::move(sequence);
  }

  Call call;
  std::vector<cl_command_queue> queues;
  std::vector<cl::CommandQueue> held;
  Shape shape;
  std::array<std::unique_ptr<SolutionSequence>, 3> sequences;
};

Plan::Plan(const Call& call, std::span<const cl_command_queue> queues) {
  const Execution execution = execution_of(queues, {}, {});
  throw_refusal(call, validate(call, execution));
  throw_refusal(call, check_handles(execution));
  if (!Library::supports(call, execution)) throw_refusal(call, Status::invalid_device);
  state_ = std::make_unique<State>(call, queues);
  state_->sequences[State::place_of(state_->shape)] = process_library().build(call, execution);
}

Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

void Plan::repeat(std::span<const cl_event> after, std::span<cl_event> events) {
  refuse_after_fork();
  run(held(state_, "Plan").call, after, events);
}

void Plan::run(const Call& call, std::span<const cl_event> after, std::span<cl_event> events) {
  refuse_after_fork();
  State& state = held(state_, "Plan");
  Execution execution = execution_of(state.queues, after, events);
  const Shape& planned = state.shape;
  const Shape asked(call, planned.context, planned.devices.data(), planned.queues);
  if (const auto difference = difference_of(asked, planned); !difference.empty())
    throw Error(Errc::bad_input,
                full_name_of(call) + ": the call does not fit the plan: " + difference);
  throw_refusal(call, validate(call, execution));
  NewEvents made;
  if (execution.events != nullptr) execution.events = made.data();
  state.run(call, execution);
  if (!events.empty()) made.hand_over(events.data(), state.queues.size());
}

std::size_t Plan::workspace_bytes() const {
  std::size_t bytes = 0;
  for (const auto& sequence : held(state_, "Plan").sequences)
    if (sequence) bytes += sequence->workspace_bytes();
  return bytes;
}

}  // namespace kiln::blas
