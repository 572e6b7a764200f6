#include "kiln/blas/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/data/text.hpp"
#include "blas/api/library.hpp"
#include "blas/call/validate.hpp"

namespace kiln::blas {
namespace {

double items_of(const NDRange& range) {
  double items = 1;
  for (unsigned d = 0; d < range.dimensions; ++d) items *= static_cast<double>(range.global[d]);
  return items;
}

/// What had the program: the layer that answered first, or "compile". Loading and making a further
/// variant come after that, and a trial of the driver gives no program.
std::string source_of(const Explanation& explanation) {
  for (const auto& step : explanation.steps)
    if (step.answered && step.layer != "load" && step.layer != "variant" && step.layer != "trial")
      return step.layer;
  return "compile";
}

SequenceStep described(const Step& step, const Explanation& explanation) {
  SequenceStep described;
  described.kernel = step.launch.info().name;
  described.family = step.family;
  described.queue = step.queue;
  described.times = step.end_item - step.first_item;
  const NDRange& range = step.launch.range();
  described.global.assign(range.global.begin(), range.global.begin() + range.dimensions);
  described.local.assign(range.local.begin(), range.local.begin() + range.dimensions);
  described.after = step.after;
  const ChosenParameters& chosen = explanation.parameters;
  described.parameters.assign(chosen.parameters.begin(), chosen.parameters.end());
  if (!chosen.parameters.empty()) {
    described.parameters_from = chosen.origin;
    described.parameters_record = chosen.from;
  }
  described.key = explanation.key;
  described.found_in = source_of(explanation);
  if (!explanation.steps.empty())
    described.find_ns = explanation.steps.back().end_ns - explanation.steps.front().start_ns;
  return described;
}

std::string sizes(const std::vector<std::size_t>& range) {
  return fmt::format("{}", fmt::join(range, " x "));
}

}  // namespace

Sequence describe(const SolutionSequence& sequence, std::span<const std::string> devices) {
  Sequence description;
  description.workspace_bytes = sequence.workspace_bytes();
  std::map<std::string, double> all;
  std::map<std::pair<std::string, unsigned>, double> own;
  for (const auto& step : sequence.steps()) {
    const double items = items_of(step.launch.range());
    all[step.launch.info().name] += items;
    own[{step.launch.info().name, step.queue}] += items;
  }
  for (std::size_t i = 0; i < sequence.steps().size(); ++i) {
    const Step& step = sequence.steps()[i];
    SequenceStep& added =
        description.steps.emplace_back(described(step, sequence.explanations()[i]));
    added.device = devices[step.queue];
    // Kernels whose work-items take tasks from one list are equally many on all queues; those for
    // which nothing is noted have equal work for each work-item.
    added.share = step.part ? *step.part : own[{added.kernel, added.queue}] / all[added.kernel];
  }
  return description;
}

Sequence explain(Library& library, const Call& call, std::span<const cl_command_queue> queues) {
  const Execution execution = execution_of(queues, {}, {});
  require_room(call, no_bound);
  throw_refusal(call, validate_shape(call, execution));
  throw_refusal(call, Library::check_queues(call, execution));
  std::vector<std::string> devices;
  cl_ulong most = 0;
  for (auto* queue : queues) {
    const auto device = cl::CommandQueue(queue, true).getInfo<CL_QUEUE_DEVICE>();
    devices.push_back(device.getInfo<CL_DEVICE_NAME>());
    most = std::max(most, device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
  }
  require_room(call, most);
  return describe(*library.build(call, execution), devices);
}

Sequence explain(const Call& call, std::span<const cl_command_queue> queues) {
  return explain(Library::process(), call, queues);
}

Sequence explain(const Call& call, const Runtime& runtime, cl_command_queue queue) {
  const Queue chosen = runtime.state().queue(queue);
  const cl_command_queue handle = chosen.cl()();
  return explain(Library::of(runtime.state()), call, {&handle, 1});
}

std::string text_of(const Sequence& sequence) {
  std::string text;
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    const auto& step = sequence.steps[i];
    text += fmt::format("{:>3}  queue {}  {:<14} {} / {}", i, step.queue, step.kernel,
                        sizes(step.global), sizes(step.local));
    if (step.times > 1) text += fmt::format(", {} times", step.times);
    if (step.share < 1) text += fmt::format(", {:.0f} % of it", step.share * 100);
    if (!step.after.empty()) text += fmt::format(", after {}", fmt::join(step.after, ", "));
    text += fmt::format("\n     {}  key {}  {} in {}", step.family, step.key.substr(0, 16),
                        step.found_in, duration(static_cast<double>(step.find_ns)));
    for (const auto& [name, value] : step.parameters) text += fmt::format("  {}={}", name, value);
    if (!step.parameters.empty())
      text += fmt::format(" ({}{}{})", step.parameters_from,
                          step.parameters_record.empty() ? "" : ": ", step.parameters_record);
    text += "\n";
  }
  text += fmt::format("{} step{}, {} bytes of device memory of its own\n", sequence.steps.size(),
                      sequence.steps.size() == 1 ? "" : "s", sequence.workspace_bytes);
  return text;
}

}  // namespace kiln::blas
