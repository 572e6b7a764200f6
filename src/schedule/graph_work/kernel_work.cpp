#include "schedule/graph_work/kernel_work.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/placement.hpp"
#include "store/key/canonical.hpp"

namespace kiln::graph {
namespace {

/// Sets only those arguments that differ from the last run's.
class KernelRunner final : public Runner {
 public:
  KernelRunner(Resolver& resolver, const Queue& queue, const Job& job)
      : queue_(queue.cl()()),
        launch_(queue.context(),
                resolver.resolve(job.request, queue.context(), queue.device(),
                                 {variant_of(job.kernel, job.range)}),
                job.kernel),
        memory_(job.arguments.size()) {
    for (std::size_t i = 0; i < job.arguments.size(); ++i)
      if (const auto* local = std::get_if<LocalArgument>(&job.arguments[i]))
        launch_.set_local(static_cast<unsigned>(i), local->bytes);
    launch_.set_range(job.range);
  }

  void enqueue(const Work& work, std::span<const cl_mem> memory, std::span<const cl_event> after,
               cl_event* done) override {
    const auto& kernel = static_cast<const KernelWork&>(work);
    if (last_ != &kernel) set_scalars(kernel.job());
    last_ = &kernel;
    const auto& positions = kernel.memory_positions();
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (memory_[positions[i]] == memory[i]) continue;
      launch_.set_memory(positions[i], memory[i]);
      memory_[positions[i]] = memory[i];
    }
    launch_.enqueue(queue_, after, done);
  }

 private:
  void set_scalars(const Job& job) {
    for (std::size_t i = 0; i < job.arguments.size(); ++i) {
      const auto* scalar = std::get_if<ScalarArgument>(&job.arguments[i]);
      if (scalar == nullptr) continue;
      if (last_ != nullptr) {
        const auto& before = std::get<ScalarArgument>(last_->job().arguments[i]);
        if (before.value == scalar->value) continue;
      }
      launch_.set_scalar(static_cast<unsigned>(i), scalar->value);
    }
  }

  cl_command_queue queue_;
  Launch launch_;
  std::vector<cl_mem> memory_;  ///< by argument: what is set
  const KernelWork* last_ = nullptr;
};

Bytes kind_of(const Job& job) {
  CanonicalWriter writer("graph task", 1);
  write_program(writer, job);
  for (unsigned d = 0; d < 3; ++d)
    writer.integer("global", static_cast<std::int64_t>(job.range.global[d]))
        .integer("local", static_cast<std::int64_t>(job.range.local[d]))
        .integer("offset", static_cast<std::int64_t>(job.range.offset[d]));
  for (const auto& argument : job.arguments) {
    // Scalars are often sizes and counts, and change times little where the range is the same; each
    // task would be a kind of its own with them.
    if (const auto* buffer = std::get_if<BufferArgument>(&argument))
      writer.integer("buffer", static_cast<std::int64_t>(buffer->data.size()));
    else if (const auto* local = std::get_if<LocalArgument>(&argument))
      writer.integer("local memory", static_cast<std::int64_t>(local->bytes));
  }
  return writer.view();
}

}  // namespace

KernelWork::KernelWork(Job job, Resolver& resolver, const Queue& queue) : job_(std::move(job)) {
  value_or_throw(check_range(job_.range, *queue.device()));
  value_or_throw(check_module_takes(job_));
  Program& program = resolver.resolve(job_.request, queue.context(), queue.device(),
                                      {variant_of(job_.kernel, job_.range)});
  const KernelFacts facts = resolver.facts(job_.request, program, job_.kernel);
  const auto& parameters = facts.parameters;
  value_or_throw(check_arguments_match(program.kernel(job_.kernel), job_, parameters));
  const KernelInfo& info = program.kernel(job_.kernel);
  for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&job_.arguments[i]);
    if (buffer == nullptr) continue;
    // A kernel that was not understood may write anything that it is given. What the caller calls
    // an input stays as it is for all others: the task changes a copy.
    const bool written = i >= parameters.size() || parameters[i].written;
    Access access = buffer->access;
    if (access == Access::derived || access == Access::in)
      access = written ? Access::inout : Access::in;
    uses_.push_back({buffer->data.size(), access, argument_name(info, parameters, i)});
    const bool is_read = i >= parameters.size() || parameters[i].read;
    const bool is_certain = facts.found && !facts.data_dependent_writes && !is_read;
    writes_.push_back(is_certain ? Writes::same : Writes::unknown);
    positions_.push_back(static_cast<unsigned>(i));
  }
  may_be_cut_ = facts.found && facts.splittable && !facts.suspicious && !facts.uses_printf &&
                !facts.uses_atomics && !facts.data_dependent_writes &&
                !facts.data_dependent_reads && !facts.reads_what_is_written;
  take_element_sizes(info, parameters, job_);
  kind_ = kind_of(job_);
}

KernelWork::KernelWork(const KernelWork& whole, const Part& part, std::vector<Writes> writes)
    : KernelWork(whole) {
  job_.range = part_range(job_.range, part);
  writes_ = std::move(writes);
  may_be_cut_ = false;
  kind_ = kind_of(job_);
}

std::int64_t Runner::duration_ns(const Work&, const cl::Event& done) {
  return kiln::duration_ns(done);
}

Bytes KernelWork::writes_identity() const {
  CanonicalWriter writer("whole writes", 1);
  write_program(writer, job_);
  write_shape(writer, job_);
  return writer.view();
}

std::unique_ptr<Runner> KernelWork::prepare(Resolver& resolver, const Queue& queue) const {
  return std::make_unique<KernelRunner>(resolver, queue, job_);
}

}  // namespace kiln::graph
