#include "cli/run/run_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "base/clock.hpp"
#include "cli/command/interrupt.hpp"
#include "kernel/program/launch.hpp"
#include "schedule/job.hpp"
#include "schedule/kernel_run.hpp"
#include "schedule/partition.hpp"
#include "schedule/proof.hpp"
#include "spec/run/job.hpp"
#include "spec/run/recorded_spec.hpp"
#include "spec/tune/tuned_binding.hpp"

namespace kiln::cli {
namespace {

void use_local_size(spec::BoundSpec& bound, const std::vector<std::size_t>& sizes,
                    const std::string& file) {
  if (sizes.empty()) return;
  if (sizes.size() != bound.global.size())
    throw Error(Errc::bad_input, fmt::format("{}: --local-size: found {} dimensions, expected {}",
                                             file, sizes.size(), bound.global.size()));
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (bound.global[d] % sizes[d] != 0)
      throw Error(
          Errc::bad_input,
          fmt::format("{}: --local-size: found {}, expected a divisor of the global size {} "
                      "(dimension {})",
                      file, sizes[d], bound.global[d], d));
  bound.local.assign(sizes.begin(), sizes.end());
  bound.local_is_default = false;
}

spec::BindOptions bind_options_of(const RunOptions& options) {
  spec::BindOptions result;
  if (options.partition && options.partition->kind == Partition::Kind::share_class)
    result.partition = options.partition->share_class;
  return result;
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

}  // namespace

Partition partition_of(const RunOptions& options, const spec::BoundSpec& bound) {
  if (options.partition) return *options.partition;
  Partition own;
  own.share_class = bound.partition;
  return own;
}

Expected<spec::BoundSpec> bind_untuned(const spec::Spec& loaded, const RunOptions& options,
                                       const std::string& file) {
  auto bound = spec::bind(loaded, options.symbols, bind_options_of(options));
  if (bound) use_local_size(*bound, options.local_size, file);
  return bound;
}

SpecBinding bind_tuned(const spec::Spec& loaded, const RunOptions& options, Resolver& resolver,
                       const std::vector<DevicePtr>& devices, const SourcePtr& source,
                       Expected<spec::BoundSpec> untuned) {
  SpecBinding result;
  spec::BoundSpec unknown;
  unknown.partition = loaded.partition.value_or(10);
  spec::TunedQuestion question{loaded,
                               *source,
                               options.symbols,
                               bind_options_of(options),
                               {},
                               devices,
                               options.local_size.empty() ? "" : "--local-size"};
  question.working =
      working_devices(partition_of(options, untuned ? *untuned : unknown), question.all);
  auto answer = spec::find_tuned(resolver, question, untuned);
  result.tuned = std::move(answer.chosen);
  result.not_tuned = std::move(answer.unused);
  if (answer.bound) untuned = *std::move(answer.bound);
  result.bound = value_or_throw(std::move(untuned));
  return result;
}

// --legacy: the way of the original program, for comparison.

namespace {

std::vector<std::uint64_t> local_size_of(const spec::LegacyPart& part) {
  return part.local.empty() ? spec::default_local_size(part.global) : part.local;
}

void check_fit(const Program& program, const Job& job, const spec::BoundSpec& bound) {
  const auto& kernel = program.kernel(job.kernel);
  const auto parameters = parameters_of(job);
  value_or_throw(check_arguments_match(kernel, job, parameters));
  value_or_throw(spec::check_argument_types(bound, kernel, parameters));
}

/// One device's part: slices on the device, rebased to element 0, as the original makes them.
class LegacyPlacement {
 public:
  LegacyPlacement(const Queue& queue, Program& program, const spec::LegacyPart& part,
                  const Job& job, const SpecRun& run)
      : queue_(queue), launch_(queue.context(), program, job.kernel), part_(part), run_(run) {
    for (const auto& argument : run.bound.arguments)
      if (argument.kind == spec::ArgumentKind::local)
        launch_.set_local(argument.position, argument.bytes);
    for (const auto& scalar : part.scalars) launch_.set_scalar(scalar.position, scalar.value);
    for (const auto& slice : part.slices) add_buffer(slice);
    launch_.set_range(range());
  }

  void start(spec::Arrays& arrays) {
    for (auto& held : buffers_) upload(held, arrays);
    launch_.enqueue(queue_.cl()());
  }

