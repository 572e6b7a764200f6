#include "kernel/request/parameters.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/data/byte_fields.hpp"

namespace kiln {
namespace {

bool is_timed(const Measurement& measurement) {
  return std::isfinite(measurement.milliseconds) && measurement.milliseconds > 0;
}

/// Whether a measurement goes before one that came earlier.
bool is_better(const Measurement& later, const Measurement& earlier, std::int64_t size) {
  if (later.of != earlier.of) return later.of == Measurement::Of::kiln;
  const double far = size_distance(later.size, size), other = size_distance(earlier.size, size);
  if (far != other) return far < other;
  // Times of two searches are of two states of the machine; what each was to its own built-in
  // Parameters is not.
  if (later.gain() > 0 && earlier.gain() > 0) return later.gain() >= earlier.gain();
  if (!is_timed(later) || !is_timed(earlier)) return true;
  return later.milliseconds <= earlier.milliseconds;
}

/// Records of schema 2 have no built-in time.
template <bool has_standard>
constexpr auto record_fields = [](auto& to, auto& record) {
  to.list("measurements", record.history, has_standard ? 44 : 36, [&](auto& measurement) {
    to.map("Parameters", measurement.parameters, 12);
    to.field("size", measurement.size);
    to.field("time", measurement.milliseconds);
    to.field("origin", measurement.of);
    to.field("from", measurement.from);
    to.map("Parameters", measurement.original, 12);
    if constexpr (has_standard) to.field("built-in time", measurement.standard_milliseconds);
  });
};

}  // namespace

std::string text_of(const ChosenParameters& chosen) {
  std::string text;
  for (const auto& [name, value] : chosen.parameters)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  if (text.empty()) return "";
  return fmt::format("{} ({}{}{})", text, chosen.origin, chosen.from.empty() ? "" : ": ",
                     chosen.from);
}

double size_distance(std::int64_t a, std::int64_t b) {
  if (a <= 0 || b <= 0) return a == b ? 0 : 1e9;
  return std::abs(std::log(static_cast<double>(a)) - std::log(static_cast<double>(b)));
}

const Measurement* TuningRecord::best(std::int64_t size,
                                      const std::function<bool(const Measurement&)>& usable) const {
  const Measurement* found = nullptr;
  for (const auto& measurement : history) {
    if (measurement.of == Measurement::Of::others && !is_timed(measurement)) continue;
    if (found != nullptr && !is_better(measurement, *found, size)) continue;
    if (usable(measurement)) found = &measurement;
  }
  return found;
}

TuningRecord::Choice TuningRecord::choose(std::int64_t size,
                                          const std::function<bool(const Measurement&)>& usable,
                                          const Reach& reach) const {
  bool passed_over = false;
  const auto is_near = [&](const Measurement& one) {
    if (one.of != Measurement::Of::kiln || reach.covers(one.size, size)) return true;
    passed_over = true;
    return false;
  };
  using Verdict = Choice::Verdict;
  // A caller may remember the last measurement that it took: so it is asked last.
  const auto* found =
      best(size, [&](const Measurement& one) { return is_near(one) && usable(one); });
  if (found == nullptr)
    return passed_over ? Choice{Verdict::too_far, best(size, [](const auto&) { return true; })}
                       : Choice{};
  const bool loses = found->gain() > 0 && found->gain() < 1;
  return {loses ? Verdict::built_in_faster : Verdict::use, found};
}

void TuningRecord::add(Measurement measurement) {
  std::erase_if(history, [&](const auto& known) { return known.is_of_same(measurement); });
  if (history.size() >= most_measurements) history.erase(history.begin());
  history.push_back(std::move(measurement));
}

Bytes encode(const TuningRecord& record) { return bytes_by(record_fields<true>, record); }

std::optional<TuningRecord> decode_tuning_record(ByteView bytes, bool has_standard) {
  constexpr const char* what = "tuning record";
  auto record = has_standard ? read_by<TuningRecord>(record_fields<true>, bytes, what)
                             : read_by<TuningRecord>(record_fields<false>, bytes, what);
  return record ? std::optional(*std::move(record)) : std::nullopt;
}

}  // namespace kiln
