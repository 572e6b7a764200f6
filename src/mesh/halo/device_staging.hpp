#pragma once

#include <deque>
#include <memory>

#include "device/host_array.hpp"
#include "kernel/program/launch.hpp"
#include "mesh/halo/message_layout.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// Messages of a device with memory of its own: a kernel gathers the elements there, they alone
/// travel to pinned memory of the host, and back. One direction of one MessageLayout. Memory may be
/// shared by layouts that are not used at the same time. One thread.
class DeviceStaging {
 public:
  struct Memory {
    HostArray host;  ///< pinned
    cl::Buffer device;
    Memory(const Queue& queue, std::size_t bytes);
  };

  DeviceStaging(Session& session, std::span<const HaloRead> reads, const MessageLayout& layout,
                MessageLayout::Way way, Memory& memory);
  ~DeviceStaging();
  DeviceStaging(const DeviceStaging&) = delete;
  DeviceStaging& operator=(const DeviceStaging&) = delete;
  /// Outward: enqueues the kernels and the transfer to the host.
  void gather(const Queue& queue);
  /// Waits until the host's memory may be read, or written anew.
  void wait();
  /// Inward: enqueues the transfer from the host and the kernels.
  void scatter(const Queue& queue);

 private:
  struct Piece {
    Launch launch;
    cl::Buffer elements, places;
  };
  Memory& memory_;
  std::size_t bytes_;
  std::deque<Piece> pieces_;  ///< one for each Dat
  cl::Event done_;
};

}  // namespace kiln::mesh
