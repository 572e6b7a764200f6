#pragma once

#include <deque>
#include <vector>

#include "device/transfer.hpp"
#include "kernel/program/launch.hpp"
#include "spec/run/arrays.hpp"

/// A specification's buffers on a device, while its configurations are tuned.
namespace kiln::spec {

/// The buffers of a bound spec on one device, for many launches of different programs. Every
/// configuration starts from the same contents, independent of what the previous one wrote.
/// Belongs to one thread.
class DeviceArrays {
 public:
  /// `initial` must outlive it and is never written. Throws kiln::Error.
  DeviceArrays(const BoundSpec& bound, const Arrays& initial, const Queue& queue);

  /// Which buffers get their initial contents back: all, or only those that are read and written.
  enum class Which { all, inout };
  void reset(Which which);
  void set_arguments(Launch& launch) const;
  /// What the device has in a buffer now: in memory of this object, until the next call. The queue
  /// must have finished.
  ByteView contents(std::uint32_t position);

 private:
  struct Slot {
    ArgumentKind kind = ArgumentKind::scalar;
    HostArray host;  ///< what the device works in, or where contents() reads to
    kiln::Buffer buffer;
    bool is_buffer() const { return kind < ArgumentKind::scalar; }
  };
  Queue queue_;
  const Arrays& initial_;
  std::vector<Slot> slots_;
};

/// Sets of a spec's buffers with the same contents, which launches take by turns: as many as
/// tune::data_sets() says. Belongs to one thread.
class DeviceArraySets {
 public:
  /// As DeviceArrays, each reset whole.
  DeviceArraySets(const BoundSpec& bound, const Arrays& initial, const Queue& queue);

  std::size_t size() const { return sets_.size(); }
  /// The one that results are compared in.
  DeviceArrays& first() { return sets_.front(); }
  /// The one that was taken longest ago.
  DeviceArrays& next() { return sets_[turn_++ % sets_.size()]; }
  void reset(DeviceArrays::Which which);

 private:
  std::deque<DeviceArrays> sets_;
  std::size_t turn_ = 0;
};

}  // namespace kiln::spec
