// Built-in functions tried on vectors, on the device.
#include "mesh/loop/lane_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "base/clock.hpp"
#include "base/data/text.hpp"
#include "kernel/program/launch.hpp"
#include "mesh/codegen/lane_probe.hpp"
#include "mesh/codegen/loop_generator.hpp"
#include "mesh/halo/agreement.hpp"

namespace kiln::mesh {
namespace {

/// Beyond that a function is too slow on vectors to be called on them. A case takes a microsecond.
constexpr double most_seconds = 5;
/// A case that takes longer is slow, or was interrupted: then it is repeated.
constexpr double usual_seconds = 0.01, repeated_up_to = 1;

/// A work-item a work-group, as in loops over blocks.
NDRange work_items(std::size_t count) {
  NDRange range;
  range.global[0] = count;
  range.local[0] = 1;
  return range;
}

/// The trial of one function.
class LaneTrial {
 public:
  LaneTrial(const Queue& queue, Program& program, const BuiltIn& built_in, int number, int lanes)
      : queue_(queue),
        cases_(built_in, lanes),
        launch_(queue.context(), program, lane_probe_kernel(built_in.type)),
        results_(buffer(Bytes(cases_.count() * cases_.vector_bytes()))) {
    for (int i = 0; i < 3; ++i) inputs_.push_back(buffer(cases_.argument(i)));
    const auto integers = cases_.integers();
    const ByteView bytes = as_bytes(std::span<const std::int32_t>(integers));
    inputs_.push_back(buffer({bytes.begin(), bytes.end()}));
    unsigned position = 0;
    for (const auto& input : inputs_) launch_.set_buffer(position++, input);
    launch_.set_buffer(4, results_);
    launch_.set_scalar(5, static_cast<cl_int>(number));
  }

  kiln::Finding run() {
    const Bytes ordinary = results_of(0, cases_.ordinary());
    for (std::size_t round = 0; round < cases_.rounds(); ++round) {
      const std::size_t first = cases_.first_of(round), others = cases_.of_round() - 1;
      // One case by itself says whether it mixes lanes, and what the others would take.
      Stopwatch watch;
      Bytes results = results_of(first, 1);
      double seconds = watch.seconds();
      if (const auto wrong = cases_.mixed_up(first, results, ordinary)) return {false, *wrong};
      if (seconds > usual_seconds && seconds < repeated_up_to) {
        watch = Stopwatch();
        results = results_of(first, 1);
        seconds = std::min(seconds, watch.seconds());
      }
      spent_ += seconds;
      if (spent_ + seconds * static_cast<double>(others) > most_seconds)
        return {false, fmt::format("one evaluation takes {:.2g} s", seconds)};
      watch = Stopwatch();
      results = results_of(first + 1, others);
      spent_ += watch.seconds();
      if (const auto wrong = cases_.mixed_up(first + 1, results, ordinary)) return {false, *wrong};
      if (spent_ > most_seconds)
        return {false,
                fmt::format("{} evaluations take {:.2g} s", (round + 1) * (others + 1), spent_)};
    }
    return {true, ""};
  }

 private:
  cl::Buffer buffer(Bytes bytes) const {
    return cl::Buffer(queue_.context()->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                      bytes.size(), bytes.data());
  }

