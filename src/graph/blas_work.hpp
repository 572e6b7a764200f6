#pragma once

#include "kiln/blas.hpp"
#include "schedule/graph_work/work.hpp"

namespace kiln::graph {

/// A BLAS call on one device. Operands' memory is what a run is given; two operands of the same
/// memory are one use.
class BlasWork final : public Work {
 public:
  /// `bytes_of`: what the memory of an operand has. The call's memory only tells operands apart.
  /// Throws Error (bad_input) for a call that is wrong.
  BlasWork(const blas::Call& call, const Runtime& runtime,
           const std::function<std::size_t(cl_mem)>& bytes_of);

  const std::string& name() const override { return name_; }
  const std::vector<Use>& uses() const override { return uses_; }
  const Bytes& kind() const override { return kind_; }
  std::unique_ptr<Runner> prepare(Resolver& resolver, const Queue& queue) const override;
  /// Access::out says just that.
  Writes writes(std::size_t) const override { return Writes::whole; }

  const blas::Call& call() const { return call_; }
  /// By slot of the call, the use that its memory is; -1: it has none.
  const std::array<int, blas::slot_count>& use_of() const { return use_of_; }
  /// By use, the memory that the call has named.
  const std::vector<cl_mem>& memory() const { return memory_; }

 private:
  blas::Call call_;
  Runtime runtime_;
  std::string name_;
  std::vector<Use> uses_;
  std::vector<cl_mem> memory_;
  std::array<int, blas::slot_count> use_of_{};
  Bytes kind_;
};

}  // namespace kiln::graph
