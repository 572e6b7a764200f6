// Kernels of the public API (kiln/kernel.hpp): a call becomes a Job, which runs split (CoRun) or
// whole on one queue (DirectRun).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/clock.hpp"
#include "base/lifetime.hpp"
#include "device/array_storage.hpp"
#include "device/opencl.hpp"
#include "kernel/facts/kernel_facts.hpp"
#include "kernel/runtime.hpp"
#include "kiln/kernel.hpp"
#include "schedule/call_content.hpp"
#include "schedule/co_run.hpp"
#include "schedule/direct_run.hpp"
#include "schedule/number_argument.hpp"
#include "schedule/partition.hpp"
#include "schedule/proof.hpp"
#include "schedule/recorded_kernel.hpp"

namespace kiln {
namespace {

/// Powers of two that divide the global sizes, as equal as they can be, and 256 work-items at most:
/// what the devices at hand take of any kernel, and as many as their threads want at once. Not
/// spec::default_local_size(), whose smaller ones kernels of specification files count on.
std::array<std::size_t, 3> default_local(const Range& range) {
  std::array<std::size_t, 3> local{1, 1, 1};
  std::size_t items = 1;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t d = 0; d < range.global.size() && items < 256; ++d) {
      if (range.global[d] % (2 * local[d]) != 0 || range.global[d] == 0) continue;
      local[d] *= 2;
      items *= 2;
      grows = true;
    }
  }
  return local;
}

NDRange checked_range(const Range& range) {
  const bool has_local = !range.local.empty();
  if (range.global.empty() || range.global.size() > 3 ||
      (has_local && range.local.size() != range.global.size()))
    throw Error(
        Errc::bad_input,
        fmt::format("a range of {} global and {} local sizes; one to three of each, or no local "
                    "ones, were expected",
                    range.global.size(), range.local.size()));
  NDRange checked;
  checked.dimensions = static_cast<unsigned>(range.global.size());
  std::copy(range.global.begin(), range.global.end(), checked.global.begin());
  if (has_local)
    std::copy(range.local.begin(), range.local.end(), checked.local.begin());
  else
    checked.local = default_local(range);
  for (std::size_t d = 0; d < range.global.size(); ++d) {
    if (checked.global[d] == 0)
      throw Error(Errc::bad_input,
                  fmt::format("global size 0 in dimension {}, expected one work-item at least", d));
    if (checked.local[d] == 0 || checked.global[d] % checked.local[d] != 0)
      throw Error(Errc::bad_input,
                  fmt::format("local size {} does not divide global size {} in dimension {}",
                              checked.local[d], checked.global[d], d));
  }
  return checked;
}

/// What a Job has for an argument; of an Array only the size, until it is placed, and of a number
/// nothing, until its type is known.
Argument job_argument(const CallArgument& argument) {
  const auto& content = argument.content();
  if (const auto* value = std::get_if<CallArgument::Value>(&content))
    return ScalarArgument{{value->bytes.begin(), value->bytes.end()}};
  if (const auto* local = std::get_if<LocalMemory>(&content)) return LocalArgument{local->bytes};
  BufferArgument buffer;
  if (std::holds_alternative<CallArgument::Number>(content)) return ScalarArgument{};
  if (const auto* memory = std::get_if<CallArgument::HostMemory>(&content)) {
    // Until take_text() the kernel may do anything with it.
    buffer.access =
        memory->access == Access::derived ? BufferArgument::Access::inout : memory->access;
    buffer.data = memory->data;
    buffer.element_bytes = memory->element_bytes;
  }
  return buffer;
}

}  // namespace

/// What an argument leaves to the kernel's text.
struct FromText {
  bool access = false;
  std::optional<CallArgument::Number> number;
  std::string number_type;  ///< to be held against the parameter's

  bool is_needed() const { return access || number || !number_type.empty(); }
};

