#include "schedule/kernel_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/lifetime.hpp"
#include "base/text.hpp"
#include "device/opencl.hpp"
#include "kiln/run.hpp"
#include "schedule/partition.hpp"

// Machine and KernelRun of kiln/run.hpp: the public way from a source file to a run; and its record
// of calls.
namespace kiln {

struct Machine::State {
  std::unique_ptr<Resolver> own_resolver;  // null: the process's own
  std::vector<Queue> queues;
  Resolver& resolver() { return own_resolver ? *own_resolver : Resolver::process(); }
};

Machine::Machine(std::string_view devices, const std::string& store)
    : state_(std::make_shared<State>()) {
  if (!store.empty())
    state_->own_resolver =
        std::make_unique<Resolver>(store == "off" ? nullptr : open_local_store(store));
  for (const auto& device : value_or_throw(select_devices(devices)))
    state_->queues.emplace_back(Context::create({device}), device);
}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;

std::vector<DeviceSummary> Machine::devices() const {
  std::vector<DeviceSummary> list;
  for (const auto& queue : held(state_, "Machine").queues)
    list.push_back(
        {queue.device()->name, queue.device()->type_name(), queue.device()->compute_units});
  return list;
}

struct KernelRun::State {
  std::shared_ptr<Machine::State> machine;
  Job job;
  std::filesystem::path file;
  // The run of the present range and what `auto` learns; made again when the range changes.
  std::unique_ptr<CoRun> run;
  CallCounter* counter = nullptr;  // of the present range, where calls are recorded
  std::optional<AutoSplit> learning;
  Bounds bounds = Bounds::unchecked;
};

KernelRun::KernelRun(const Machine& machine, const std::filesystem::path& source,
                     std::string kernel,
                     const std::vector<std::pair<std::string, std::string>>& macros)
    : state_(std::make_unique<State>()) {
  held(machine.state_, "Machine");
  state_->machine = machine.state_;
  Request& request = state_->job.request;
  request.family = "source";
  request.source = value_or_throw(load_source(source));
  state_->file = std::filesystem::absolute(source);
  request.options = value_or_throw(build_options(macros, {}));
  request.label = kernel;
  state_->job.kernel = std::move(kernel);
}
KernelRun::~KernelRun() = default;
KernelRun::KernelRun(KernelRun&&) noexcept = default;

KernelRun& KernelRun::buffer(std::span<const std::byte> data, std::size_t element_bytes,
                             Access access) {
  BufferArgument argument;
  // Bytes say nothing of what the kernel takes them for.
  argument.element_bytes = element_bytes > 1 ? element_bytes : 0;
  argument.access = access == Access::in    ? BufferArgument::Access::in
                    : access == Access::out ? BufferArgument::Access::out
                                            : BufferArgument::Access::inout;
  // An input is never written: CoRun gives a kernel that would do so a private copy.
  argument.data = {const_cast<std::byte*>(data.data()), data.size()};
  State& state = held(state_, "KernelRun");
  state.job.arguments.emplace_back(argument);
  state.run.reset();
  return *this;
}

KernelRun& KernelRun::scalar(std::span<const std::byte> bytes) {
  State& state = held(state_, "KernelRun");
  state.job.arguments.emplace_back(ScalarArgument{{bytes.begin(), bytes.end()}});
  state.run.reset();
  return *this;
}

KernelRun& KernelRun::local(std::size_t bytes) {
  State& state = held(state_, "KernelRun");
  state.job.arguments.emplace_back(LocalArgument{bytes});
  state.run.reset();
  return *this;
}

KernelRun& KernelRun::bounds(Bounds bounds) {
  State& state = held(state_, "KernelRun");
  state.bounds = bounds;
  state.run.reset();
  return *this;
}

RunSummary KernelRun::run(const Range& range, std::string_view partition) {
  refuse_after_fork();
  if (range.global.empty() || range.global.size() > 3 || range.local.size() != range.global.size())
    throw Error(Errc::bad_input,
                fmt::format("a range of {} global and {} local sizes; one to three of each were "
                            "expected",
                            range.global.size(), range.local.size()));
  NDRange wanted;
  wanted.dimensions = static_cast<unsigned>(range.global.size());
  std::copy(range.global.begin(), range.global.end(), wanted.global.begin());
  std::copy(range.local.begin(), range.local.end(), wanted.local.begin());
  for (std::size_t d = 0; d < range.global.size(); ++d)
    if (wanted.local[d] == 0 || wanted.global[d] == 0 || wanted.global[d] % wanted.local[d] != 0)
      throw Error(Errc::bad_input,
                  fmt::format("local size {} does not divide global size {} in dimension {}",
                              wanted.local[d], wanted.global[d], d));
  held(state_, "KernelRun");
  const Partition split = value_or_throw(Partition::parse(partition));
  if (!state_->run || !(state_->job.range == wanted)) {
    // Should making the new one fail, the old one must not run under the new range's name.
    state_->learning.reset();
    state_->run.reset();
    state_->job.range = wanted;
    CoRun::Options options;
    if (state_->bounds == Bounds::checked) options.memory = Placement::OwnMemory::guarded;
    state_->run = std::make_unique<CoRun>(state_->machine->resolver(), state_->machine->queues,
                                          state_->job, options);
    CallLog* const log = CallLog::process();
    if (log != nullptr)
      state_->counter = log->counter(recorded_call(
          SourceKernel{state_->file, state_->job.kernel, state_->job.request.options, wanted},
          state_->machine->queues));
  }
  RunReport report;
  if (split.kind == Partition::Kind::automatic) {
    if (!state_->learning) state_->learning.emplace(*state_->run);
    report = state_->learning->run();
  } else {
    report = run_partition(*state_->run, split);
  }
  count_run(state_->counter, report);
  RunSummary summary{report.wall_ns, report.split, report.reason, {}};
  for (const auto& device : report.devices)
    summary.shares.push_back({device.name, device.groups, device.kernel_ns});
  return summary;
}

std::string sizes_text(const std::array<std::size_t, 3>& sizes, unsigned dimensions) {
  return fmt::format("{}", fmt::join(sizes.begin(), sizes.begin() + dimensions, "x"));
}

Expected<std::vector<std::size_t>> parse_sizes(std::string_view text) {
  std::vector<std::size_t> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (sizes.size() < 3) {
    std::size_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size == 0) break;
    sizes.push_back(size);
    if (next == end) return sizes;
    if (*next != 'x') break;
    at = next + 1;
  }
  return fail(Errc::bad_input,
              fmt::format("found '{}', expected sizes as 64 or 16x16", one_line(text)));
}

