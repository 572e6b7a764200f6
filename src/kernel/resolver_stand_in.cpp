// What is used where a family, problem class and device have nothing on record of their own.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/resolver.hpp"

namespace kiln {
namespace {

/// Whether it may be used though it was never compared with the built-in Parameters here.
bool is_trusted(const Measurement& one) { return one.gain() >= Resolver::trusted_gain; }

/// The nearest of what related devices have, among those that `usable` takes: the same version of
/// the generator before others, then by size, then the latest.
const RelatedMeasurement* nearest(const RelatedRecords& records, const Request& request,
                                  const Reach& reach,
                                  const std::function<bool(const RelatedMeasurement&)>& usable) {
  const RelatedMeasurement* found = nullptr;
  const auto rank = [&](const RelatedMeasurement& one) {
    return std::pair(one.version != request.version,
                     size_distance(one.measurement.size, request.problem_size));
  };
  for (const auto& one : records) {
    if (!reach.covers(one.measurement.size, request.problem_size) || !usable(one)) continue;
    if (found == nullptr || rank(one) <= rank(*found)) found = &one;
  }
  return found;
}

std::string told(const Measurement& one, const std::string& of) {
  return fmt::format("{}, {}, size {}, {:.2f} x the built-in there", one.from, of, one.size,
                     one.gain());
}

}  // namespace

const Resolver::Fallbacks& Resolver::fallbacks(const Request& request, const Device& device,
                                               const Generator& maker) {
  const std::string& speed = device.speed_identity();
  if (const auto* known =
          fallbacks_.find(ParameterView{request.family, request.problem_class, speed}))
    return *known;
  Fallbacks found;
  if (store_) {
    found.related =
        related_records(*store_, {request.family, request.version, request.problem_class, speed});
    Request other = request;
    for (auto& name : maker.classes_like(request.problem_class)) {
      other.problem_class = name;
      found.classes.emplace_back(std::move(name), tuning_record(other, device));
    }
  }
  return fallbacks_.insert({request.family, request.problem_class, speed}, std::move(found));
}

std::optional<ChosenParameters> Resolver::stand_in(const Request& request, const Device& device,
                                                   const Generator& maker, const Fits& usable) {
  const Fallbacks& known = fallbacks(request, device, maker);
  const Reach reach = maker.reach();
  // What is nearest decides, be it against itself: a farther one is no better witness.
  std::optional<ChosenParameters> chosen;
  const auto decided = [&](const Measurement& one, const std::string& of) {
    if (is_trusted(one)) chosen = {one.parameters, "store record", told(one, of)};
    return true;
  };
  const auto of_related = [&](bool same_units) {
    const auto* one = nearest(known.related, request, reach, [&](const RelatedMeasurement& each) {
      const bool is_own = each.version == request.version && each.device == device.speed_identity();
      const bool has_units = units_of(each.device) == units_of(device.speed_identity());
      return !is_own && has_units == same_units && usable(each.measurement);
    });
    if (one == nullptr) return false;
    const std::string where = same_units ? "with another driver" : units_of(one->device);
    return decided(one->measurement, one->version != request.version
                                         ? where + ", with kernels of another version"
                                         : where);
  };
  if (of_related(true)) return chosen;
  for (const auto& [name, record] : known.classes) {
    const auto found = record.choose(
        request.problem_size,
        [&](const Measurement& one) {
          return one.of == Measurement::Of::kiln && one.gain() > 0 && usable(one);
        },
        reach);
    using Verdict = TuningRecord::Choice::Verdict;
    if (found.verdict == Verdict::use || found.verdict == Verdict::built_in_faster) {
      decided(*found.best, name);
      return chosen;
    }
  }
  of_related(false);
  return chosen;
}

}  // namespace kiln