namespace {

FromText left_to_text(const CallArgument& argument) {
  const auto& content = argument.content();
  const auto* memory = std::get_if<CallArgument::HostMemory>(&content);
  const auto* number = std::get_if<CallArgument::Number>(&content);
  return {std::holds_alternative<std::shared_ptr<ArrayStorage>>(content) ||
              (memory != nullptr && memory->access == Access::derived),
          number != nullptr ? std::optional(*number) : std::nullopt, argument.number_type()};
}

/// The device that a partition gives everything to; nothing where it splits.
std::optional<std::size_t> only_device(const Partition& partition, std::size_t devices) {
  if (devices == 1) return 0;
  if (partition.kind != Partition::Kind::share_class) return std::nullopt;
  if (partition.share_class == 10) return 0;
  if (partition.share_class == 0) return 1;
  return std::nullopt;
}

bool executes_in_order(const Queue& queue) {
  return (queue.cl().getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

/// As check_buffers_apart(), which knows memory only by its address.
void check_arrays_apart(const std::vector<std::shared_ptr<ArrayStorage>>& arrays, const Job& job) {
  const auto is_written = [&](std::size_t i) {
    return std::get<BufferArgument>(job.arguments[i]).access != BufferArgument::Access::in;
  };
  for (std::size_t i = 0; i < arrays.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (arrays[i] && arrays[i] == arrays[k] && (is_written(i) || is_written(k)))
        throw Error(
            Errc::bad_input,
            fmt::format("arguments {} and {} share memory, and one of them is written", k, i));
}

}  // namespace

// --- Kernel ---

struct Kernel::State {
  Runtime runtime;
  Request request;
  std::string name;
  std::filesystem::path file;  ///< absolute; empty for what a record of calls cannot name
};

namespace {

SourcePtr program_of(const Source& source, const KernelOptions& options) {
  if (source.is_spirv)
    return value_or_throw(from_module(as_bytes(source.content), source.path.string()));
  if (source.content.empty())
    return value_or_throw(load_source(source.path, options.include_folders));
  return value_or_throw(from_text(source.content, source.path.string(), options.include_folders));
}

/// The values of a source's constants, as its module takes them.
std::vector<spirv::Setting> settings_of(const Source& source, const ExpandedSource& program,
                                        const KernelOptions& options) {
  const spirv::Module* module = program.module();
  if (module == nullptr && !source.constants.empty())
    throw Error(Errc::bad_input,
                fmt::format("{}: found specialization constants, expected none: it is OpenCL C, "
                            "which has macros",
                            program.name()));
  if (module != nullptr && !options.macros.empty())
    throw Error(Errc::bad_input,
                fmt::format("{}: found macros, expected none: it is SPIR-V, which has "
                            "specialization constants",
                            program.name()));
  std::map<std::uint32_t, spirv::Setting> settings;
  for (const auto& [id, value] : source.constants) {
    const spirv::Constant* constant = module->constant(id);
    const auto refuse = [&, id = id](const std::string& what) {
      throw Error(Errc::bad_input,
                  fmt::format("{}: specialization constant {}: {}", program.name(), id, what));
    };
    if (constant == nullptr) refuse("found no such constant, expected " + constants_text(*module));
    const auto setting = spirv::setting(*constant, value);
    if (!setting) refuse(setting.error().message());
    if (!settings.emplace(id, *setting).second) refuse("found two values, expected one");
  }
  std::vector<spirv::Setting> sorted;
  for (const auto& [id, setting] : settings) sorted.push_back(setting);
  return sorted;
}

}  // namespace

Kernel Runtime::kernel(const Source& source, const std::string& name,
                       const KernelOptions& options) const {
  state();
  Request request;
  request.family = "source";
  request.source = program_of(source, options);
  request.constants = settings_of(source, *request.source, options);
  request.options = value_or_throw(build_options(options.macros, options.options));
  request.label = name;
  // A record of calls knows files and options, and no constants.
  const bool is_recordable = source.content.empty() && !source.is_spirv && source.constants.empty();
  return Kernel(std::make_shared<const Kernel::State>(Kernel::State{
      *this, std::move(request), name,
      is_recordable ? std::filesystem::absolute(source.path) : std::filesystem::path()}));
}

Kernel Runtime::kernel(const Source& source, const std::string& name) const {
  return kernel(source, name, KernelOptions{});
}

// --- KernelCall ---

struct KernelCall::State {
  std::shared_ptr<const Kernel::State> kernel;
  Job job;  ///< its range is that of the last run
  std::vector<std::shared_ptr<ArrayStorage>> arrays;
  bool has_arrays = false;
  std::vector<FromText> from_text;  ///< by argument
  bool needs_text = false;
  // Of the last range: the split run and what `auto` learns, and the run on each queue.
  std::unique_ptr<CoRun> co_run;
  Bounds bounds = Bounds::unchecked;
  std::optional<AutoSplit> learning;
  std::vector<std::unique_ptr<DirectRun>> direct;
  CallCounter* counter = nullptr;

  Runtime::State& runtime() const { return kernel->runtime.state(); }
  void take_range(const NDRange& range);
  void take_text(const Queue& queue);
  DirectRun& direct_on(cl_command_queue queue);
  RunReport run_direct(std::size_t device);
  RunReport run_split(const Partition& partition, Bounds bounds);
  void place_arrays_on_host();
};

KernelCall Kernel::call(std::vector<CallArgument> arguments) const {
  held(state_, "Kernel");
  auto state = std::make_shared<KernelCall::State>();
  state->kernel = state_;
  state->job.request = state_->request;
  state->job.kernel = state_->name;
  for (const CallArgument& argument : arguments) {
    state->job.arguments.push_back(job_argument(argument));
    state->from_text.push_back(left_to_text(argument));
    state->needs_text |= state->from_text.back().is_needed();
    const auto* array = std::get_if<std::shared_ptr<ArrayStorage>>(&argument.content());
    state->arrays.push_back(array != nullptr ? *array : nullptr);
    if (array == nullptr) continue;
    if (!*array)
      throw Error(Errc::bad_input, fmt::format("argument {} is an Array without elements",
                                               state->arrays.size() - 1));
    state->has_arrays = true;
    auto& buffer = std::get<BufferArgument>(state->job.arguments.back());
    buffer.access = BufferArgument::Access::inout;  // until take_text()
    buffer.continues = true;
    // Its place is known at a run; until then only its size is.
    buffer.data = {static_cast<std::byte*>(nullptr), (*array)->bytes()};
  }
  return KernelCall(std::move(state));
}

void KernelCall::State::take_range(const NDRange& range) {
  refuse_after_fork();
  if (job.range == range && (co_run || !direct.empty())) return;
  // Should making the new ones fail, the old ones must not run under the new range's name.
  learning.reset();
  co_run.reset();
  direct.clear();
  counter = nullptr;
  job.range = range;
  CallLog* const log = CallLog::process();
  if (log != nullptr && !kernel->file.empty())
    counter = log->counter(recorded_call(
        SourceKernel{kernel->file, job.kernel, job.request.options, range}, runtime().queues()));
}

/// What the arguments leave to the kernel's text is known with the compiled program.
void KernelCall::State::take_text(const Queue& queue) {
  if (!needs_text) return;
  Resolver& resolver = runtime().resolver();
  Program& program = resolver.resolve(job.request, queue.context(), queue.device(),
                                      {variant_of(job.kernel, job.range)});
  (void)program.kernel(job.kernel);  // says which there are where this one is not
  const auto facts = resolver.facts(job.request, program, job.kernel);
  const auto& parameters = facts.parameters;
  if (facts.found && parameters.size() != from_text.size())
    throw Error(Errc::bad_input, fmt::format("kernel {} takes {} arguments; {} are given",
                                             job.kernel, parameters.size(), from_text.size()));
  for (std::size_t i = 0; i < from_text.size(); ++i) {
    const bool is_known = i < parameters.size();
    if (is_known && are_other_numbers(from_text[i].number_type, parameters[i].layout.name))
      throw Error(Errc::bad_input,
                  fmt::format("argument {} of kernel {}: {} is given; the kernel takes {} {}{}", i,
                              job.kernel, from_text[i].number_type, parameters[i].element_type,
                              parameters[i].is_pointer ? "*" : "", parameters[i].name));
    if (from_text[i].access && is_known && !parameters[i].written)
      std::get<BufferArgument>(job.arguments[i]).access = BufferArgument::Access::in;
    if (!from_text[i].number) continue;
    auto value = value_for(*from_text[i].number, is_known ? parameters[i] : ParameterUse());
    if (!value)
      throw Error(value.error().code(), fmt::format("argument {} of kernel {}: {}", i, job.kernel,
                                                    value.error().message()));
    job.arguments[i] = ScalarArgument{*std::move(value)};
  }
  check_arrays_apart(arrays, job);
  needs_text = false;
}

DirectRun& KernelCall::State::direct_on(cl_command_queue handle) {
  for (const auto& run : direct)
    if (handle != nullptr && run->queue().cl()() == handle) return *run;
  Queue queue = runtime().queue(handle);
  for (const auto& run : direct)
    if (run->queue().cl()() == queue.cl()()) return *run;
  take_text(queue);
  direct.push_back(
      std::make_unique<DirectRun>(runtime().resolver(), std::move(queue), job, arrays));
  return *direct.back();
}

RunReport KernelCall::State::run_direct(std::size_t device) {
  DirectRun& run = direct_on(runtime().queues()[device].cl()());
  const auto start = now_ns();
  cl::Event kernel_event;
  const cl::Event done = run.enqueue({}, &kernel_event);
  const cl_event handle = done();
  check_cl(::clWaitForEvents(1, &handle), "clWaitForEvents");
  RunReport report;
  report.wall_ns = now_ns() - start;
  report.shares.push_back(
      {run.queue().device()->name, groups_of(job.range), duration_ns(kernel_event), 0});
  return report;
}

/// CoRun works on host memory: the Arrays' host copies are what it reads and writes.
void KernelCall::State::place_arrays_on_host() {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!arrays[i]) continue;
    auto& buffer = std::get<BufferArgument>(job.arguments[i]);
    const bool written = buffer.access != BufferArgument::Access::in;
    std::byte* const host =
        arrays[i]->on_host(written ? ArrayStorage::HostUse::write : ArrayStorage::HostUse::read);
    buffer.data = {host, arrays[i]->bytes()};
  }
}

RunReport KernelCall::State::run_split(const Partition& partition, Bounds wanted) {
  take_text(runtime().queues().front());
  place_arrays_on_host();
  if (!co_run || bounds != wanted) {
    learning.reset();
    co_run.reset();
    bounds = wanted;
    CoRun::Options options;
    if (bounds == Bounds::checked) options.memory = Placement::OwnMemory::guarded;
    co_run = std::make_unique<CoRun>(runtime().resolver(), runtime().queues(), job, options);
  }
  co_run->take_contents();
  if (partition.kind != Partition::Kind::automatic) return run_partition(*co_run, partition);
  if (!learning) learning.emplace(*co_run);
  return learning->run();
}

RunSummary KernelCall::run(const Range& range, const RunOptions& options) {
  State& state = held(state_, "KernelCall");
  const NDRange wanted = checked_range(range);
  const Partition partition = value_or_throw(Partition::parse(options.partition));
  state.take_range(wanted);
  const auto device = only_device(partition, state.runtime().queues().size());
  // Arrays stay where they are; what is on the host anyway takes the way with all checks, which
  // counts on the order of its queue.
  const bool directly = device && options.bounds == Bounds::unchecked &&
                        (state.has_arrays || !executes_in_order(state.runtime().queues()[*device]));
  const RunReport report =
      directly ? state.run_direct(*device) : state.run_split(partition, options.bounds);
  count_run(state.counter, report);
  return report;
}

Event KernelCall::enqueue(const Range& range, const EnqueueOptions& options) {
  State& state = held(state_, "KernelCall");
  state.take_range(checked_range(range));
  return Event::adopt(state.direct_on(options.queue).enqueue(handles_of(options.after))());
}

KernelCall::State& KernelCall::state() const { return held(state_, "KernelCall"); }

CallContent content_of(const KernelCall& call, const Range& range) {
  KernelCall::State& state = call.state();
  state.take_range(checked_range(range));
  state.take_text(state.runtime().queues().front());
  return {state.job, state.arrays, state.kernel->runtime};
}

void KernelCall::prepare(const Range& range, const EnqueueOptions& options) {
  State& state = held(state_, "KernelCall");
  state.take_range(checked_range(range));
  state.direct_on(options.queue);
}

}  // namespace kiln
