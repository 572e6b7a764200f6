#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "schedule/graph_run/kernel_work.hpp"
#include "schedule/graph_run/work_graph.hpp"

namespace kiln::graph {

/// A kernel as several works, each with some of its work-groups, that do together what it does.
struct KernelParts {
  std::vector<WorkGraph::Part> parts;
  /// Each part writes one piece of each memory that the kernel writes, so that parts may run in
  /// different memories. Else they write to the same memory.
  bool are_in_pieces = false;
};

/// Cuts kernels, and shows that the parts do what the whole does: with random data, in both orders,
/// over the same memory. What was shown is kept in the store. One thread at a time.
class KernelCutter {
 public:
  /// Runs happen on all of these queues, one of each kind of device that parts will run on: its
  /// compiler may have made something else of the text.
  /// `stop`, asked now and then, ends a run.
  KernelCutter(Resolver& resolver, std::vector<Queue> queues, std::function<bool()> stop = {})
      : resolver_(resolver), queues_(std::move(queues)), stop_(std::move(stop)) {}

  /// Parts of a kernel's range along dimension 0, in proportion to `weights`. Nothing where there
  /// are none, where they do not do the same, or where a run would need more than 1 GiB.
  /// `needs_zeros`: by use, whether what it writes has to begin as zeros. Throws kiln::Error:
  /// timeout where a run of it does not end in 20 s.
  std::optional<KernelParts> cut(const KernelWork& whole, std::span<const double> weights,
                                 const std::vector<bool>& needs_zeros);

  /// Kernels that were run to see.
  int trials() const { return trials_; }

 private:
  struct Shown {
    bool are_alike = false;      ///< the parts together do what the whole does
    bool are_in_pieces = false;  ///< and each stays within its pieces
  };
  const Shown& shown(const KernelWork& whole, const std::vector<Part>& cuts,
                     const std::vector<WorkGraph::Part>& parts, bool may_be_in_pieces);
  Shown show(const Queue& queue, const KernelWork& whole, const std::vector<WorkGraph::Part>& parts,
             bool may_be_in_pieces);

  Resolver& resolver_;
  std::vector<Queue> queues_;
  std::function<bool()> stop_;
  std::map<Bytes, Shown> shown_;
  int trials_ = 0;
};

}  // namespace kiln::graph
