#include <fmt/format.h>

#include "base/log.hpp"
#include "kernel/resolver.hpp"
#include "kernel/stored_record.hpp"

namespace kiln {
namespace {

RecordSubject subject_of(const Request& request, const Device& device) {
  return {request.family, request.version, request.problem_class, device.speed_identity()};
}

/// Sizes of specification files are bytes of buffers: a matrix twice as wide has four times as
/// many.
constexpr Reach reach_of_files{64, 64};

/// Where a measurement is from, and of what size where that is another.
std::string told(const Measurement& one, const Request& request) {
  if (one.size == request.problem_size || one.size <= 0 || request.problem_size <= 0 ||
      one.of == Measurement::Of::others)
    return one.from;
  return fmt::format("{}{}size {}", one.from, one.from.empty() ? "" : ", ", one.size);
}

}  // namespace

std::size_t Resolver::ParameterHash::operator()(const ParameterView& key) const noexcept {
  const std::hash<std::string_view> hash;
  // Multiplied, not XORed: equal parts in different places must not cancel.
  return (hash(key.family) * 31 + hash(key.problem_class)) * 31 + hash(key.device);
}

std::string text_of(const ChosenParameters& chosen) {
  std::string text;
  for (const auto& [name, value] : chosen.parameters)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  if (text.empty()) return "";
  return fmt::format("{} ({}{}{})", text, chosen.origin, chosen.from.empty() ? "" : ": ",
                     chosen.from);
}

ChosenParameters Resolver::choose(const Request& request, const Device& device, const Fits& fits) {
  const Generator* maker = request.source ? nullptr : generator(request.family);
  if (maker == nullptr && request.problem_class.empty()) return {};
  // The version is a part of the Key: a front end that forgot it would get stale programs.
  if (maker != nullptr && maker->version() != request.version)
    throw Error(Errc::internal,
                fmt::format("a Request of version {} for the generator of {}, which has version {}",
                            request.version, request.family, maker->version()));
  // One problem class holds many Requests, and a record need not fit them all.
  const auto usable = [&](const Measurement& measurement) {
    if (maker != nullptr && !maker->accepts(request, measurement.parameters)) return false;
    return !fits || fits(measurement);
  };
  if (const auto trial = trials_.find(request.family);
      trial != trials_.end() && (maker == nullptr || maker->accepts(request, trial->second)))
    return {trial->second, "trial", ""};
  using Verdict = TuningRecord::Choice::Verdict;
  const Records& known = records(request, device);
  const auto own = known.stored.choose(request.problem_size, usable,
                                       maker != nullptr ? maker->reach() : reach_of_files);
  ChosenParameters built_in{maker != nullptr ? maker->defaults(request) : Parameters{}, "default",
                            ""};
  if (own.verdict == Verdict::use)
    return {own.best->parameters, "store record", told(*own.best, request)};
  if (own.verdict == Verdict::built_in_faster) {
    built_in.from = fmt::format("faster than the record, size {}", own.best->size);
    return built_in;
  }
  if (maker != nullptr)
    if (auto found = stand_in(request, device, *maker, usable)) return *std::move(found);
  for (const auto& [name, mounted] : known.mounted)
    if (const auto* best = mounted.best(request.problem_size, usable))
      return {best->parameters, name, best->from};
  if (own.verdict == Verdict::too_far && own.best != nullptr)
    built_in.from = fmt::format("the nearest record, size {}, is too far", own.best->size);
  return built_in;
}

void Resolver::try_out(const std::string& family, std::optional<Parameters> parameters) {
  if (parameters)
    trials_[family] = *std::move(parameters);
  else
    trials_.erase(family);
}

const Resolver::Records& Resolver::records(const Request& request, const Device& device) {
  const std::string& speed = device.speed_identity();
  if (const auto* known =
          parameters_.find(ParameterView{request.family, request.problem_class, speed}))
    return *known;
  Records found{tuning_record(request, device), {}};
  std::vector<std::shared_ptr<const ParameterSource>> sources;
  {
    const std::lock_guard lock(mutex_);
    sources = parameter_sources_;
  }
  for (const auto& source : sources)
    found.mounted.emplace_back(source->name(), source->find(request, device));
  return parameters_.insert({request.family, request.problem_class, speed}, std::move(found));
}

TuningRecord Resolver::tuning_record(const Request& request, const Device& device) const {
  if (!store_) return {};
  const Bytes canonical = canonical_of(subject_of(request, device));
  const auto lookup = store_->get(Kind::record, key_of(canonical), canonical);
  return lookup.entry ? tuning_record_of(*lookup.entry).value_or(TuningRecord{}) : TuningRecord{};
}

void Resolver::record(const Request& request, const Device& device,
                      const std::vector<Measurement>& measurements) {
  const std::lock_guard lock(recording_);
  if (store_ && generator(request.family) != nullptr)
    if (auto kept = add_to_related(*store_, subject_of(request, device), measurements); !kept)
      log(LogLevel::warning, fmt::format("Parameters of {} are not kept for other drivers: {}",
                                         request.family, kept.error().message()));
  Records known = records(request, device);
  // What another process has added since is kept.
  if (store_) known.stored = tuning_record(request, device);
  for (const auto& measurement : measurements) known.stored.add(measurement);
  const Bytes content = encode(known.stored);
  using Table = decltype(parameters_);
  parameters_.insert({request.family, request.problem_class, device.speed_identity()},
                     std::move(known), Table::OnExisting::replace);
  if (!store_) return;
  const Bytes canonical = canonical_of(subject_of(request, device));
  const Metadata metadata{tuning_record_schema, request.family, device.fingerprint(), 0};
  if (auto kept = store_->put(Kind::record, key_of(canonical), canonical, content, metadata); !kept)
    log(LogLevel::warning,
        fmt::format("Parameters of {} are not kept: {}", request.family, kept.error().message()));
}

}  // namespace kiln
