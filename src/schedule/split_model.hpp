#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/data/bytes.hpp"

namespace kiln {

/// What is known about one kernel, size class and set of devices: how long each device takes, and
/// what whole runs took. Plain data and arithmetic; no OpenCL.
///
/// A run with shares s_i is predicted to take max over busy devices of (fixed_i + s_i * whole_i),
/// plus what the host does before and after. Shares are counted in 1/64 of the work.
///
/// Noise only adds to a time, so the shortest ones are believed most. In the first `trials` runs
/// the model is curious: a split that did nearly as well as the best one gets a second chance, and
/// small promised gains are tried. After that it stays with the best unless a real gain is in
/// sight.
class SplitModel {
 public:
  static constexpr int grain = 64;
  static constexpr int trials = 5;
  using Shares = std::vector<int>;  ///< one a device, their sum is `grain`

  /// `speeds`: a first guess of the devices' relative speeds.
  explicit SplitModel(std::vector<double> speeds);

  /// What to try next: the shares with the least predicted or measured time. A measurement beats a
  /// prediction.
  Shares choose() const;

  struct DeviceTime {
    double kernel_ns = 0;    ///< of its share
    double transfer_ns = 0;  ///< does not depend on the share: buffers are whole
  };
  /// How far the wall time of a run says what later runs will take.
  enum class Standing {
    unlike,  ///< not at all (a first, merged run): only the devices' speeds are learnt from it
    cold,    ///< the first run of a process: until a warm one has been seen
    warm
  };
  /// Takes in a run.
  void learn(const Shares& shares, const std::vector<DeviceTime>& devices, double wall_ns,
             Standing standing);

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
    int count = 0;  ///< of the runs in best_ns
    bool warm = false;
  };
  bool all_known() const;
  Shares balanced() const;
  std::vector<Shares> candidates() const;
  /// The measurement of these shares that counts, or null.
  const Measured* measured(const Shares& shares) const;
  double best_measured_ns() const;
  /// What these shares are expected to take, adjusted by how curious the model is.
  double appeal_ns(const Shares& shares, double best_measured) const;
  double plain_appeal_ns(const Shares& shares, double best_measured) const;
  int runs_ = 0;
  std::vector<double> speeds_;
  std::vector<double> whole_ns_;  ///< a device's time for all the work; 0: not known
  std::vector<double> fixed_ns_;
  double alone_host_ns_ = 0, split_host_ns_ = 0;  ///< the rest of a run's wall time
  bool any_warm_ = false;
  std::map<Shares, Measured> measured_;
};

}  // namespace kiln
