#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "device/host_array.hpp"
#include "kernel/program/launch.hpp"
#include "mesh/halo/message_layout.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// Messages of a device with memory of its own: a kernel gathers the elements there, they alone
/// travel to pinned memory of the host, and back. One direction of one MessageLayout. One thread.
class DeviceStaging {
 public:
  /// Where kernels and transfers go. The loops' own queue is the fastest where nothing else is to
  /// run meanwhile: an event takes longer from queue to queue than such a transfer. On the other
  /// queue, next to the loops, they do not hold these up; what is on the loops' queue meanwhile
  /// may not change the elements that are gathered, nor use those that are scattered.
  enum class Where : std::uint8_t { with_loops, next_to_loops };

  /// Room for messages of one direction. Shared by layouts that are not used at the same time;
  /// what one of them still does with it the next one comes after.
  struct Memory {
    HostArray host;  ///< pinned
    cl::Buffer device;
    Queue transfers;
    cl::Event transferred;       ///< the last transfer, unless it was waited for
    std::optional<Where> where;  ///< inward: of the last kernels that read the device's memory
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
  /// Outward: enqueues kernels and the transfer to the host; both begin. With the loops they come
  /// after all that is there, next to them after the point `computed` of the loops' queue.
  void gather(const Queue& loops, Where where, const cl::Event& computed);
  /// The present end of a queue, for gather(), which lets it begin.
  static cl::Event end_of(const Queue& loops);
  /// Inward: enqueues the transfer from the host and the kernels. What comes after on the loops'
  /// queue comes after them, and lets them begin; next to the loops they begin at once, and may run
  /// before commands that are on the loops' queue already.
  void scatter(const Queue& loops, Where where);

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
  void enqueue(const Queue& queue, const cl::Event& after);
  const Queue& queue_for(const Queue& loops, Where where) const {
    return where == Where::with_loops ? loops : memory_.transfers;
  }
  Memory& memory_;
  std::size_t bytes_;
  std::deque<Piece> pieces_;
};

}  // namespace kiln::mesh
