#include "schedule/split_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/clock.hpp"
#include "base/data/cursor.hpp"
#include "schedule/split.hpp"

namespace kiln {
namespace {

// What a guess must promise, as a part of the best time, to be tried: early, and later on.
constexpr double small_gain = 0.97, real_gain = 0.93;

std::size_t busy_count(const SplitModel::Shares& shares) {
  return static_cast<std::size_t>(
      std::count_if(shares.begin(), shares.end(), [](int share) { return share > 0; }));
}

}  // namespace

SplitModel::SplitModel(std::vector<double> speeds)
    : speeds_(std::move(speeds)), whole_ns_(speeds_.size()), fixed_ns_(speeds_.size()) {}

SplitModel::Shares SplitModel::nearest(std::span<const double> weights) {
  Shares shares;
  for (const auto& part : cut(grain, weights)) shares.push_back(static_cast<int>(part.groups()));
  return shares;
}

double SplitModel::predicted_ns(const Shares& shares) const {
  double slowest = 0;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] > 0) slowest = std::max(slowest, fixed_ns_[i] + whole_ns_[i] * shares[i] / grain);
  return slowest + (busy_count(shares) > 1 ? split_host_ns_ : alone_host_ns_);
}

bool SplitModel::all_known() const {
  return std::all_of(whole_ns_.begin(), whole_ns_.end(), [](double time) { return time > 0; });
}

/// The shares at which all devices are done at once: the level L with the sum of the devices'
/// possible shares (L - fixed) / whole equal to one, found by bisection. A device whose fixed cost
/// is above L gets none.
SplitModel::Shares SplitModel::balanced() const {
  std::vector<double> weights(speeds_);
  if (all_known()) {
    double low = 0, high = 0;
    for (std::size_t i = 0; i < whole_ns_.size(); ++i)
      high = std::max(high, fixed_ns_[i] + whole_ns_[i]);
    for (int step = 0; step < 60; ++step) {
      const double level = (low + high) / 2;
      double sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i)
        sum += std::max(0.0, (level - fixed_ns_[i]) / whole_ns_[i]);
      (sum < 1 ? low : high) = level;
    }
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = std::max(0.0, (high - fixed_ns_[i]) / whole_ns_[i]);
  }
  return nearest(weights);
}

std::vector<SplitModel::Shares> SplitModel::candidates() const {
  std::vector<Shares> all{balanced()};
  const std::size_t count = devices();
  for (std::size_t i = 0; i < count; ++i) {
    Shares alone(count, 0);
    alone[i] = grain;
    all.push_back(std::move(alone));
  }
  if (count == 2)
    for (int tenth = 1; tenth < 10; ++tenth) all.push_back(nearest(class_weights(tenth, 2)));
  for (const auto& [shares, time] : measured_) all.push_back(shares);
  return all;
}

const SplitModel::Measured* SplitModel::measured(const Shares& shares) const {
  const auto found = measured_.find(shares);
  if (found == measured_.end()) return nullptr;
  // One cold run among warm ones says too little; two of them keep a split from being tried on and
  // on by processes that run once.
  return found->second.warm == any_warm_ || found->second.count > 1 ? &found->second : nullptr;
}

double SplitModel::best_measured_ns() const {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [shares, time] : measured_)
    if (time.warm == any_warm_) best = std::min(best, time.best_ns);
  return best;
}

double SplitModel::appeal_ns(const Shares& shares, double best_measured) const {
  const double time = plain_appeal_ns(shares, best_measured);
  // A device with less than an eighth of the work can save an eighth at most, and costs the others
  // a wait for its worst moments: such a split must be clearly better to be worth it.
  const bool lopsided = std::any_of(shares.begin(), shares.end(),
                                    [](int share) { return share > 0 && share < grain / 8; });
  return lopsided ? time / real_gain : time;
}

double SplitModel::plain_appeal_ns(const Shares& shares, double best_measured) const {
  const bool curious = runs_ < trials;
  const double predicted = predicted_ns(shares);
  if (const auto* known = measured(shares)) {
    // One bad moment of the machine must not decide against a split for good: it gets a second
    // chance, above all where its devices' own times promise more.
    if (curious && known->count == 1) return std::min(0.9 * known->best_ns, predicted / small_gain);
    return known->best_ns;
  }
  // Devices that share a memory slow each other down, so one alone does better than the speeds of
  // a split run say: within reach, it is worth one run.
  if (curious && busy_count(shares) == 1 && predicted < 1.7 * best_measured)
    return std::min(predicted, 0.85 * best_measured);
  // Another guess near a measured split must promise a gain above the noise.
  return std::isfinite(best_measured) ? predicted / (curious ? small_gain : real_gain) : predicted;
}

