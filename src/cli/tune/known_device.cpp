#include "cli/tune/known_device.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "blas/call_work.hpp"
#include "blas/tune/calls_to_tune.hpp"
#include "blas/tune/tuned_family.hpp"
#include "cli/context.hpp"
#include "cli/session.hpp"
#include "tune/session/journal_line.hpp"
#include "tune/worker/in_child.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A driver may compile its own library at its first start.
constexpr std::chrono::minutes longest_look{2};

/// What a child says is bounded.
constexpr std::size_t calls_each_child = 256;

/// No side of a matrix is longer; what records say beyond is not reckoned with.
constexpr std::int64_t longest_side = std::int64_t{1} << 30;

OnRecord on_record(const blas::Call& call, const TuningRecord& record, std::int64_t size) {
  OnRecord known;
  for (const auto& one : record.history) {
    if (one.of != Measurement::Of::kiln || !(one.milliseconds > 0) || one.size <= 0 ||
        one.size > longest_side)
      continue;
    const auto [less, more] = std::minmax(one.size, size);
    known.is_near |= more <= longest_side && 4 * more <= 5 * less;
    blas::Call square = call;
    square.m = square.n = square.k = static_cast<std::size_t>(one.size);
    known.best_rate =
        std::max(known.best_rate, blas::rate_of(blas::contiguous(square), one.milliseconds * 1e-3));
  }
  return known;
}

}  // namespace

KnownDevice look_at_device(const FindDevice& find_device) {
  const auto look = [&] {
    const auto device = find_device();
    const auto facts = blas::TuningDevice::of(*device);
    const auto recorded = RecordedDevice::of(*device);
    return tune::dumped({{"name", device->name},
                         {"speed", device->speed_identity()},
                         {"cpu", facts.is_cpu},
                         {"floats", facts.native_floats},
                         {"form", facts.gemm_form},
                         {"local", facts.local_memory},
                         {"group", facts.work_group_size},
                         {"units", facts.compute_units},
                         {"doubles", device->doubles},
                         {"type", device->type_name()},
                         {"vendor", device->vendor},
                         {"fingerprint", recorded.fingerprint}});
  };
  const Json json = Json::parse(value_or_throw(tune::in_child(look, longest_look)));
  return {json["name"],
          json["speed"],
          {json["cpu"], json["floats"], json["form"], json["local"], json["group"], json["units"]},
          json["doubles"],
          {json["name"], json["fingerprint"], json["units"]},
          {json["type"], json["vendor"], json["units"], json["floats"], json["local"]}};
}

std::vector<OnRecord> look_at_records(const Context& context, const FindDevice& find_device,
                                      std::span<const blas::Call> calls) {
  std::vector<OnRecord> known;
  for (std::size_t done = 0; done < calls.size(); done += calls_each_child) {
    const auto some = calls.subspan(done, std::min(calls_each_child, calls.size() - done));
    const auto look = [&] {
      const auto device = find_device();
      const auto facts = blas::TuningDevice::of(*device);
      const auto resolver = make_resolver(context);
      Json found = Json::array();
      for (const auto& call : some) {
        Request request = blas::tuned_request(call, facts);
        request.version = blas::family_version(request.family);
        const auto one =
            on_record(call, resolver->tuning_record(request, *device), request.problem_size);
        found.push_back({one.is_near, one.best_rate});
      }
      return tune::dumped(found);
    };
    const Json found = Json::parse(value_or_throw(tune::in_child(look, longest_look)));
    for (const auto& one : found) known.push_back({one[0], one[1]});
  }
  return known;
}

}  // namespace kiln::cli
