// When loops ran, and how fast a copy is: times from the device's events.
#include "mesh/loop/timing.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "kernel/program/launch.hpp"
#include "mesh/codegen/helper_text.hpp"

namespace kiln::mesh {

void Recording::add(const Explanation& explanation) {
  for (auto& event : trace_events(explanation))
    host_.push_back({std::move(event.lane), std::move(event.name), std::move(event.category),
                     event.start_ns, event.end_ns, std::move(event.details.at(1).second)});
}

std::vector<TimelineSpan> Recording::spans(const std::string& lane) const {
  std::vector<TimelineSpan> all = host_;
  ClockDistance clocks;
  for (const Run& run : runs_) clocks.note(run.queued, run.enqueued_ns);
  for (const Run& run : runs_)
    all.push_back(
        {lane, run.name, "kernel", clocks.on_host(run.start), clocks.on_host(run.end), ""});
  std::stable_sort(all.begin(), all.end(), [](const TimelineSpan& a, const TimelineSpan& b) {
    return a.start_ns < b.start_ns;
  });
  return all;
}

namespace {

/// A driver keeps much for an event.
constexpr std::size_t most_runs = 1024;

cl_ulong time_of(cl_event event, cl_profiling_info what) {
  cl_ulong time = 0;
  check_cl(::clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr),
           "clGetEventProfilingInfo");
  return time;
}

}  // namespace

void LaunchTimes::enqueue(Launch& launch, const Queue& queue, Part part, const char* half) {
  if (part == Part::middle) return launch.enqueue(queue.cl()());
  const bool begins = part != Part::last, ends = part != Part::first;
  if (begins) open_.reset();  // the run before may have failed half way
  if (begins && runs_.size() >= most_runs) collect(most_runs / 2);  // done, or soon will be
  const std::int64_t now = now_ns();
  cl_event event = nullptr;
  launch.enqueue(queue.cl()(), {}, &event);
  const cl::Event launched(event);
  if (begins) open_ = Run{launched, {}, now, half};
  if (!ends || !open_) return;
  open_->last = launched;
  runs_.push_back(*std::exchange(open_, std::nullopt));
}

/// Adds up the oldest ones.
void LaunchTimes::collect(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const cl_event last = runs_[i].last();
    check_cl(::clWaitForEvents(1, &last), "clWaitForEvents");
    const cl_ulong start = time_of(runs_[i].first(), CL_PROFILING_COMMAND_START);
    const cl_ulong end = time_of(last, CL_PROFILING_COMMAND_END);
    seconds_ += 1e-9 * static_cast<double>(end - start);
    if (recording_ != nullptr)
      recording_->add(
          {name_ + runs_[i].half, runs_[i].enqueued_ns,
           static_cast<std::int64_t>(time_of(runs_[i].first(), CL_PROFILING_COMMAND_QUEUED)),
           static_cast<std::int64_t>(start), static_cast<std::int64_t>(end)});
  }
  runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(count));
}

double LaunchTimes::seconds() {
  open_.reset();
  collect(runs_.size());
  return seconds_;
}

void LaunchTimes::clear() {
  open_.reset();
  collect(runs_.size());
  seconds_ = 0;
}

double measure_copy_bandwidth(Resolver& resolver, const Queue& queue, std::size_t array) {
  const Device& device = *queue.device();
  const bool is_cpu = device.type == Device::Type::cpu;
  // Far larger than any cache, and a small part of the memory.
  const std::size_t large = is_cpu ? std::size_t{256} << 20 : std::size_t{1} << 30;
  const std::size_t wanted = array > 0 ? array : large;
  const std::size_t bytes =
      std::min<std::size_t>(wanted, std::min(device.max_allocation, device.global_memory / 8)) /
      65536 * 65536;
  const cl::Buffer from(queue.context()->cl(), CL_MEM_READ_WRITE, bytes);
  const cl::Buffer to(queue.context()->cl(), CL_MEM_READ_WRITE, bytes);
  for (const auto& buffer : {from, to}) {
    const cl_double zero = 0;
    check_cl(::clEnqueueFillBuffer(queue.cl()(), buffer(), &zero, sizeof zero, 0, bytes, 0, nullptr,
                                   nullptr),
             "clEnqueueFillBuffer");
  }
  double best = 0;
  const std::vector<std::string> stores =
      is_cpu ? std::vector<std::string>{"(*(b)=(a))", "__builtin_nontemporal_store(a,b)"}
             : std::vector<std::string>{"(*(b)=(a))"};
  for (const auto& store : stores) {
    Request request;
    request.family = "source";
    request.source = value_or_throw(
        from_text(fmt::format("#define STORE(a, b) {}\n{}", store, template_text("copy_bandwidth")),
                  "copy bandwidth"));
    request.label = "copy bandwidth";
    Program& program = resolver.resolve(request, queue.context(), queue.device());
    Launch launch(queue.context(), program, is_cpu ? "copy_pieces" : "copy_strided");
    const std::size_t width = is_cpu ? 64 : 16;
    const auto count = static_cast<cl_long>(bytes / width);
    launch.set_buffer(0, from);
    launch.set_buffer(1, to);
    launch.set_scalar(2, count);
    NDRange range;
    range.local[0] = is_cpu ? 1 : 256;
    range.global[0] = is_cpu ? (bytes / width + 1023) / 1024
                             : std::size_t{device.compute_units} * 32 * range.local[0];
    launch.set_range(range);
    constexpr int rounds = 11;
    std::vector<double> rates;
    for (int round = 0; round < rounds; ++round) {
      cl::Event event;
      launch.enqueue(queue.cl()(), {}, &event());
      event.wait();
      const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
      const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
      if (end > start)
        rates.push_back(2e9 * static_cast<double>(bytes) / static_cast<double>(end - start));
    }
    if (!rates.empty()) best = std::max(best, median(rates));
  }
  return best;
}

}  // namespace kiln::mesh
