#include "spec/run_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "base/clock.hpp"
#include "base/kept_spans.hpp"
#include "schedule/co_run.hpp"
#include "schedule/recorded_kernel.hpp"
#include "spec/run/job.hpp"
#include "spec/tune/tuned_binding.hpp"

namespace kiln::spec {
namespace {

Expected<void> use_local_size(BoundSpec& bound, const RecordedSpec& asked) {
  const auto& sizes = asked.local_size;
  if (sizes.empty()) return {};
  if (sizes.size() != bound.global.size())
    return fail(Errc::bad_input,
                fmt::format("{}: --local-size: found {} dimensions, expected {}",
                            asked.file.string(), sizes.size(), bound.global.size()));
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] == 0 || bound.global[d] % sizes[d] != 0)
      return fail(
          Errc::bad_input,
          fmt::format("{}: --local-size: found {}, expected a divisor of the global size {} "
                      "(dimension {})",
                      asked.file.string(), sizes[d], bound.global[d], d));
  bound.local.assign(sizes.begin(), sizes.end());
  bound.local_is_default = false;
  return {};
}

BindOptions bind_options_of(const RecordedSpec& asked) {
  BindOptions result;
  if (asked.partition && asked.partition->kind == Partition::Kind::share_class)
    result.partition = asked.partition->share_class;
  return result;
}

/// How the caller, or else the bound spec, wants it split.
Partition partition_of(const RecordedSpec& asked, const BoundSpec& bound) {
  if (asked.partition) return *asked.partition;
  Partition own;
  own.share_class = bound.partition;
  return own;
}

/// The devices that get a share: all but those whose weight is known to be 0.
std::vector<DevicePtr> working_devices(const Partition& partition,
                                       const std::vector<DevicePtr>& all) {
  const bool fixed =
      partition.kind == Partition::Kind::share_class || partition.kind == Partition::Kind::weights;
  const auto weights = fixed ? partition.weights_for(all.size()) : std::vector<double>();
  if (!fixed || !weights) return all;  // what is wrong with weights is said by the run
  std::vector<DevicePtr> working;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((*weights)[i] > 0) working.push_back(all[i]);
  return working;
}

/// Where the runs of a spec are counted, if calls are recorded.
CallCounter* counter_of(const PreparedSpec& prepared, const std::vector<Queue>& queues) {
  CallLog* const log = CallLog::process();
  if (log == nullptr) return nullptr;
  RecordedSpec run = prepared.asked;
  run.file = std::filesystem::absolute(run.file);
  for (auto& folder : run.source_dirs) folder = std::filesystem::absolute(folder);
  return log->counter(recorded_call(run, prepared.spec.name, queues));
}

/// Positions are checked before anything runs: a typo must not cost a run.
void check_positions(const SpecRunOptions& options, const BoundSpec& bound) {
  for (const auto& [position, file] : options.out)
    value_or_throw(buffer_argument(bound, position, "--out"));
  for (const auto& [position, file] : options.expect)
    value_or_throw(buffer_argument(bound, position, "--expect"));
}

Arrays arrays_of(const BoundSpec& bound, const SpecRunOptions& options) {
  try {
    return value_or_throw(Arrays::make(bound, options.seed, options.in));
  } catch (const std::bad_alloc&) {
    throw Error(Errc::io, "there is not enough free memory for its buffers");
  }
}

bool asks_for_split(const Partition& partition) {
  switch (partition.kind) {
    case Partition::Kind::share_class:
      return partition.share_class % 10 != 0;
    case Partition::Kind::weights:
      return std::count_if(partition.weights.begin(), partition.weights.end(),
                           [](double weight) { return weight > 0; }) > 1;
    default:
      return true;
  }
}

/// The reason where a split was asked for and the kernel allows it, but there is none.
std::string why_unsplit(const RecordedSpec& asked, std::size_t devices, const BoundSpec& bound) {
  if (!asked.partition || !asks_for_split(*asked.partition)) return "";
  const auto groups = bound.global[0] / bound.local[0];
  if (devices == 1) return "there is one device (--devices cpu/2 makes two of a processor)";
  if (groups == 1) return "there is one work-group along dimension 0, and cuts fall between them";
  if (asked.partition->kind == Partition::Kind::automatic) return "";
  return fmt::format("all {} work-groups along dimension 0 fall to one device", groups);
}

