// Text of reductions: what a work-item starts from and keeps, and how groups fold it.
#include "mesh/codegen/reduction_text.hpp"

#include <fmt/format.h>

#include "mesh/codegen/helper_text.hpp"

namespace kiln::mesh {
namespace {

// The least integers as expressions: -2147483648 alone is the negation of something larger.
constexpr const char* least_values[] = {"(-127 - 1)",
                                        "0",
                                        "(-32767 - 1)",
                                        "0",
                                        "(-2147483647 - 1)",
                                        "0u",
                                        "(-9223372036854775807L - 1L)",
                                        "0ul",
                                        "(-INFINITY)",
                                        "(-(double)INFINITY)"};
constexpr const char* greatest_values[] = {"127",
                                           "255",
                                           "32767",
                                           "65535",
                                           "2147483647",
                                           "4294967295u",
                                           "9223372036854775807L",
                                           "18446744073709551615ul",
                                           "INFINITY",
                                           "((double)INFINITY)"};

}  // namespace

std::string identity(ScalarType type, Access access) {
  const auto at = static_cast<std::size_t>(type);
  if (access == Access::min) return greatest_values[at];
  if (access == Access::max) return least_values[at];
  return "0";
}

std::string combined(ScalarType type, Access access, const std::string& a, const std::string& b) {
  if (access != Access::min && access != Access::max)
    return fmt::format("({})({} + {})", name_of(type), a, b);
  const char* before = access == Access::min ? "<" : ">";
  if (!is_floating(type)) return fmt::format("({1} {2} {0} ? {1} : {0})", a, b, before);
  return fmt::format("({0} != {0} ? {0} : {1} {2} {0} || {1} != {1} ? {1} : {0})", a, b, before);
}

namespace {

std::string identities(const std::string& type, const std::string& name, const ArgShape& r) {
  return fmt::format("  {0} {1}[{2}];\n  {4} {1}[kiln_k] = {3};\n", type, name, r.dim,
                     identity(r.type, r.access), over_components(r.dim));
}

}  // namespace

std::string type_text(ScalarType type, int lanes) {
  return lanes == 1 ? std::string(name_of(type)) : fmt::format("{}{}", name_of(type), lanes);
}

std::string accumulator_name(int global, int lanes) {
  return fmt::format("kiln_{}{}", lanes == 1 ? "r" : "v", global);
}

std::string extreme_name(int global, int lanes) {
  return fmt::format("kiln_{}{}", lanes == 1 ? "b" : "bv", global);
}

std::string global_name(int global, int lanes) {
  return fmt::format("kiln_{}{}", lanes == 1 ? "g" : "w", global);
}

std::string accumulator(const ArgShape& reduction, int lanes) {
  const std::string type = type_text(reduction.type, lanes);
  std::string text = identities(type, accumulator_name(reduction.data, lanes), reduction);
  if (is_extreme(reduction))
    text += identities(type, extreme_name(reduction.data, lanes), reduction);
  return text;
}

std::string one_accumulator(const ArgShape& reduction) {
  return identities(type_text(reduction.type, 1), accumulator_name(reduction.data, 1), reduction);
}

bool is_extreme(const ArgShape& reduction) {
  return reduction.access == Access::min || reduction.access == Access::max;
}

std::string keep_extremes(const LoopShape& shape, int lanes) {
  std::string text;
  for (const auto& r : reductions(shape)) {
    if (!is_extreme(r)) continue;
    const std::string kept = extreme_name(r.data, lanes) + "[kiln_k]";
    text +=
        fmt::format("    {} {} = {};\n", over_components(r.dim), kept,
                    combined(r.type, r.access, kept, accumulator_name(r.data, lanes) + "[kiln_k]"));
  }
  return text;
}

std::string settle_extremes(const LoopShape& shape) {
  std::string text;
  for (const auto& r : reductions(shape))
    if (is_extreme(r))
      text += fmt::format("  {} {}[kiln_k] = {}[kiln_k];\n", over_components(r.dim),
                          accumulator_name(r.data, 1), extreme_name(r.data, 1));
  return text;
}

std::string global_copy(const ArgShape& global, int lanes) {
  return fmt::format("  {} {}[{}];\n  {} {}[kiln_k] = kiln_global{}[kiln_k];\n",
                     type_text(global.type, lanes), global_name(global.data, lanes), global.dim,
                     over_components(global.dim), global_name(global.data, lanes), global.data);
}

// How the work-items of a group fold what they have reduced.

std::string group_arrays(const LoopShape& shape, const Parameters& parameters) {
  std::string text;
  for (const auto& r : reductions(shape))
    text += fmt::format("  __local {} kiln_fold{}[{}];\n", name_of(r.type), r.data,
                        parameters.get("GROUP", 1));
  return text;
}

// One component at a time, so that local memory is bounded by the group. Distances are powers of
// two whatever the group's size: a work-item without a partner keeps its value.
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
