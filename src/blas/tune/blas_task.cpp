#include "blas/tune/blas_task.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "blas/tune/calls_to_tune.hpp"
#include "store/default_store.hpp"
#include "tune/search/journal.hpp"
#include "tune/worker/child.hpp"
#include "tune/worker/worker.hpp"

namespace kiln::blas {
namespace {

using Json = nlohmann::ordered_json;

/// Calls in one child process: the size of its answer is limited.
constexpr std::size_t calls_each_child = 256;

/// No side of a matrix is longer; longer ones in records are ignored.
constexpr std::int64_t longest_side = std::int64_t{1} << 30;

OnRecord on_record(const Call& call, const TuningRecord& record, std::int64_t size) {
  OnRecord known;
  for (const auto& one : record.history) {
    if (one.of != Measurement::Of::kiln || !(one.milliseconds > 0) || one.size <= 0 ||
        one.size > longest_side)
      continue;
    const auto [less, more] = std::minmax(one.size, size);
    known.is_near |= more <= longest_side && 4 * more <= 5 * less;
    Call square = call;
    square.m = square.n = square.k = static_cast<std::size_t>(one.size);
    known.best_rate =
        std::max(known.best_rate, rate_of(contiguous(square), one.milliseconds * 1e-3));
  }
  return known;
}

}  // namespace

BlasDevice look_at_blas_device(const tune::FindDevice& find_device) {
  const auto more = [](const Device& device) {
    const auto facts = TuningDevice::of(device);
    return tune::dumped({facts.is_cpu, facts.native_floats, facts.gemm_form, facts.local_memory,
                         facts.work_group_size, facts.compute_units});
  };
  auto known = tune::look_at_device(find_device, more);
  const Json facts = Json::parse(known.more);
  return {std::move(known), {facts[0], facts[1], facts[2], facts[3], facts[4], facts[5]}};
}

tune::SearchTask blas_task(const Call& call, const BlasDevice& device, const SearchPlace& place) {
  return {value_or_throw(make_blas_tunable(call, device.facts)), device.known, place.find_device,
          place.store, place.compile};
}

std::vector<OnRecord> look_at_records(const SearchPlace& place, std::span<const Call> calls) {
  std::vector<OnRecord> known;
  for (std::size_t done = 0; done < calls.size(); done += calls_each_child) {
    const auto some = calls.subspan(done, std::min(calls_each_child, calls.size() - done));
    const auto look = [&] {
      const auto device = place.find_device();
      const auto facts = TuningDevice::of(*device);
      const Resolver resolver(value_or_throw(open_store(place.store)));
      Json found = Json::array();
      for (const auto& call : some) {
        Request request = tuned_request(call, facts);
        request.version = family_version(request.family);
        const auto one =
            on_record(call, resolver.tuning_record(request, *device), request.problem_size);
        found.push_back({one.is_near, one.best_rate});
      }
      return tune::dumped(found);
    };
    const Json found = Json::parse(value_or_throw(tune::in_child(look, tune::longest_opening)));
    for (const auto& one : found) known.push_back({one[0], one[1]});
  }
  return known;
}

}  // namespace kiln::blas