/// Runs as often as asked. `auto` learns from run to run.
RunReport run_all(CoRun& run, const Partition& partition, const SpecRunOptions& options,
                  const RunObserver& observer, CallCounter* counter,
                  std::vector<std::int64_t>& wall_ns) {
  std::optional<AutoSplit> learning;
  if (partition.kind == Partition::Kind::automatic) learning.emplace(run);
  RunReport report;
  for (std::int64_t i = 0; i < options.runs; ++i) {
    if (observer.before_each) observer.before_each();
    report = learning ? learning->run() : run_partition(run, partition);
    wall_ns.push_back(report.wall_ns);
    count_run(counter, report);
  }
  return report;
}

void write_outputs(const SpecRunOptions& options, const Arrays& arrays, SpecResult& result) {
  for (const auto& [position, file] : options.out) {
    const auto* argument = value_or_throw(buffer_argument(result.bound, position, "--out"));
    value_or_throw(save_npy(*argument, arrays.at(position).view(), file));
  }
  for (const auto& [position, file] : options.expect) {
    const auto* argument = value_or_throw(buffer_argument(result.bound, position, "--expect"));
    const auto difference =
        value_or_throw(compare_with_npy(*argument, arrays.at(position).view(), file, options.rtol));
    if (!difference.empty() && result.difference.empty())
      result.difference =
          fmt::format("argument {} differs from {}: {}", position, file.string(), difference);
  }
}

ProgramLookup lookup_of(const Explanation& explanation) {
  ProgramLookup lookup{explanation.what, explanation.key, {}, text_of(explanation)};
  for (const auto& step : explanation.steps)
    lookup.steps.push_back({step.layer, step.answered, step.reason, step.start_ns, step.end_ns});
  return lookup;
}

}  // namespace

Expected<BoundSpec> bind_untuned(const Spec& loaded, const RecordedSpec& asked) {
  auto bound = bind(loaded, asked.symbols, bind_options_of(asked));
  if (!bound) return bound;
  if (auto used = use_local_size(*bound, asked); !used) return tl::unexpected(used.error());
  return bound;
}

Binding bind_tuned(const Spec& loaded, const RecordedSpec& asked, Resolver& resolver,
                   const std::vector<DevicePtr>& devices, const SourcePtr& source,
                   Expected<BoundSpec> untuned) {
  Binding result;
  BoundSpec unknown;
  unknown.partition = loaded.partition.value_or(10);
  TunedQuestion question{loaded,
                         *source,
                         asked.symbols,
                         bind_options_of(asked),
                         {},
                         devices,
                         asked.local_size.empty() ? "" : "--local-size"};
  question.working =
      working_devices(partition_of(asked, untuned ? *untuned : unknown), question.all);
  auto answer = find_tuned(resolver, question, untuned);
  result.tuned = std::move(answer.chosen);
  result.not_tuned = std::move(answer.unused);
  if (answer.bound) untuned = *std::move(answer.bound);
  result.bound = value_or_throw(std::move(untuned));
  return result;
}

PreparedSpec prepare_spec(const std::filesystem::path& file, const SpecRunOptions& options,
                          const std::vector<std::filesystem::path>& written) {
  std::optional<Partition> partition;
  if (!options.partition.empty()) partition = value_or_throw(Partition::parse(options.partition));
  PreparedSpec prepared{value_or_throw(load_spec(file, options.dialect)),
                        {file,
                         {options.set, options.set_if},
                         options.dialect,
                         options.source_folders,
                         options.local_size,
                         std::move(partition)},
                        {},
                        nullptr};
  if (is_part_of_graph(prepared.spec))
    throw Error(Errc::unsupported,
                fmt::format("{}: the kernel is part of a graph (depends, task or from); kiln run "
                            "runs single kernels only",
                            file.string()));
  // What is wrong with the file is said before any driver is loaded.
  prepared.untuned = bind_untuned(prepared.spec, prepared.asked);
  if (prepared.untuned) check_positions(options, *prepared.untuned);
  if (!prepared.untuned && !lacks_symbols(prepared.spec, prepared.asked.symbols))
    throw prepared.untuned.error();
  prepared.source = value_or_throw(load_kernel_source(prepared.spec, options.source_folders));
  if (const auto stays = check_source_stays(*prepared.source, written); !stays)
    throw SourceWouldBeLost(stays.error());
  return prepared;
}

