#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedule/graph_work/kernel_work.hpp"
#include "schedule/graph_work/work_graph.hpp"

namespace kiln::graph {

/// A kernel as several works, each with some of its work-groups, that do together what it does.
struct KernelParts {
  std::vector<Part> cuts;  ///< by part, its work-groups of dimension 0
  std::vector<WorkGraph::Part> parts;
  /// Each part writes one piece of each memory that the kernel writes, so that parts may run in
  /// different memories. Else they write to the same memory.
  bool are_in_pieces = false;
};

/// Cuts a kernel's range along dimension 0 in proportion to `weights`; with pieces where each part
/// would write in proportion. Nothing where there are no two parts, or where the kernel's text does
/// not allow it (KernelWork::may_be_cut). `needs_zeros`: by use, whether what it writes has to
/// begin as zeros. Whether the parts do what the kernel does, PartTrials shows.
std::optional<KernelParts> cut_kernel(const KernelWork& whole, std::span<const double> weights,
                                      const std::vector<bool>& needs_zeros);

/// The same where each part may write anywhere.
KernelParts without_pieces(KernelParts parts);

}  // namespace kiln::graph