  Bytes results_of(std::size_t first, std::size_t count) {
    launch_.set_scalar(6, static_cast<cl_int>(first));
    launch_.set_range(work_items(count));
    launch_.enqueue(queue_.cl()());
    Bytes results(count * cases_.vector_bytes());
    check_cl(
        ::clEnqueueReadBuffer(queue_.cl()(), results_(), CL_TRUE, first * cases_.vector_bytes(),
                              results.size(), results.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
    return results;
  }

  const Queue& queue_;
  LaneCases cases_;
  Launch launch_;
  cl::Buffer results_;
  std::vector<cl::Buffer> inputs_;
  double spent_ = 0;  ///< seconds
};

Request probe_request(const std::vector<BuiltIn>& built_ins, int lanes, std::string_view prelude) {
  Request request;
  request.family = "source";
  request.source =
      value_or_throw(from_text(lane_probe_text(built_ins, lanes, prelude), "lane probe"));
  request.options = value_or_throw(build_options({}, {"-cl-std=CL1.2"}));
  request.label = "lane probe";
  return request;
}

Findings run_trials(Resolver& resolver, const ContextPtr& context, const DevicePtr& device,
                    const std::vector<BuiltIn>& built_ins, int lanes, std::string_view prelude,
                    Explanation* explanation) {
  std::vector<KernelVariant> wanted;
  std::map<ScalarType, int> numbers;
  for (const BuiltIn& each : built_ins)
    if (numbers.try_emplace(each.type).second)
      wanted.push_back(variant_of(lane_probe_kernel(each.type), work_items(1)));
  Program& program = resolver.resolve(probe_request(built_ins, lanes, prelude), context, device,
                                      wanted, explanation);
  const Queue queue(context, device);
  Findings findings;
  for (const BuiltIn& each : built_ins)
    findings[each.name(lanes)] = LaneTrial(queue, program, each, numbers[each.type]++, lanes).run();
  return findings;
}

}  // namespace

Findings try_lanes(Resolver& resolver, const ContextPtr& context, const DevicePtr& device,
                   const std::vector<BuiltIn>& built_ins, int lanes, std::string_view prelude,
                   Explanation* explanation) {
  try {
    return run_trials(resolver, context, device, built_ins, lanes, prelude, explanation);
  } catch (const std::exception& error) {
    Findings none;
    for (const BuiltIn& each : built_ins)
      none[each.name(lanes)] = {false, fmt::format("the trial failed: {}", one_line(error.what())),
                                false};
    return none;
  }
}

LanesFound find_lanes(Request& request, const Parameters& parameters, Resolver& resolver,
                      const ContextPtr& context, const DevicePtr& device) {
  const auto lanes = static_cast<int>(parameters.get("LANES", 1));
  if (form_of(parameters) != Form::blocks || lanes <= 1) return {};
  LoopPayload loop = request.payload.as<LoopPayload>();
  std::map<std::string, BuiltIn> asked;
  std::vector<std::string> names;
  for (const BuiltIn& each : built_ins_of(loop.shape)) {
    names.push_back(each.name(lanes));
    asked.emplace(names.back(), each);
  }
  if (names.empty()) return {};
  LanesFound result;
  result.has_asked = true;
  const auto probe = [&](const std::vector<std::string>& unknown) {
    std::vector<BuiltIn> tried;
    for (const std::string& name : unknown) tried.push_back(asked.at(name));
    return try_lanes(resolver, context, device, tried, lanes, {}, &result.trial.emplace());
  };
  const Findings found = resolver.findings().get(topics::lanes, *device, names, probe);
  for (const auto& [name, built_in] : asked) {
    const auto& [holds, reason, lasts] = found.at(name);
    if (holds)
      loop.on_vectors.insert(built_in);
    else
      result.notes.push_back(
          fmt::format("{} is called for each element by itself: {}", name, reason));
  }
  request.payload = std::move(loop);
  return result;
}

namespace {

/// Calls `each(built-in function, its bit)`.
void for_bits(const LoopPayload& loop, const auto& each) {
  unsigned number = 0;
  for (const BuiltIn& built_in : built_ins_of(loop.shape))
    each(built_in, std::uint64_t{1} << std::min(number++, 63u));
}

}  // namespace

std::uint64_t lane_bits(const Request& request) {
  const auto& loop = request.payload.as<LoopPayload>();
  std::uint64_t lanes = ~std::uint64_t{0};
  for_bits(loop, [&](const BuiltIn& built_in, std::uint64_t bit) {
    if (!loop.on_vectors.contains(built_in)) lanes &= ~bit;
  });
  return lanes;
}

void keep_lanes(Request& request, std::uint64_t lanes) {
  LoopPayload loop = request.payload.as<LoopPayload>();
  for_bits(loop, [&](const BuiltIn& built_in, std::uint64_t bit) {
    if ((lanes & bit) == 0) loop.on_vectors.erase(built_in);
  });
  request.payload = std::move(loop);
}

std::uint64_t common_lanes(Transport& transport, std::string_view kernel, std::uint64_t mine) {
  const auto all = Agreement(transport).gather(fmt::format("built-in functions of loop {}", kernel),
                                               "", std::as_bytes(std::span(&mine, 1)));
  std::uint64_t lanes = mine;
  for (std::size_t at = 0; at < all.size(); at += sizeof lanes) {
    std::uint64_t theirs = 0;
    std::memcpy(&theirs, all.data() + at, sizeof theirs);
    lanes &= theirs;
  }
  return lanes;
}

}  // namespace kiln::mesh