SpecResult run_prepared(PreparedSpec prepared, const SpecRunOptions& options,
                        Runtime::State& runtime, const RunObserver& observer) {
  Resolver& resolver = runtime.resolver();
  Binding binding = resolver.store() != nullptr
                        ? bind_tuned(prepared.spec, prepared.asked, resolver, runtime.devices(),
                                     prepared.source, std::move(prepared.untuned))
                        : Binding{value_or_throw(std::move(prepared.untuned)), {}, {}};
  SpecResult result;
  result.file = prepared.asked.file.string();
  result.bound = std::move(binding.bound);
  for (const auto& [name, value] : binding.tuned.parameters) result.tuned.emplace_back(name, value);
  result.tuned_from = result.tuned.empty() ? "" : binding.tuned.from;
  result.tuned_text = text_of(binding.tuned);
  result.not_tuned = std::move(binding.not_tuned);
  check_positions(options, result.bound);
  auto arrays = std::make_shared<Arrays>(arrays_of(result.bound, options));
  const auto start = now_ns();
  std::vector<Explanation> explanations;
  CoRun run(resolver, runtime.queues(),
            value_or_throw(make_job(prepared.spec, result.bound, prepared.source, *arrays)),
            {.trace = observer.trace,
             .explanations = &explanations,
             .memory = options.bounds == Bounds::checked ? Placement::OwnMemory::guarded
                                                         : Placement::OwnMemory::where_needed});
  check_job_types(result.bound, run.job(), resolver, runtime.queues().front());
  CallCounter* const counter = counter_of(prepared, runtime.queues());
  if (counter != nullptr) counter->add_prepare(now_ns() - start);
  RunReport report = run_all(run, partition_of(prepared.asked, result.bound), options, observer,
                             counter, result.wall_ns);
  if (!report.split && report.reason.empty())
    report.reason = why_unsplit(prepared.asked, runtime.devices().size(), result.bound);
  result.summary = report;
  for (const auto& explanation : explanations) {
    result.programs.push_back(lookup_of(explanation));
    if (observer.found) observer.found(explanation);
  }
  write_outputs(options, *arrays, result);
  result.arrays = std::move(arrays);
  return result;
}

// --- The public interface (kiln/spec/run.hpp) ---

SpecResult run(const Runtime& runtime, const std::filesystem::path& file,
               const SpecRunOptions& options) {
  std::vector<std::filesystem::path> written;
  for (const auto& [position, output] : options.out) written.push_back(output);
  auto prepared = prepare_spec(file, options, written);
  if (!options.timeline) return run_prepared(std::move(prepared), options, runtime.state());
  KeptSpans spans;
  RunObserver observer{.trace = &spans};
  observer.found = [&spans](const Explanation& explanation) {
    for (auto& event : trace_events(explanation)) spans.add(std::move(event));
  };
  SpecResult result = run_prepared(std::move(prepared), options, runtime.state(), observer);
  result.timeline = spans.take();
  return result;
}

std::span<const std::byte> SpecResult::bytes(std::uint32_t position) const {
  value_or_throw(buffer_argument(bound, position, "the result"));
  return arrays->at(position).view();
}

void SpecResult::check_scalar(std::uint32_t position, std::size_t bytes) const {
  const Type& type = bound.arguments[position].type;
  if (type.is_struct() || type.scalar_bytes() == bytes) return;
  throw Error(Errc::bad_input,
              fmt::format("argument {} has elements of {} with {} bytes a number, asked for as {} "
                          "bytes",
                          position, type.opencl_name(), type.scalar_bytes(), bytes));
}

}  // namespace kiln::spec
