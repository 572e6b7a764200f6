#include "kernel/facts/builtins.hpp"

#include <algorithm>
#include <string>

#include "base/data/text.hpp"

namespace kiln::facts {
namespace {

template <std::size_t N>
bool among(std::string_view name, const std::string_view (&names)[N]) {
  return std::ranges::find(names, name) != std::end(names);
}
bool has(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

/// Names of group, range and offset queries that vendors spell in their own ways.
bool looks_like_an_id(std::string_view written) {
  const std::string name = lower(written);
  if (name == "get_local_linear_id" || has(name, "sub_group") || has(name, "subgroup"))
    return false;
  for (const std::string_view part :
       {"group_id",     "groupid",      "num_groups",    "numgroups",    "num_work",
        "global_size",  "globalsize",   "global_offset", "globaloffset", "linear_id",
        "linearid",     "linear_group", "group_linear",  "ctaid",        "tgid",
        "dispatch_ptr", "implicitarg",  "grid_size",     "gridsize",     "block_id",
        "blockidx"})
    if (has(name, part)) return true;
  return false;
}

/// Reserved names whose meaning is known, and has nothing to do with groups.
bool is_known_reserved(std::string_view name) {
  static constexpr std::string_view built_in = "__builtin_";
  static constexpr std::string_view built_ins[] = {
      "astype",    "expect",        "assume",        "unreachable", "offsetof",
      "clz",       "ctz",           "isnan",         "isinf",       "inf",
      "inff",      "nan",           "nanf",          "popcount",    "huge_val",
      "huge_valf", "shufflevector", "convertvector", "choose_expr", "constant_p"};
  static constexpr std::string_view others[] = {
      "__attribute__", "__attribute", "_Pragma",  "_Static_assert", "_Alignof",     "__alignof__",
      "__alignof",     "__typeof__",  "__typeof", "__has_builtin",  "__has_feature"};
  return name.starts_with(built_in) ? among(name.substr(built_in.size()), built_ins)
                                    : among(name, others);
}

}  // namespace

Rule rule_of(std::string_view name) {
  static constexpr std::string_view per_dimension[] = {"get_group_id", "get_num_groups",
                                                       "get_global_size", "get_global_offset"};
  static constexpr std::string_view linear[] = {"get_global_linear_id", "get_group_linear_id",
                                                "get_linear_group_id", "get_num_groups_linear"};
  static constexpr std::string_view fences[] = {"atomic_work_item_fence"};
  static constexpr std::string_view atomic_types[] = {
      "atomic_int",    "atomic_uint",   "atomic_long",     "atomic_ulong",
      "atomic_float",  "atomic_double", "atomic_intptr_t", "atomic_uintptr_t",
      "atomic_size_t", "atomic_flag",   "atomic_half",     "atomic_ptrdiff_t"};
  if (among(name, per_dimension)) return Rule::per_dimension;
  if (among(name, linear)) return Rule::linear;
  if (among(name, fences)) return Rule::none;
  if (among(name, atomic_types)) return Rule::atomic_type;
  if (name.starts_with("atomic_") || name.starts_with("atom_") || name.starts_with("__atomic") ||
      name.starts_with("__sync") || name.starts_with("__opencl_atomic") ||
      name.starts_with("__c11_atomic") || name.starts_with("atomicAdd") || has(name, "_atomic_"))
    return Rule::atomic;
  if (has(name, "_pipe") || name.starts_with("pipe_")) return Rule::pipe;
  if (name.starts_with("enqueue_") || name.starts_with("ndrange_") || name == "get_default_queue" ||
      name.starts_with("get_kernel_"))
    return Rule::enqueue;
  if (name.starts_with("write_image")) return Rule::image_write;
  if (name == "printf" || name == "__builtin_printf") return Rule::print;
  if (looks_like_an_id(name)) return Rule::unknown_id;
  if (name.starts_with("_") && !is_known_reserved(name)) return Rule::reserved;
  return Rule::none;
}

MemoryUse memory_use_of(std::string_view name) {
  if (name.starts_with("vload")) return MemoryUse::vector_load;
  if (name.starts_with("vstore")) return MemoryUse::vector_store;
  if (name.starts_with("async_work_group")) return MemoryUse::group_copy;
  if (rule_of(name) == Rule::atomic) return MemoryUse::atomic;
  if (name.starts_with("read_image")) return MemoryUse::image_read;
  if (name == "get_global_id") return MemoryUse::global_id;
  static constexpr std::string_view last[] = {"fract", "modf",   "sincos",
                                              "frexp", "remquo", "lgamma_r"};
  if (among(name, last)) return MemoryUse::write_last;
  static constexpr std::string_view through[] = {"to_global", "to_local", "to_private"};
  if (among(name, through)) return MemoryUse::pass_through;
  static constexpr std::string_view none[] = {"prefetch", "get_fence",        "wait_group_events",
                                              "printf",   "__builtin_expect", "__builtin_assume"};
  return among(name, none) ? MemoryUse::none : MemoryUse::unknown;
}

}  // namespace kiln::facts
