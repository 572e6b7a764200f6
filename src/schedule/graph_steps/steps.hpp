#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "schedule/graph_work/graph_devices.hpp"
#include "schedule/graph_work/work_graph.hpp"

/// A graph as commands: what a run enqueues, in order. Made once by build_steps().
namespace kiln::graph {

/// One command, or one thing that the host does.
struct Step {
  enum class Kind : std::uint8_t {
    run,       ///< a task's kernel or call
    fill,      ///< zeros for what a task writes
    copy,      ///< a value for a task that changes it while others need it
    upload,    ///< from the host's memory
    download,  ///< to it
    host       ///< a function, or only what commands of another context wait for
  };
  Kind kind = Kind::run;
  std::uint32_t queue = 0;
  Task task = none;
  ValueId value = none;                     ///< of fills, copies and transfers
  std::uint32_t first_wait = 0, waits = 0;  ///< in Steps::waits: event slots
  std::uint32_t signal = none;              ///< event slot of its end
  std::uint32_t runner = none;
  /// In Steps::memory: of a task one a use; of a copy from and to; of fills and transfers one.
  std::uint32_t first_memory = 0;
  /// In Steps::host_memory: of transfers, and the first of a host task.
  std::uint32_t host_memory = none;
  std::size_t bytes = 0;
  std::size_t first_byte = 0;  ///< of transfers: where the bytes begin, on both sides
};

/// An event that the host completes, for commands of a context that wait for what is not in it.
struct UserEvent {
  std::uint32_t slot = 0;
  std::uint32_t step = 0;  ///< of kind host, whose end it is
  ContextPtr context;
};

struct QueueEntry {
  Queue queue;
  std::uint32_t device = 0;
  std::string lane;      ///< for timelines
  bool is_used = false;  ///< some step is in it
};

/// Where memory of an Array is to be filled in when a run begins.
struct ArrayPlace {
  std::uint32_t at = 0;  ///< in Steps::memory, or in Steps::host_memory
  std::uint32_t array = 0;
  std::uint32_t device = none;  ///< none: the host's memory
};

struct Steps {
  std::vector<Step> all;
  std::vector<QueueEntry> queues;
  std::vector<std::uint32_t> waits;
  std::uint32_t slots = 0;  ///< event slots
  std::vector<UserEvent> user_events;
  std::vector<cl_mem> memory;
  std::vector<std::byte*> host_memory;
  std::vector<ArrayPlace> array_memory, array_host_memory;
  std::vector<std::unique_ptr<Runner>> runners;
  /// By Array: the device that wrote its last value, or written_by_host; none: none has.
  std::vector<std::uint32_t> written_on;
  /// By result value: its memory.
  std::vector<HostArray> results;
  std::vector<std::uint32_t> result_of;  ///< by value; none: no result

  std::vector<HostArray> host_arenas;
  std::vector<cl::Buffer> chunks;   ///< devices' memory, of which parts are given out
  std::vector<cl::Buffer> buffers;  ///< all that memory's handles are of

  std::uint64_t bytes_up = 0, bytes_down = 0;  ///< of a run
  std::vector<std::size_t> peak_bytes;         ///< by memory, of what the graph holds itself
};

inline constexpr std::uint32_t written_by_host = none - 1;

}  // namespace kiln::graph
