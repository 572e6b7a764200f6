#include "kernel/request/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/data/cursor.hpp"

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

void append_parameters(Bytes& to, const Parameters& parameters) {
  append_le(to, static_cast<std::uint32_t>(std::distance(parameters.begin(), parameters.end())));
  for (const auto& [name, value] : parameters) {
    append_block(to, name);
    append_le(to, value);
  }
}

Parameters read_parameters(Cursor& in) {
  Parameters parameters;
  for (auto left = in.count(12, "Parameters"); left > 0 && in.ok(); --left) {
    auto name = in.text("name");
    parameters.set(name, in.number<std::int64_t>("value"));
  }
  return parameters;
}

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
  std::erase_if(history, [&](const Measurement& known) {
    return known.parameters == measurement.parameters && known.size == measurement.size &&
           known.of == measurement.of && known.original == measurement.original;
  });
  if (history.size() >= most_measurements) history.erase(history.begin());
  history.push_back(std::move(measurement));
}

Bytes encode(const TuningRecord& record) {
  Bytes bytes;
  append_le(bytes, static_cast<std::uint32_t>(record.history.size()));
  for (const auto& measurement : record.history) {
    append_parameters(bytes, measurement.parameters);
    append_le(bytes, measurement.size);
    append_le(bytes, std::bit_cast<std::uint64_t>(measurement.milliseconds));
    append_le(bytes, static_cast<std::uint32_t>(measurement.of));
    append_block(bytes, measurement.from);
    append_parameters(bytes, measurement.original);
    append_le(bytes, std::bit_cast<std::uint64_t>(measurement.standard_milliseconds));
  }
  return bytes;
}

std::optional<TuningRecord> decode_tuning_record(ByteView bytes, bool has_standard) {
  Cursor in(bytes, "tuning record");
  TuningRecord record;
  for (auto left = in.count(32, "measurements"); left > 0 && in.ok(); --left) {
    Measurement measurement;
    measurement.parameters = read_parameters(in);
    measurement.size = in.number<std::int64_t>("size");
    measurement.milliseconds = std::bit_cast<double>(in.number<std::uint64_t>("time"));
    const auto of = in.number<std::uint32_t>("origin");
    measurement.of = of == 0 ? Measurement::Of::kiln : Measurement::Of::others;
    measurement.from = in.text("from");
    measurement.original = read_parameters(in);
    if (has_standard)
      measurement.standard_milliseconds =
          std::bit_cast<double>(in.number<std::uint64_t>("built-in time"));
    record.history.push_back(std::move(measurement));
  }
  in.expect_end();
  return in.ok() ? std::optional(std::move(record)) : std::nullopt;
}

}  // namespace kiln
