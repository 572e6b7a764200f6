#include "cli/legacy_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "kernel/launch.hpp"
#include "schedule/argument_check.hpp"
#include "schedule/proof.hpp"
#include "spec/run/argument_types.hpp"

namespace kiln::cli {
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

}  // namespace

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

}  // namespace kiln::cli
