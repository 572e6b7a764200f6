#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.hpp"

namespace kiln {

/// What is known about one kernel, size class and set of devices: how long each device takes, and
/// what whole runs took. Plain data and arithmetic; no OpenCL.
///
/// A run with shares s_i is predicted to take max over busy devices of (fixed_i + s_i * whole_i),
/// plus what splitting itself costs. Shares are counted in 1/64 of the work.
class SplitModel {
 public:
  static constexpr int grain = 64;
  using Shares = std::vector<int>;  ///< one a device, their sum is `grain`

  /// `speeds`: a first guess of the devices' relative speeds.
  explicit SplitModel(std::vector<double> speeds);

  /// What to try next: the shares with the least predicted or measured time. A measurement beats a
  /// prediction; the extremes (one device alone) are tried when they could be within reach.
  Shares choose() const;

  struct DeviceTime {
    double kernel_ns = 0;    ///< of its share
    double transfer_ns = 0;  ///< does not depend on the share: buffers are whole
  };
  /// Takes in a run. `comparable` is false for runs whose wall time later runs will not see again
  /// (a first, merged one): only the devices' speeds are learnt from them.
  void learn(const Shares& shares, const std::vector<DeviceTime>& devices, double wall_ns,
             bool comparable);

  int runs() const { return runs_; }
  std::size_t devices() const { return whole_ns_.size(); }
  double predicted_ns(const Shares& shares) const;

  Bytes encode() const;
  /// A model of another number of devices, or bytes that do not parse, give nothing.
  static std::optional<SplitModel> decode(ByteView bytes, std::size_t devices);

  /// The shares nearest to weights, e.g. of a partition class.
  static Shares nearest(std::span<const double> weights);

 private:
  struct Measured {
    double best_ns = 0;
    int count = 0;
  };
  Shares balanced() const;
  std::vector<Shares> candidates() const;
  int runs_ = 0;
  std::vector<double> speeds_;
  std::vector<double> whole_ns_;  ///< a device's time for all the work; 0: not known
  std::vector<double> fixed_ns_;
  double split_ns_ = 0;  ///< what splitting adds
  std::map<Shares, Measured> measured_;
};

}  // namespace kiln
