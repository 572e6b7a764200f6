// Text of reductions: what a work-item starts from and keeps, and how groups fold it.
#include "mesh/codegen/reduction_text.hpp"

#include <utility>

#include "mesh/codegen/helper_text.hpp"

namespace kiln::mesh {
namespace {

// The least and the greatest value of each type, as expressions: -2147483648 alone is the negation
// of something larger.
constexpr std::pair<const char*, const char*> ends_of_types[] = {
    {"(-127 - 1)", "127"},
    {"0", "255"},
    {"(-32767 - 1)", "32767"},
    {"0", "65535"},
    {"(-2147483647 - 1)", "2147483647"},
    {"0u", "4294967295u"},
    {"(-9223372036854775807L - 1L)", "9223372036854775807L"},
    {"0ul", "18446744073709551615ul"},
    {"(-INFINITY)", "INFINITY"},
    {"(-(double)INFINITY)", "((double)INFINITY)"}};

/// What a reduction starts from: 0 of INC; of MIN the greatest value of the type, or infinity; of
/// MAX the least one, or minus infinity.
std::string identity_of(const ArgShape& r) {
  const auto& [least, greatest] = ends_of_types[static_cast<std::size_t>(r.type)];
  return r.access == Access::min ? greatest : r.access == Access::max ? least : "0";
}

/// An expression that combines `a` and `b` (names, without side effects) as a reduction does. MIN
/// and MAX of floating type keep a NaN of either, so that it shows in the result.
std::string combination(const ArgShape& r, const std::string& a, const std::string& b) {
  if (r.access != Access::min && r.access != Access::max)
    return fmt::format("({})({} + {})", name_of(r.type), a, b);
  const char* before = r.access == Access::min ? "<" : ">";
  if (!is_floating(r.type)) return fmt::format("({1} {2} {0} ? {1} : {0})", a, b, before);
  return fmt::format("({0} != {0} ? {0} : {1} {2} {0} || {1} != {1} ? {1} : {0})", a, b, before);
}

}  // namespace

std::string type_text(ScalarType type, int lanes) {
  return lanes == 1 ? std::string(name_of(type)) : fmt::format("{}{}", name_of(type), lanes);
}
std::string accumulator_name(int global, int lanes) {
  return fmt::format("kiln_{}{}", lanes == 1 ? "r" : "v", global);
}
std::string global_name(int global, int lanes) {
  return fmt::format("kiln_{}{}", lanes == 1 ? "g" : "w", global);
}

namespace {

bool is_extreme(const ArgShape& reduction) {
  return reduction.access == Access::min || reduction.access == Access::max;
}

std::string extreme_name(int global, int lanes) {
  return fmt::format("kiln_{}{}", lanes == 1 ? "b" : "bv", global);
}

void declare_array(KernelWriter& out, const ArgShape& a, int lanes, const std::string& name,
                   const std::string& value) {
  out.line("{} {}[{}];", type_text(a.type, lanes), name, a.dim);
  out.line("{} {}[kiln_k] = {};", over_components(a.dim), name, value);
}

/// One component at a time, so that local memory is bounded by the group. Distances are powers of
/// two whatever the group's size: a work-item without a partner keeps its value.
void write_fold_tree(KernelWriter& out, const LoopShape& shape, std::int64_t group) {
  std::int64_t first = 1;
  while (first * 2 < group) first *= 2;
  out.line("const int kiln_id = (int)get_local_id(0);");
  for (const auto& r : reductions(shape)) {
    const std::string array = fmt::format("kiln_fold{}", r.data), mine = array + "[kiln_id]";
    out.open("for (int kiln_k = 0; kiln_k < {}; ++kiln_k)", r.dim);
    out.line("{} = kiln_r{}[kiln_k];", mine, r.data);
    out.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out.open("for (int kiln_far = {}; kiln_far > 0; kiln_far /= 2)", first);
    out.line("if (kiln_id < kiln_far && kiln_id + kiln_far < {}) {} = {};", group, mine,
             combination(r, mine, array + "[kiln_id + kiln_far]"));
    out.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out.close();
    out.line("kiln_r{}[kiln_k] = {}[0];", r.data, array);
    out.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out.close();
  }
}

}  // namespace

void write_preparation(KernelWriter& out, const LoopShape& shape, int lanes) {
  for (const auto& global : read_globals(shape))
    declare_array(out, global, lanes, global_name(global.data, lanes),
                  fmt::format("kiln_global{}[kiln_k]", global.data));
  for (const auto& r : reductions(shape)) {
    declare_array(out, r, lanes, accumulator_name(r.data, lanes), identity_of(r));
    if (is_extreme(r)) declare_array(out, r, lanes, extreme_name(r.data, lanes), identity_of(r));
  }
}

void keep_extremes(KernelWriter& out, const LoopShape& shape, int lanes) {
  for (const auto& r : reductions(shape)) {
    if (!is_extreme(r)) continue;
    const std::string kept = extreme_name(r.data, lanes) + "[kiln_k]";
    out.line("{} {} = {};", over_components(r.dim), kept,
             combination(r, kept, accumulator_name(r.data, lanes) + "[kiln_k]"));
  }
}

void fold_lanes(KernelWriter& out, const LoopShape& shape, int lanes) {
  for (const auto& r : reductions(shape))
    for (int lane = 0; lane < lanes; ++lane) {
      const auto name = is_extreme(r) ? extreme_name : accumulator_name;
      const std::string into = name(r.data, 1) + "[kiln_k]";
      const std::string from = fmt::format("{}[kiln_k].s{:x}", name(r.data, lanes), lane);
      out.line("{} {} = {};", over_components(r.dim), into, combination(r, into, from));
    }
}

void write_group_arrays(KernelWriter& out, const LoopShape& shape, const Parameters& parameters) {
  for (const auto& r : reductions(shape))
    out.line("__local {} kiln_fold{}[{}];", name_of(r.type), r.data, parameters.get("GROUP", 1));
}

void leave_partials(KernelWriter& out, const LoopShape& shape, const Parameters& parameters) {
  const auto reduced = reductions(shape);
  if (reduced.empty()) return;
  for (const auto& r : reduced)
    if (is_extreme(r))
      out.line("{} {}[kiln_k] = {}[kiln_k];", over_components(r.dim), accumulator_name(r.data, 1),
               extreme_name(r.data, 1));
  const bool is_group = form_of(parameters) != Form::blocks;
  if (is_group) {
    write_fold_tree(out, shape, parameters.get("GROUP", 1));
    out.open("if (kiln_id == 0)");
  }
  for (const auto& r : reduced)
    out.line(
        "{2} kiln_partials{1}[(size_t)(kiln_first_partial + (int)get_group_id(0)) * {0} + kiln_k] "
        "= kiln_r{1}[kiln_k];",
        r.dim, r.data, over_components(r.dim));
  if (is_group) out.close();
}

void write_fold_kernel(KernelWriter& out, const LoopShape& shape, const Parameters& parameters) {
  const auto reduced = reductions(shape);
  if (reduced.empty()) return;
  const std::size_t group = fold_group(parameters);
  out.lines(fold_signature(shape, parameters) + "\n");
  out.open();
  if (group > 1) write_group_arrays(out, shape, parameters);
  for (const auto& r : reduced) {
    const std::string into = fmt::format("kiln_r{}[kiln_k]", r.data);
    declare_array(out, r, 1, accumulator_name(r.data, 1), identity_of(r));
    out.line("for (int kiln_i = (int)get_local_id(0); kiln_i < kiln_count; kiln_i += {})", group);
    out.open("  for (int kiln_k = 0; kiln_k < {}; ++kiln_k)", r.dim);
    out.line("  const {} kiln_x = kiln_partials{}[(size_t)kiln_i * {} + kiln_k];", name_of(r.type),
             r.data, r.dim);
    out.line("  {} = {};", into, combination(r, into, "kiln_x"));
    out.close("  }");
  }
  if (group > 1) write_fold_tree(out, shape, static_cast<std::int64_t>(group));
  out.open("if (get_local_id(0) == 0)");
  for (const auto& r : reduced) {
    const std::string total = fmt::format("kiln_result{}[kiln_k]", r.data);
    out.line("for (int kiln_k = 0; kiln_k < {}; ++kiln_k) {} = {};", r.dim, total,
             combination(r, total, fmt::format("kiln_r{}[kiln_k]", r.data)));
  }
  out.close();
  out.close();
}

}  // namespace kiln::mesh
