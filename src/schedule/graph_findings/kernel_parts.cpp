#include "schedule/graph_findings/kernel_parts.hpp"

#include <algorithm>

namespace kiln::graph {

std::optional<KernelParts> cut_kernel(const KernelWork& whole, std::span<const double> weights,
                                      const std::vector<bool>& needs_zeros) {
  if (!whole.may_be_cut()) return std::nullopt;
  const std::size_t groups = groups_of(whole.job().range);
  KernelParts made;
  made.cuts = cut(groups, weights);
  std::erase_if(made.cuts, [](const Part& part) { return part.empty(); });
  if (made.cuts.size() < 2) return std::nullopt;
  made.are_in_pieces = true;
  for (const Part& part : made.cuts) {
    std::vector<Work::Writes> writes;
    WorkGraph::Part piece;
    for (std::size_t use = 0; use < whole.uses().size(); ++use) {
      writes.push_back(needs_zeros[use] ? Work::Writes::unknown : Work::Writes::whole);
      piece.writes.emplace_back();
      if (whole.uses()[use].access == Access::in) continue;
      const auto& argument = whole.job().arguments[whole.memory_positions()[use]];
      const auto slice = slice_of(std::get<BufferArgument>(argument), part, groups);
      if (slice && slice->size() > 0)
        piece.writes.back() = *slice;
      else
        made.are_in_pieces = false;
    }
    piece.work = std::make_shared<KernelWork>(whole, part, std::move(writes));
    made.parts.push_back(std::move(piece));
  }
  return made.are_in_pieces ? made : without_pieces(std::move(made));
}

KernelParts without_pieces(KernelParts parts) {
  parts.are_in_pieces = false;
  for (auto& part : parts.parts) std::ranges::fill(part.writes, ByteRange());
  return parts;
}

}  // namespace kiln::graph
