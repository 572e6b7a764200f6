#pragma once

#include <memory>
#include <vector>

#include "device/array_storage.hpp"
#include "kernel/program/launch.hpp"
#include "kernel/resolver/resolver.hpp"
#include "schedule/job.hpp"

namespace kiln {

/// A Job whole on one queue, without waiting: enqueues the transfers that the run needs, the
/// kernel, and what brings the results back. Prepared once for a range; one thread at a time. The
/// queue may be the application's, in order or not.
class DirectRun {
 public:
  /// `arrays[i]`, where there is one, is what argument i is; its memory is not the Job's then.
  /// Resolves the program. Throws kiln::Error.
  DirectRun(Resolver& resolver, Queue queue, Job job,
            std::vector<std::shared_ptr<ArrayStorage>> arrays);

  const Queue& queue() const { return queue_; }
  const NDRange& range() const { return job_.range; }

  /// Enqueues a run after these events, and gives the event of its end: of the last transfer into
  /// the Job's memory, which must stay until then. `kernel`, where it is wanted, is the launch's
  /// own event. Throws kiln::Error.
  cl::Event enqueue(const std::vector<cl_event>& after, cl::Event* kernel = nullptr);

 private:
  struct Slot {
    Buffer buffer;  ///< of host memory: what the kernel is given
    bool written = false;
  };
  const BufferArgument* host_buffer(std::size_t argument) const;
  cl::Event bring(std::size_t argument, const BufferArgument& memory,
                  const std::vector<cl_event>& after) const;
  cl::Event end_of(std::vector<cl::Event> transfers, cl::Event kernel) const;

  Queue queue_;
  Job job_;
  std::vector<std::shared_ptr<ArrayStorage>> arrays_;
  std::vector<Slot> slots_;
  std::unique_ptr<Launch> launch_;
  cl::Event last_;  ///< of the run before: its buffers are this one's
};

}  // namespace kiln
