#include "schedule/split_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/cursor.hpp"
#include "schedule/split.hpp"

namespace kiln {
namespace {

/// A fraction of the newest measurement goes into a running mean; the first one is taken whole.
void blend(double& mean, double value, double part = 0.5) {
  mean = mean == 0 ? value : mean * (1 - part) + value * part;
}

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
  return slowest + (busy_count(shares) > 1 ? split_ns_ : 0);
}

/// The shares at which all devices are done at once: the level L with the sum of the devices'
/// possible shares (L - fixed) / whole equal to one, found by bisection. A device whose fixed cost
/// is above L gets none.
SplitModel::Shares SplitModel::balanced() const {
  std::vector<double> weights(speeds_);
  const bool known =
      std::all_of(whole_ns_.begin(), whole_ns_.end(), [](double t) { return t > 0; });
  if (known) {
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

SplitModel::Shares SplitModel::choose() const {
  const bool known =
      std::all_of(whole_ns_.begin(), whole_ns_.end(), [](double t) { return t > 0; });
  if (!known) return balanced();
  double best_measured = std::numeric_limits<double>::infinity();
  for (const auto& [shares, time] : measured_)
    best_measured = std::min(best_measured, time.best_ns);

  Shares best;
  double best_ns = std::numeric_limits<double>::infinity();
  for (const auto& shares : candidates()) {
    const auto found = measured_.find(shares);
    double time = found != measured_.end() ? found->second.best_ns : predicted_ns(shares);
    if (found == measured_.end()) {
      // Devices that share a memory slow each other down, so one alone does better than the
      // speeds of a split run say: within reach, the fastest one is worth one run.
      if (busy_count(shares) == 1 && time < 1.7 * best_measured)
        time = std::min(time, 0.9 * best_measured);
      // Another guess near a measured split must promise a real gain.
      else if (std::isfinite(best_measured))
        time /= 0.98;
    }
    if (time < best_ns) {
      best_ns = time;
      best = shares;
    }
  }
  return best;
}

void SplitModel::learn(const Shares& shares, const std::vector<DeviceTime>& devices, double wall_ns,
                       bool comparable) {
  ++runs_;
  double slowest = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == 0) continue;
    // Alone, a device shows its own speed, which says little about a split; believed only at first.
    if (busy_count(shares) > 1 || whole_ns_[i] == 0)
      blend(whole_ns_[i], devices[i].kernel_ns * grain / shares[i]);
    blend(fixed_ns_[i], devices[i].transfer_ns);
    slowest = std::max(slowest, devices[i].kernel_ns + devices[i].transfer_ns);
  }
  if (busy_count(shares) > 1 && comparable) blend(split_ns_, std::max(0.0, wall_ns - slowest));
  if (!comparable) return;
  auto& entry = measured_[shares];
  // A best that ages: noise only ever adds, but a machine may become slower for good.
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
  put(split_ns_);
  for (const auto& [shares, time] : measured_) {
    for (const int share : shares) append_le(bytes, static_cast<std::int32_t>(share));
    put(time.best_ns);
    append_le(bytes, static_cast<std::int32_t>(time.count));
  }
  return bytes;
}

std::optional<SplitModel> SplitModel::decode(ByteView bytes, std::size_t devices) {
  Cursor in(bytes);
  const auto number = [&] {
    const auto raw = in.take<std::uint64_t>();
    double value;
    std::memcpy(&value, &raw, sizeof value);
    return std::isfinite(value) && value >= 0 ? value : 0.0;
  };
  if (in.take<std::uint32_t>() != devices) return {};
  SplitModel model{std::vector<double>(devices)};
  model.runs_ = static_cast<int>(in.take<std::uint32_t>() & 0xffffff);
  for (std::size_t i = 0; i < devices; ++i) {
    model.speeds_[i] = number();
    model.whole_ns_[i] = number();
    model.fixed_ns_[i] = number();
  }
  model.split_ns_ = number();
  while (in.good() && in.left() > 0) {
    Shares shares(devices);
    for (auto& share : shares) share = in.take<std::int32_t>();
    Measured time{number(), in.take<std::int32_t>()};
    const bool sound =
        std::all_of(shares.begin(), shares.end(), [](int s) { return s >= 0 && s <= grain; }) &&
        std::accumulate(shares.begin(), shares.end(), 0) == grain && time.best_ns > 0;
    if (in.good() && sound) model.measured_[shares] = time;
  }
  if (!in.good()) return {};
  return model;
}

}  // namespace kiln
