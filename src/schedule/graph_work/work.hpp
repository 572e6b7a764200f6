#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/context.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kiln/runtime.hpp"

/// What the tasks of a graph do, whichever front end they are from.
namespace kiln::graph {

class Work;

/// Work that is ready for one queue: its program is loaded, its geometry set. One thread at a
/// time. All works of a kind share it, one after the other.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Enqueues one run of a work of this Runner's kind, on memory for each of its uses. `done` may
  /// be null. Allocates nothing. Throws kiln::Error.
  virtual void enqueue(const Work& work, std::span<const cl_mem> memory,
                       std::span<const cl_event> after, cl_event* done) = 0;
  /// Before the commands of a run of the graph; nothing of it runs yet. Throws kiln::Error.
  virtual void begin_run() {}
  /// What the device took for the work, whose event has ended, in its last run of those whose times
  /// are taken.
  virtual std::int64_t duration_ns(const Work& work, const cl::Event& done);
};

/// One piece of memory that a work is given.
struct Use {
  std::size_t bytes = 0;
  /// `in`: read, and left as it is. `out`: starts as zeros. `inout`: read and written.
  Access access = Access::in;
  std::string name;  ///< for messages and timelines
};

/// What one task does: pure data until a Runner is made for a queue. Immutable; thread-safe.
class Work {
 public:
  virtual ~Work() = default;
  /// For people: "VectorAdd".
  virtual const std::string& name() const = 0;
  virtual const std::vector<Use>& uses() const = 0;
  /// Canonical bytes of all that its time depends on but the device: program, geometry. Works of
  /// equal kinds share Runners and measured times.
  virtual const Bytes& kind() const = 0;

  /// Whether it changes data that are not among its uses, so that it must not run more often than
  /// it was asked to.
  virtual bool keeps_data() const { return false; }

  /// Null: it is done on the host, by run_on_host().
  virtual std::unique_ptr<Runner> prepare(Resolver& resolver, const Queue& queue) const = 0;
  virtual bool runs_on_host() const { return false; }
  /// Throws what the application's function throws.
  virtual void run_on_host(std::span<const std::span<std::byte>>) const {}

  /// What a work does with memory that it writes and does not read, Access::out.
  enum class Writes : std::uint8_t {
    whole,    ///< all bytes, so that no zeros are needed
    same,     ///< the same bytes whatever the data: one run can show whether all
    unknown,  ///< perhaps others with other data
  };
  virtual Writes writes(std::size_t /*use*/) const { return Writes::unknown; }
  /// Canonical bytes of what decides which bytes are written, where Writes::same.
  virtual Bytes writes_identity() const { return {}; }
};
using WorkPtr = std::shared_ptr<const Work>;

}  // namespace kiln::graph