  /// Reads outputs back to where the original puts them.
  void collect(spec::Arrays& arrays) {
    for (const auto& held : buffers_) {
      const auto& argument = run_.bound.arguments[held.slice.position];
      if (argument.kind == spec::ArgumentKind::input) continue;
      const auto unit = argument.type.bytes();
      queue_.cl().enqueueReadBuffer(held.memory, CL_TRUE, 0, held.slice.host_count * unit,
                                    arrays.at(argument.position).data() + held.slice.offset * unit);
    }
  }

 private:
  struct Held {
    spec::Slice slice;
    cl::Buffer memory;
  };

  void add_buffer(const spec::Slice& slice) {
    const auto& argument = run_.bound.arguments[slice.position];
    buffers_.push_back({slice, cl::Buffer(queue_.context()->cl(), CL_MEM_READ_WRITE,
                                          slice.count * argument.type.bytes())});
    launch_.set_buffer(slice.position, buffers_.back().memory);
  }

  void upload(const Held& held, spec::Arrays& arrays) {
    const auto& argument = run_.bound.arguments[held.slice.position];
    const auto unit = argument.type.bytes();
    // The original leaves outputs uninitialised; zeros make two runs comparable.
    queue_.cl().enqueueFillBuffer(held.memory, cl_uchar{0}, 0, held.slice.count * unit);
    if (argument.kind != spec::ArgumentKind::output)
      queue_.cl().enqueueWriteBuffer(
          held.memory, CL_TRUE, 0, held.slice.host_count * unit,
          arrays.at(argument.position).data() + held.slice.offset * unit);
  }

  NDRange range() const {
    NDRange range;
    range.dimensions = static_cast<unsigned>(part_.global.size());
    const auto local = local_size_of(part_);
    for (std::size_t d = 0; d < part_.global.size(); ++d) {
      range.global[d] = part_.global[d];
      range.local[d] = local[d];
    }
    return range;
  }

  Queue queue_;
  Launch launch_;
  const spec::LegacyPart& part_;
  const SpecRun& run_;
  std::vector<Held> buffers_;
};

/// `--legacy`: the original's own offsets and sizes for a partition class, each device with rebased
/// slices and work-item numbers from 0, results read back over each other. For comparison: the
/// result is often wrong. Needs a class 0..10; classes 1..9 need two devices. Throws refused where
/// the original itself fails.
void run_legacy(const spec::Spec& spec, const Partition& partition, Job job, Session& session,
                SpecRun& result) {
  if (partition.kind != Partition::Kind::share_class)
    throw Error(Errc::bad_input, "--legacy needs a partition class 0 to 10");
  const auto parts = value_or_throw(spec::legacy_parts(spec, result.bound, partition.share_class));
  const auto& queues = session.queues();
  if (parts.size() > queues.size())
    throw Error(Errc::bad_input,
                fmt::format("--legacy with partition {} needs {} devices; {} given (try --devices "
                            "cpu/2)",
                            partition.share_class, parts.size(), queues.size()));
  const auto queue_of = [&](const spec::LegacyPart& part) -> const Queue& {
    return part.device == spec::LegacyPart::Device::gpu ? queues.front() : queues.back();
  };
  std::vector<std::unique_ptr<LegacyPlacement>> placements;
  try {
    for (const auto& part : parts) {
      Explanation explanation;
      const Queue& queue = queue_of(part);
      Program& program = session.resolver().resolve(job.request, queue.context(), queue.device(),
                                                    {}, &explanation);
      result.explanations.push_back(std::move(explanation));
      check_fit(program, job, result.bound);
      placements.push_back(std::make_unique<LegacyPlacement>(queue, program, part, job, result));
    }
    const auto started = now_ns();
    for (auto& placement : placements) placement->start(result.arrays);
    for (auto& placement : placements) placement->collect(result.arrays);
    result.report.wall_ns = now_ns() - started;
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
  result.wall_ns.push_back(result.report.wall_ns);
  result.report.split = parts.size() > 1;
  for (const auto& part : parts)
    result.report.devices.push_back(
        {queue_of(part).device()->name, part.global[0] / local_size_of(part)[0], 0, 0});
}

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

/// Gives the reason where a split was asked for and the kernel allows it, but there is none.
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
  // A signal may end the process at once only while the first specification is read: an earlier one
  // may have queued entries for the store, which are written before the command ends.
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
  // --legacy does what the original program does, which knows no tuning records.
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
