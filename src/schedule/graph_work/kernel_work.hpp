#pragma once

#include "schedule/graph_work/work.hpp"
#include "schedule/job.hpp"
#include "schedule/split.hpp"

namespace kiln::graph {

/// A kernel run whole on one device: a Job whose buffers have sizes and no memory.
class KernelWork final : public Work {
 public:
  /// Finds or makes the program once, on this queue, to know what the kernel does with what it is
  /// given. Buffers whose access the Job leaves open are what the kernel's text says. Throws
  /// kiln::Error as a run does.
  KernelWork(Job job, Resolver& resolver, const Queue& queue);
  /// Some work-groups of another one. `writes`: by use, what is known of the part itself.
  KernelWork(const KernelWork& whole, const Part& part, std::vector<Writes> writes);

  const std::string& name() const override { return job_.kernel; }
  const std::vector<Use>& uses() const override { return uses_; }
  const Bytes& kind() const override { return kind_; }
  std::unique_ptr<Runner> prepare(Resolver& resolver, const Queue& queue) const override;
  Writes writes(std::size_t use) const override { return writes_[use]; }
  Bytes writes_identity() const override;

  const Job& job() const { return job_; }
  /// The arguments that have memory, in the order of uses().
  const std::vector<unsigned>& memory_positions() const { return positions_; }
  /// What a use's memory is made of: bytes of the kernel's pointer type.
  std::size_t element_bytes(std::size_t use) const {
    return std::get<BufferArgument>(job_.arguments[positions_[use]]).element_bytes;
  }
  /// Whether its text allows that work-groups run apart, whatever the data: one run can then show
  /// that parts of it do what it does.
  bool may_be_cut() const { return may_be_cut_; }

 private:
  Job job_;
  std::vector<Use> uses_;
  std::vector<Writes> writes_;
  std::vector<unsigned> positions_;
  bool may_be_cut_ = false;
  Bytes kind_;
};

}  // namespace kiln::graph
