#pragma once

#include "schedule/graph_run/work.hpp"
#include "schedule/job.hpp"

namespace kiln::graph {

/// A kernel run whole on one device: a Job whose buffers have sizes and no memory.
class KernelWork final : public Work {
 public:
  /// Finds or makes the program once, on this queue, to know what the kernel does with what it is
  /// given. Buffers whose access the Job leaves open are what the kernel's text says. Throws
  /// kiln::Error as a run does.
  KernelWork(Job job, Resolver& resolver, const Queue& queue);

  const std::string& name() const override { return job_.kernel; }
  const std::vector<Use>& uses() const override { return uses_; }
  const Bytes& kind() const override { return kind_; }
  std::unique_ptr<Runner> prepare(Resolver& resolver, const Queue& queue) const override;
  Writes writes(std::size_t use) const override { return writes_[use]; }
  Bytes writes_identity() const override;

  const Job& job() const { return job_; }
  /// The arguments that have memory, in the order of uses().
  const std::vector<unsigned>& memory_positions() const { return positions_; }

 private:
  Job job_;
  std::vector<Use> uses_;
  std::vector<Writes> writes_;
  std::vector<unsigned> positions_;
  Bytes kind_;
};

}  // namespace kiln::graph