RecordedCall recorded_call(const SourceKernel& kernel, const std::vector<Queue>& queues) {
  RecordedCall call;
  call.kind = "kernel";
  call.name = kernel.kernel;
  call.facts = {{"file", kernel.file.string()},
                {"kernel", kernel.kernel},
                {"options", kernel.options},
                {"global", sizes_text(kernel.range.global, kernel.range.dimensions)},
                {"local", sizes_text(kernel.range.local, kernel.range.dimensions)}};
  for (const auto& queue : queues) call.devices.push_back(RecordedDevice::of(*queue.device()));
  return call;
}

Expected<SourceKernel> source_kernel_of(const RecordedCall& recorded) {
  SourceKernel kernel;
  kernel.file = recorded.text("file");
  kernel.kernel = recorded.text("kernel");
  kernel.options = recorded.text("options");
  if (kernel.file.empty()) return fail(Errc::bad_input, "'file': expected a path");
  if (kernel.kernel.empty()) return fail(Errc::bad_input, "'kernel': expected a name");
  const auto global = parse_sizes(recorded.text("global"));
  if (!global) return fail(Errc::bad_input, "'global': " + global.error().message());
  const auto local = parse_sizes(recorded.text("local"));
  if (!local) return fail(Errc::bad_input, "'local': " + local.error().message());
  if (local->size() != global->size())
    return fail(Errc::bad_input, fmt::format("'local': found {} dimensions, expected {}",
                                             local->size(), global->size()));
  kernel.range.dimensions = static_cast<unsigned>(global->size());
  std::copy(global->begin(), global->end(), kernel.range.global.begin());
  std::copy(local->begin(), local->end(), kernel.range.local.begin());
  for (unsigned d = 0; d < kernel.range.dimensions; ++d)
    if (kernel.range.global[d] % kernel.range.local[d] != 0)
      return fail(Errc::bad_input, "'local': expected divisors of 'global'");
  return kernel;
}

void count_run(CallCounter* counter, const RunReport& report) {
  if (counter == nullptr) return;
  counter->add_call(report.wall_ns);
  std::int64_t longest = 0;
  for (const auto& device : report.devices) longest = std::max(longest, device.kernel_ns);
  if (longest > 0) counter->add_timed(longest);
}

}  // namespace kiln
