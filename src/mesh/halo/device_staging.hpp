#pragma once

#include <deque>
#include <memory>

#include "device/host_array.hpp"
#include "kernel/program/launch.hpp"
#include "mesh/halo/message_layout.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// Messages of a device with memory of its own: a kernel gathers the elements there, they alone
/// travel to pinned memory of the host, and back. One direction of one MessageLayout. Kernels go to
/// the queue of the loops, transfers to another one, so that they run while loops compute. One
/// thread.
class DeviceStaging {
 public:
  /// Room for messages of one direction. Shared by layouts that are not used at the same time;
  /// what one of them still does with it the next one comes after.
  struct Memory {
    HostArray host;  ///< pinned
    cl::Buffer device;
    Queue transfers;
    cl::Event transferred;  ///< the last transfer, unless it was waited for
    cl::Event used;         ///< inward: the last kernel that reads the device's memory
    Memory(const Queue& loops, const Queue& other, std::size_t bytes);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    /// Until the host's memory may be read, or written anew.
    void wait();
  };

  DeviceStaging(Session& session, std::span<const HaloRead> reads, const MessageLayout& layout,
                MessageLayout::Way way, Memory& memory);
  DeviceStaging(const DeviceStaging&) = delete;
  DeviceStaging& operator=(const DeviceStaging&) = delete;
  /// Outward: enqueues the kernels, on the loops' queue, and the transfer to the host; both begin.
  void gather(const Queue& loops);
  /// Inward: enqueues the transfer from the host and the kernels. What comes after on the loops'
  /// queue comes after them.
  void scatter(const Queue& loops);

 private:
  struct Piece {
    Launch launch;
    cl::Buffer elements, places;
  };
  /// A Dat, and what of it goes where.
  struct Moved {
    DatState* dat = nullptr;
    std::vector<const MessageLayout::Segment*> segments;
  };
  void add_piece(Session& session, std::span<const Moved> dats, MessageLayout::Way way);
  cl::Event enqueue(const Queue& loops, const cl::Event& after);
  Memory& memory_;
  std::size_t bytes_;
  std::deque<Piece> pieces_;
};

}  // namespace kiln::mesh
