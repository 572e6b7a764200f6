#include "kernel/facts/builtins.hpp"

#include <gtest/gtest.h>

namespace kiln::facts {
namespace {

TEST(SafetyBuiltins, harmless_functions_have_no_rule) {
  for (const char* name : {"get_global_id",
                           "get_local_id",
                           "get_local_size",
                           "get_enqueued_local_size",
                           "get_work_dim",
                           "get_local_linear_id",
                           "get_sub_group_id",
                           "get_sub_group_size",
                           "get_sub_group_local_id",
                           "get_num_sub_groups",
                           "get_max_sub_group_size",
                           "get_enqueued_num_sub_groups",
                           "sub_group_reduce_add",
                           "intel_sub_group_shuffle",
                           "barrier",
                           "work_group_barrier",
                           "mem_fence",
                           "atomic_work_item_fence",
                           "sqrt",
                           "native_sin",
                           "mad24",
                           "convert_float4_sat",
                           "as_uint",
                           "vload4",
                           "vstore_half",
                           "async_work_group_copy",
                           "wait_group_events",
                           "work_group_scan_inclusive_add",
                           "read_imagef",
                           "get_image_width",
                           "__builtin_astype",
                           "__attribute__",
                           "groups",
                           "globalize",
                           "x",
                           ""})
    EXPECT_EQ(rule_of(name), Rule::none) << name;
}

TEST(SafetyBuiltins, what_differs_in_a_part_has_a_rule) {
  const std::pair<Rule, std::vector<const char*>> cases[] = {
      {Rule::per_dimension,
       {"get_group_id", "get_num_groups", "get_global_size", "get_global_offset"}},
      {Rule::linear, {"get_global_linear_id", "get_group_linear_id"}},
      {Rule::atomic,
       {"atomic_add", "atomic_inc", "atomic_fetch_add_explicit", "atomic_store", "atomic_load",
        "atom_cmpxchg", "atomic_flag_test_and_set", "atomic_init", "__sync_fetch_and_add",
        "__opencl_atomic_load", "__atomic_add_fetch", "atomicAdd", "amd_atomic_x"}},
      {Rule::atomic_type, {"atomic_int", "atomic_ulong", "atomic_flag", "atomic_float"}},
      {Rule::pipe, {"read_pipe", "write_pipe", "reserve_read_pipe", "get_pipe_num_packets"}},
      {Rule::enqueue,
       {"enqueue_kernel", "enqueue_marker", "ndrange_2D", "get_default_queue",
        "get_kernel_work_group_size"}},
      {Rule::image_write, {"write_imagef", "write_imageui"}},
      {Rule::print, {"printf", "__builtin_printf"}},
      {Rule::unknown_id,
       {"_Z12get_group_idj", "__spirv_BuiltInWorkgroupId_group_id", "amd_get_num_groups",
        "__builtin_amdgcn_workgroup_id_x", "__builtin_r600_read_tgid_x",
        "__nvvm_read_ptx_sreg_nctaid_x", "__builtin_amdgcn_dispatch_ptr", "GetGlobalSize",
        "_cl_get_global_offset", "blockIdx"}},
      {Rule::reserved, {"__builtin_unknown", "_strange", "__read_hardware_register"}},
  };
  for (const auto& [rule, names] : cases)
    for (const char* name : names) EXPECT_EQ(rule_of(name), rule) << name;
}

TEST(SafetyBuiltins, functions_that_touch_memory_are_known) {
  const std::pair<MemoryUse, std::vector<const char*>> cases[] = {
      {MemoryUse::vector_load, {"vload2", "vload16", "vload_half", "vloada_half4"}},
      {MemoryUse::vector_store, {"vstore3", "vstore_half_rte", "vstorea_half8_rtz"}},
      {MemoryUse::group_copy, {"async_work_group_copy", "async_work_group_strided_copy"}},
      {MemoryUse::write_last, {"fract", "modf", "sincos", "frexp", "remquo", "lgamma_r"}},
      {MemoryUse::pass_through, {"to_global", "to_local", "to_private"}},
      {MemoryUse::atomic, {"atomic_add", "atom_inc"}},
      {MemoryUse::image_read, {"read_imagef", "read_imageui"}},
      {MemoryUse::global_id, {"get_global_id"}},
      {MemoryUse::none, {"prefetch", "wait_group_events", "printf"}},
      {MemoryUse::unknown, {"sqrt", "my_function", "get_local_id"}},
  };
  for (const auto& [use, names] : cases)
    for (const char* name : names) EXPECT_EQ(memory_use_of(name), use) << name;
}

}  // namespace
}  // namespace kiln::facts
