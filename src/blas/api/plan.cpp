#include "kiln/blas/plan.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/lifetime.hpp"
#include "blas/api/library.hpp"
#include "blas/call/validate.hpp"
#include "blas/sequence/solution_sequence.hpp"
#include "device/opencl.hpp"
#include "kiln/blas.hpp"

// The public calls: run(), and plans, which own their sequences.
namespace kiln::blas {
namespace {

/// What of a shape are numbers, with their names for people.
std::vector<std::pair<const char*, std::uint64_t>> fields_of(const Shape& s) {
  return {{"the order's number", s.order},
          {"the side's number", s.side},
          {"the triangle's number", s.uplo},
          {"A's transposition", s.trans_a},
          {"B's transposition", s.trans_b},
          {"the diagonal's number", s.diag},
          {"a real alpha", s.real_alpha},
          {"m", s.m},
          {"n", s.n},
          {"k", s.k},
          {"kl", s.kl},
          {"ku", s.ku},
          {"invariance", s.invariant},
          {"emulation", s.emulated},
          {"the batch", s.batch},
          {"a table of items", s.by_items},
          {"the bias's number", s.bias},
          {"the scale's number", s.scale},
          {"the activation's number", s.activation},
          {"a residual", s.residual},
          {"the first element's number", s.first_index},
          {"the channels", s.window[0]},
          {"the image's height", s.window[1]},
          {"the image's width", s.window[2]},
          {"the filter's height", s.window[3]},
          {"the filter's width", s.window[4]},
          {"the height's padding", s.window[5]},
          {"the width's padding", s.window[6]},
          {"the height's stride", s.window[7]},
          {"the width's stride", s.window[8]},
          {"the height's dilation", s.window[9]},
          {"the width's dilation", s.window[10]},
          {"a flipped filter", s.window[11]},
          {"the group of A", s.group_a},
          {"the group of B", s.group_b}};
}

std::string full_name_of(const Shape& shape) {
  return full_name_of(Call{.routine = static_cast<Routine>(shape.routine),
                           .precision = static_cast<Precision>(shape.precision)});
}

/// "n is 8, the plan's is 16": the first thing but the values of scalars in which a call's shape is
/// not the one that was prepared; empty where there is none.
std::string difference_of(const Shape& asked, const Shape& prepared) {
  if (asked.routine != prepared.routine || asked.precision != prepared.precision)
    return fmt::format("it is {}, the plan's is {}", full_name_of(asked), full_name_of(prepared));
  const auto wanted = fields_of(asked), there = fields_of(prepared);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != there[i])
      return fmt::format("{} is {}, the plan's is {}", wanted[i].first, wanted[i].second,
                         there[i].second);
  const auto difference = [&](std::string_view what, const auto& values, const auto& plans) {
    for (std::size_t slot = 0; slot < slot_count; ++slot)
      if (values[slot] != plans[slot])
        return fmt::format("{} of {} is {}, the plan's is {}", what,
                           name_of(static_cast<Slot>(slot)), values[slot], plans[slot]);
    return std::string();
  };
  for (const std::string& text :
       {difference("the stride", asked.strides, prepared.strides),
        difference("the batch's stride", asked.batch_strides, prepared.batch_strides),
        difference("the storage's number", asked.stored, prepared.stored)})
    if (!text.empty()) return text;
  return "";
}

}  // namespace

void run(const Call& call, std::span<const cl_command_queue> queues,
         std::span<const cl_event> after, std::span<cl_event> events) {
  throw_refusal(call, run_in(Library::process(), call, execution_of(queues, after, events)));
}

Event run(const Call& call, const Runtime& runtime, const EnqueueOptions& options) {
  const Queue queue = runtime.state().queue(options.queue);
  const cl_command_queue handle = queue.cl()();
  const std::vector<cl_event> after = handles_of(options.after);
  cl::Event done;
  throw_refusal(call, run_in(Library::of(runtime.state()), call,
                             execution_of({&handle, 1}, after, {&done(), 1})));
  return Event::adopt(done());
}

struct Plan::State {
  State(const Call& of, std::span<const cl_command_queue> on,
        const std::shared_ptr<Runtime::State>& holder)
      : runtime(holder),
        library(runtime ? Library::of(*runtime) : Library::process()),
        call(of),
        queues(on.begin(), on.end()),
        shape(Library::shape_of(of, {on})) {
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
    auto sequence = is_good ? std::move(place) : library.build(asked, execution);
    sequence->run(asked, execution);
    place = std::move(sequence);
  }

  // First, so that it goes last: its Resolver outlives the sequences' programs.
  std::shared_ptr<Runtime::State> runtime;  ///< null: programs are of the process's Resolver
  Library& library;
  Call call;
  std::vector<cl_command_queue> queues;
  std::vector<cl::CommandQueue> held;
  Shape shape;
  std::array<std::unique_ptr<SolutionSequence>, 3> sequences;
};

Plan::Plan(const Call& call, std::span<const cl_command_queue> queues) {
  prepare(call, queues, nullptr);
}

Plan::Plan(const Call& call, const Runtime& runtime, cl_command_queue queue) {
  const Queue chosen = runtime.state().queue(queue);
  const cl_command_queue handle = chosen.cl()();
  prepare(call, {&handle, 1}, runtime.shared_state());
}

void Plan::prepare(const Call& call, std::span<const cl_command_queue> queues,
                   const std::shared_ptr<Runtime::State>& runtime) {
  const Execution execution = execution_of(queues, {}, {});
  throw_refusal(call, validate(call, execution));
  throw_refusal(call, Library::check_queues(call, execution));
  state_ = std::make_unique<State>(call, queues, runtime);
  state_->sequences[State::place_of(state_->shape)] = state_->library.build(call, execution);
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
  NewEvents made(execution);
  state.run(call, execution);
  made.hand_over();
}

std::size_t Plan::workspace_bytes() const {
  std::size_t bytes = 0;
  for (const auto& sequence : held(state_, "Plan").sequences)
    if (sequence) bytes += sequence->workspace_bytes();
  return bytes;
}

}  // namespace kiln::blas
