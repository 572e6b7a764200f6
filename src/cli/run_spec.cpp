#include "cli/run_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "base/clock.hpp"
#include "cli/interrupt.hpp"
#include "cli/legacy_run.hpp"
#include "schedule/auto_split.hpp"
#include "schedule/recorded_run.hpp"
#include "spec/run/argument_types.hpp"
#include "spec/run/job.hpp"
#include "spec/run/recorded_spec.hpp"
#include "spec/tune/tuned_binding.hpp"

namespace kiln::cli {
namespace {

/// Where the runs of a spec are counted, if calls are recorded.
CallCounter* counter_of(const std::string& file, const RunOptions& options,
                        const std::string& kernel, Session& session) {
  CallLog* const log = CallLog::process();
  if (log == nullptr) return nullptr;
  spec::RecordedSpec run{std::filesystem::absolute(file),
                         options.symbols,
                         options.dialect,
                         {},
                         options.local_size,
                         options.partition};
  for (const auto& folder : options.source_dirs)
    run.source_dirs.push_back(std::filesystem::absolute(folder));
  return log->counter(recorded_call(run, kernel, session.queues()));
}

/// Runs as often as asked. `auto` learns from run to run.
void run_all(CoRun& run, const Partition& partition, const RunOptions& options,
             CallCounter* counter, SpecRun& result) {
  std::optional<AutoSplit> learning;
  if (partition.kind == Partition::Kind::automatic) learning.emplace(run);
  for (std::int64_t i = 0; i < options.runs; ++i) {
    stop_if_interrupted();
    result.report = learning ? learning->run() : run_partition(run, partition);
    result.wall_ns.push_back(result.report.wall_ns);
    count_run(counter, result.report);
  }
}

void write_outputs(const RunOptions& options, SpecRun& result) {
  for (const auto& [position, file] : options.outputs) {
    const auto* argument = value_or_throw(spec::buffer_argument(result.bound, position, "--out"));
    value_or_throw(spec::save_npy(*argument, result.arrays.at(position).view(), file));
  }
  for (const auto& [position, file] : options.expectations) {
    const auto* argument =
        value_or_throw(spec::buffer_argument(result.bound, position, "--expect"));
    const auto difference = value_or_throw(
        spec::compare_with_npy(*argument, result.arrays.at(position).view(), file, options.rtol));
    if (!difference.empty() && result.difference.empty())
      result.difference =
          fmt::format("argument {} differs from {}: {}", position, file.string(), difference);
  }
}

spec::Arrays arrays_of(const spec::BoundSpec& bound, const RunOptions& options) {
  try {
    return value_or_throw(spec::Arrays::make(bound, options.seed, options.inputs));
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

/// Someone who asks for a split, and gets none although the kernel allows it, would wonder.
void explain_unsplit(const RunOptions& options, std::size_t devices, const spec::BoundSpec& bound,
                     RunReport& report) {
  if (!options.partition || report.split || !report.reason.empty()) return;
  if (!asks_for_split(*options.partition)) return;
  const auto groups = bound.global[0] / bound.local[0];
  if (devices == 1)
    report.reason = "there is one device (--devices cpu/2 makes two of a processor)";
  else if (groups == 1)
    report.reason = "there is one work-group along dimension 0, and cuts fall between them";
  else if (options.partition->kind != Partition::Kind::automatic)
    report.reason = fmt::format("all {} work-groups along dimension 0 fall to one device", groups);
}

/// Positions are checked before anything runs: a typo must not cost a run.
void check_positions(const RunOptions& options, const spec::BoundSpec& bound) {
  for (const auto& [position, file] : options.outputs)
    value_or_throw(spec::buffer_argument(bound, position, "--out"));
  for (const auto& [position, file] : options.expectations)
    value_or_throw(spec::buffer_argument(bound, position, "--expect"));
}

}  // namespace

SpecRun run_spec(const std::string& file, const RunOptions& options, Session& session,
                 Timeline* timeline) {
  // What an earlier specification has queued for the store is finished before the command ends.
  const bool is_first = !session.has_run();
  const auto loaded = [&] {
    std::optional<EndsAtOnce> reading;
    if (is_first) reading.emplace();
    return value_or_throw(spec::load_spec(file, options.dialect));
  }();
  if (spec::is_part_of_graph(loaded))
    throw Error(
        Errc::unsupported,
        fmt::format("{}: the kernel is part of a graph (depends, task or from); kiln run runs "
                    "single kernels only",
                    file));
  SpecRun result;
  result.file = file;
  // What is wrong with the file is said before any driver is loaded.
  auto untuned = bind_untuned(loaded, options, file);
  if (untuned) check_positions(options, *untuned);
  if (!untuned && !spec::lacks_symbols(loaded, options.symbols)) throw untuned.error();
  auto source = [&] {
    std::optional<EndsAtOnce> reading;
    if (is_first) reading.emplace();
    return value_or_throw(spec::load_kernel_source(loaded, options.source_dirs));
  }();
  if (const auto stays = spec::check_source_stays(*source, options.written); !stays)
    throw SourceWouldBeLost(stays.error());
  // The original's way is there to compare with: it knows no records.
  const bool knows_records = !options.legacy && session.resolver().store() != nullptr;
  static_cast<SpecBinding&>(result) =
      knows_records ? bind_tuned(loaded, options, session.resolver(), session.devices(), source,
                                 std::move(untuned))
                    : SpecBinding{value_or_throw(std::move(untuned)), {}, {}};
  check_positions(options, result.bound);
  result.arrays = arrays_of(result.bound, options);
  auto job = value_or_throw(spec::make_job(loaded, result.bound, std::move(source), result.arrays));
  const auto partition = partition_of(options, result.bound);
  if (options.legacy) {
    run_legacy(loaded, partition, std::move(job), session, result);
  } else {
    const auto start = now_ns();
    CoRun run(session.resolver(), session.queues(), std::move(job),
              {.trace = timeline,
               .explanations = &result.explanations,
               .memory = options.bounds == Bounds::checked ? Placement::OwnMemory::guarded
                                                           : Placement::OwnMemory::where_needed});
    spec::check_job_types(result.bound, run.job(), session.resolver(), session.queues().front());
    CallCounter* const counter = counter_of(file, options, loaded.name, session);
    if (counter != nullptr) counter->add_prepare(now_ns() - start);
    run_all(run, partition, options, counter, result);
  }
  explain_unsplit(options, session.devices().size(), result.bound, result.report);
  if (timeline != nullptr)
    for (const auto& explanation : result.explanations) timeline->add(explanation);
  write_outputs(options, result);
  return result;
}

}  // namespace kiln::cli
