#include "kernel/resolver/tuning_records.hpp"

#include <fmt/format.h>

#include "base/log.hpp"

// Which Parameters a Request gets: what is on record of its problem class and device, else what is
// of related ones.
namespace kiln {
namespace {

RecordSubject subject_of(const Request& request, const Device& device) {
  return {request.family, request.version, request.problem_class, device.speed_identity()};
}

/// Sizes of specification files are bytes of buffers: a matrix twice as wide has four times as
/// many.
constexpr Reach reach_of_files{64, 64};

/// Where a measurement is from, and of what size where that is another.
std::string origin_of(const Measurement& one, const Request& request) {
  if (one.size == request.problem_size || one.size <= 0 || request.problem_size <= 0 ||
      one.of == Measurement::Of::others)
    return one.from;
  return fmt::format("{}{}size {}", one.from, one.from.empty() ? "" : ", ", one.size);
}

}  // namespace

std::size_t TuningRecords::SubjectHash::operator()(const View& subject) const noexcept {
  const std::hash<std::string_view> hash;
  // Multiplied, not XORed: equal parts in different places must not cancel.
  return (hash(subject.family) * 31 + hash(subject.problem_class)) * 31 + hash(subject.device);
}

void TuningRecords::mount(std::unique_ptr<ParameterSource> source) {
  const std::lock_guard lock(sources_mutex_);
  sources_.push_back(std::move(source));
}

ChosenParameters TuningRecords::choose(const Request& request, const Device& device,
                                       const Fits& fits) {
  const Generator* maker = generators_.of(request);
  if (maker == nullptr && request.problem_class.empty()) return {};
  // One problem class holds many Requests, and a record need not fit them all.
  const auto usable = [&](const Measurement& measurement) {
    if (maker != nullptr && !maker->accepts(request, measurement.parameters)) return false;
    return !fits || fits(measurement);
  };
  using Verdict = TuningRecord::Choice::Verdict;
  const Records& known = records(request, device);
  const auto own = known.stored.choose(request.problem_size, usable,
                                       maker != nullptr ? maker->reach() : reach_of_files);
  ChosenParameters built_in{maker != nullptr ? maker->defaults(request) : Parameters{}, "default",
                            ""};
  if (own.verdict == Verdict::use)
    return {own.best->parameters, "store record", origin_of(*own.best, request)};
  if (own.verdict == Verdict::built_in_faster) {
    built_in.from = fmt::format("faster than the record, size {}", own.best->size);
    return built_in;
  }
  if (maker != nullptr)
    if (auto found = fallback(request, device, *maker, usable)) return *std::move(found);
  for (const auto& [name, mounted] : known.mounted)
    if (const auto* best = mounted.best(request.problem_size, usable))
      return {best->parameters, name, best->from};
  if (maker != nullptr)
    if (auto found = shipped(request, device, *maker, usable)) return *std::move(found);
  if (own.verdict == Verdict::too_far && own.best != nullptr)
    built_in.from = fmt::format("the nearest record, size {}, is too far", own.best->size);
  return built_in;
}

const TuningRecords::Records& TuningRecords::records(const Request& request, const Device& device) {
  const std::string& speed = device.speed_identity();
  if (const auto* known = records_.find(View{request.family, request.problem_class, speed}))
    return *known;
  Records found{stored(request, device), {}};
  std::vector<std::shared_ptr<const ParameterSource>> sources;
  {
    const std::lock_guard lock(sources_mutex_);
    sources = sources_;
  }
  for (const auto& source : sources)
    found.mounted.emplace_back(source->name(), source->find(request, device));
  return records_.insert({request.family, request.problem_class, speed}, std::move(found));
}

TuningRecord TuningRecords::stored(const Request& request, const Device& device) const {
  if (!store_) return {};
  const Bytes canonical = canonical_of(subject_of(request, device));
  const auto lookup = store_->get(Kind::record, key_of(canonical), canonical);
  return lookup.entry ? tuning_record_of(*lookup.entry).value_or(TuningRecord{}) : TuningRecord{};
}

// What is used where a family, problem class and device have nothing on record of their own.

namespace {

/// Whether it may be used though it was never compared with the built-in Parameters here.
bool is_trusted(const Measurement& one) { return one.gain() >= TuningRecords::trusted_gain; }

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

std::string origin_elsewhere(const Measurement& one, const std::string& of) {
  return fmt::format("{}, {}, size {}, {:.2f} x the built-in there", one.from, of, one.size,
                     one.gain());
}

}  // namespace

const TuningRecords::Fallbacks& TuningRecords::fallbacks(const Request& request,
                                                         const Device& device,
                                                         const Generator& maker) {
  const std::string& speed = device.speed_identity();
  if (const auto* known = fallbacks_.find(View{request.family, request.problem_class, speed}))
    return *known;
  Fallbacks found;
  if (store_) {
    found.related =
        related_records(*store_, {request.family, request.version, request.problem_class, speed});
    Request other = request;
    for (auto& name : maker.classes_like(request.problem_class)) {
      other.problem_class = name;
      found.classes.emplace_back(std::move(name), stored(other, device));
    }
  }
  return fallbacks_.insert({request.family, request.problem_class, speed}, std::move(found));
}

std::optional<ChosenParameters> TuningRecords::fallback(const Request& request,
                                                        const Device& device,
                                                        const Generator& maker,
                                                        const Fits& usable) {
  const Fallbacks& known = fallbacks(request, device, maker);
  const Reach reach = maker.reach();
  // What is nearest decides, be it against itself: a farther one is no better witness.
  std::optional<ChosenParameters> chosen;
  const auto decided = [&](const Measurement& one, const std::string& of) {
    if (is_trusted(one)) chosen = {one.parameters, "store record", origin_elsewhere(one, of)};
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

namespace {

std::string origin_shipped(const ShippedFind& found, const Measurement& one,
                           const Request& request) {
  std::string text = "for " + found.device;
  if (!found.is_same) text += ", the nearest to this device";
  if (found.problem_class != request.problem_class) text += ", " + found.problem_class;
  if (found.version != request.version) text += ", with kernels of another version";
  return fmt::format("{}, size {}, {:.2f} x the built-in there", text, one.size, one.gain());
}

}  // namespace

const std::vector<ShippedFind>& TuningRecords::found_shipped(const Request& request,
                                                             const Device& device,
                                                             const Generator& maker) {
  const std::string& speed = device.speed_identity();
  if (const auto* known = found_shipped_.find(View{request.family, request.problem_class, speed}))
    return *known;
  std::vector<ShippedFind> found;
  if (shipped_ != nullptr) {
    std::vector<std::string> classes = maker.classes_like(request.problem_class);
    classes.insert(classes.begin(), request.problem_class);
    found = shipped_->find(DeviceFacts::of(device), request.family, classes);
  }
  return found_shipped_.insert({request.family, request.problem_class, speed}, std::move(found));
}

std::optional<ChosenParameters> TuningRecords::shipped(const Request& request, const Device& device,
                                                       const Generator& maker, const Fits& usable) {
  using Verdict = TuningRecord::Choice::Verdict;
  for (const auto& one : found_shipped(request, device, maker)) {
    const auto found = one.record.choose(request.problem_size, usable, maker.reach());
    if (found.verdict != Verdict::use && found.verdict != Verdict::built_in_faster) continue;
    // What is nearest decides here, too.
    const bool is_same = one.is_same && one.version == request.version;
    if (found.best->gain() < (is_same ? shipped_gain : trusted_gain)) return std::nullopt;
    return ChosenParameters{found.best->parameters, shipped_origin,
                            origin_shipped(one, *found.best, request)};
  }
  return std::nullopt;
}

// What is put on record.

void TuningRecords::record(const Request& request, const Device& device,
                           const std::vector<Measurement>& measurements) {
  const std::lock_guard lock(recording_);
  if (store_ && generators_.of(request) != nullptr)
    if (auto kept = add_to_related(*store_, subject_of(request, device), measurements); !kept)
      log(LogLevel::warning, fmt::format("Parameters of {} are not kept for other drivers: {}",
                                         request.family, kept.error().message()));
  Records known = records(request, device);
  // What another process has added since is kept.
  if (store_) known.stored = stored(request, device);
  for (const auto& measurement : measurements) known.stored.add(measurement);
  const Bytes content = encode(known.stored);
  using Table = decltype(records_);
  records_.insert({request.family, request.problem_class, device.speed_identity()},
                  std::move(known), Table::OnExisting::replace);
  if (!store_) return;
  const Bytes canonical = canonical_of(subject_of(request, device));
  const Metadata metadata{tuning_record_schema, request.family, device.fingerprint(), 0};
  if (auto kept = store_->put(Kind::record, key_of(canonical), canonical, content, metadata); !kept)
    log(LogLevel::warning,
        fmt::format("Parameters of {} are not kept: {}", request.family, kept.error().message()));
}

}  // namespace kiln