SplitModel::Shares SplitModel::choose() const {
  if (!all_known()) return balanced();
  const double best_measured = best_measured_ns();
  Shares best;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& shares : candidates()) {
    const double time = appeal_ns(shares, best_measured);
    if (time >= least) continue;
    least = time;
    best = shares;
  }
  return best;
}

void SplitModel::learn(const Shares& shares, const std::vector<DeviceTime>& devices, double wall_ns,
                       Standing standing) {
  ++runs_;
  const bool split = busy_count(shares) > 1;
  double slowest = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == 0) continue;
    // Alone, a device shows its own speed, which says little about a split; believed only at first.
    if (split || whole_ns_[i] == 0)
      follow_shorter(whole_ns_[i], devices[i].kernel_ns * grain / shares[i]);
    follow_shorter(fixed_ns_[i], devices[i].transfer_ns);
    slowest = std::max(slowest, devices[i].kernel_ns + devices[i].transfer_ns);
  }
  if (standing == Standing::unlike) return;
  const bool warm = standing == Standing::warm;
  // What the host took in cold runs (buffers made, memory touched) says nothing of warm ones.
  if (warm && !any_warm_) alone_host_ns_ = split_host_ns_ = 0;
  any_warm_ = any_warm_ || warm;
  if (warm == any_warm_)
    follow_shorter(split ? split_host_ns_ : alone_host_ns_, std::max(0.0, wall_ns - slowest));
  auto& entry = measured_[shares];
  if (entry.warm && !warm) return;
  if (warm && !entry.warm) entry = {0, 0, true};
  // A best that ages: a machine may become slower for good.
  entry.best_ns = entry.count == 0 ? wall_ns : std::min(entry.best_ns * 1.01, wall_ns);
  ++entry.count;
}

Bytes SplitModel::encode() const {
  Bytes bytes;
  const auto put = [&](double value) { append(bytes, bytes_of(value)); };
  append_le(bytes, static_cast<std::uint32_t>(devices()));
  append_le(bytes, static_cast<std::uint32_t>(runs_));
  for (std::size_t i = 0; i < devices(); ++i) {
    put(speeds_[i]);
    put(whole_ns_[i]);
    put(fixed_ns_[i]);
  }
  put(alone_host_ns_);
  put(split_host_ns_);
  for (const auto& [shares, time] : measured_) {
    for (const int share : shares) append_le(bytes, static_cast<std::int32_t>(share));
    put(time.best_ns);
    append_le(bytes, static_cast<std::int32_t>(time.count * 2 + (time.warm ? 1 : 0)));
  }
  return bytes;
}

std::optional<SplitModel> SplitModel::decode(ByteView bytes, std::size_t devices) {
  Cursor in(bytes, "split model");
  const auto number = [&] {
    const auto raw = in.number<std::uint64_t>("time");
    double value;
    std::memcpy(&value, &raw, sizeof value);
    return std::isfinite(value) && value >= 0 ? value : 0.0;
  };
  if (in.number<std::uint32_t>("devices") != devices) return {};
  SplitModel model{std::vector<double>(devices)};
  model.runs_ = static_cast<int>(in.number<std::uint32_t>("runs") & 0xffffff);
  for (std::size_t i = 0; i < devices; ++i) {
    model.speeds_[i] = number();
    model.whole_ns_[i] = number();
    model.fixed_ns_[i] = number();
  }
  model.alone_host_ns_ = number();
  model.split_host_ns_ = number();
  while (in.left() > 0) {
    Shares shares(devices);
    for (auto& share : shares) share = in.number<std::int32_t>("share");
    Measured time;
    time.best_ns = number();
    const auto count = in.number<std::uint32_t>("count");
    time.count = static_cast<int>(count / 2 & 0xffffff);
    time.warm = count % 2 == 1;
    const bool sound =
        std::all_of(shares.begin(), shares.end(), [](int s) { return s >= 0 && s <= grain; }) &&
        std::accumulate(shares.begin(), shares.end(), 0) == grain && time.best_ns > 0;
    if (!in.ok() || !sound) continue;
    model.measured_[shares] = time;
    model.any_warm_ = model.any_warm_ || time.warm;
  }
  if (!in.ok()) return {};
  return model;
}

}  // namespace kiln
