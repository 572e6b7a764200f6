// How the work-items of a group fold what they have reduced.
#include <fmt/format.h>

#include "mesh/code/component_loop.hpp"
#include "mesh/code/literals.hpp"
#include "mesh/code/signature.hpp"
#include "mesh/code/staged_text.hpp"

namespace kiln::mesh {

std::string group_arrays(const LoopShape& shape, const Parameters& parameters) {
  std::string text;
  for (const auto& r : reductions(shape))
    text += fmt::format("  __local {} kiln_fold{}[{}];\n", name_of(r.type), r.data,
                        parameters.get("GROUP", 1));
  return text;
}

// One component at a time, so that local memory is bounded by the group. Distances are powers of
// two whatever the group's size: who has no partner keeps its value.
std::string fold_tree(const LoopShape& shape, const Parameters& parameters) {
  const std::int64_t group = parameters.get("GROUP", 1);
  std::int64_t first = 1;
  while (first * 2 < group) first *= 2;
  std::string text = "  const int kiln_id = (int)get_local_id(0);\n";
  for (const auto& r : reductions(shape)) {
    const std::string array = fmt::format("kiln_fold{}", r.data);
    text += fmt::format(
        "  for (int kiln_k = 0; kiln_k < {0}; ++kiln_k) {{\n"
        "    {1}[kiln_id] = kiln_r{2}[kiln_k];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    for (int kiln_far = {3}; kiln_far > 0; kiln_far /= 2) {{\n"
        "      if (kiln_id < kiln_far && kiln_id + kiln_far < {4}) {1}[kiln_id] = {5};\n"
        "      barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    }}\n"
        "    kiln_r{2}[kiln_k] = {1}[0];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  }}\n",
        r.dim, array, r.data, first, group,
        combined(r.type, r.access, array + "[kiln_id]", array + "[kiln_id + kiln_far]"));
  }
  return text;
}

std::string fold_group_text(const LoopShape& shape, const Parameters& parameters) {
  if (reductions(shape).empty()) return {};
  std::string text = fold_tree(shape, parameters) + "  if (kiln_id == 0) {\n";
  for (const auto& r : reductions(shape))
    text += fmt::format(
        "    {2} kiln_partials{1}[(size_t)"
        "(kiln_first_partial + (int)get_group_id(0)) * {0} + kiln_k] = kiln_r{1}[kiln_k];\n",
        r.dim, r.data, over_components(r.dim));
  return text + "  }\n";
}

}  // namespace kiln::mesh
