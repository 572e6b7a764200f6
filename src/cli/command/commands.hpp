#pragma once

#include "cli/command/command.hpp"

/// The sub-commands, each defined next to its body; command_list() has them in order.
namespace kiln::cli {

// Specification files and devices (run).
extern const Command run_command, verify_command, devices_command, check_command, init_command;

// clBLAS's kernel databases (kdb).
extern const Command kdb_info_command, kdb_summary_command, kdb_dump_command, kdb_verify_command,
    kdb_diff_command, kdb_merge_command, kdb_build_command, kdb_convert_command,
    kdb_extract_command;

// PoCL's program archives (poclbin).
extern const Command poclbin_info_command, poclbin_ls_command, poclbin_verify_command,
    poclbin_diff_command, poclbin_merge_command, poclbin_extract_command, poclbin_create_command,
    poclbin_strip_command, poclbin_convert_command, poclbin_check_device_command,
    poclbin_build_command, poclbin_export_command, poclbin_import_command;

// Graphs of kernels (graph).
extern const Command graph_run_command, graph_check_command, graph_plan_command,
    graph_explain_command, graph_bench_command, graph_convert_command;

// What is kept, its upkeep, and its way to other machines (store).
extern const Command store_info_command, store_ls_command, store_show_command,
    store_explain_command, store_verify_command, store_gc_command, store_rm_command,
    store_clear_command, store_export_command, store_import_command, store_verify_pack_command,
    store_sign_command, store_key_command, store_push_command, store_pull_command;

// What a call of BLAS comes to, and how fast it is (blas).
extern const Command blas_explain_command, blas_bench_command;

// The search for the fastest parameters of a kernel (tune), and what it has found (tuned).
extern const Command tune_command, tuned_ls_command, tuned_show_command, tuned_report_command,
    tuned_export_command, tuned_import_command;

// The calls that an application makes (calls), and applications that know nothing of Kiln (exec).
extern const Command record_command, prebuild_command, exec_command;

// Mesh files and the applications that run on meshes (mesh). kiln-mesh has their bodies, since they
// need libraries that would cost every start of `kiln`.
extern const Command mesh_naca0012_command, mesh_info_command, mesh_convert_command,
    mesh_check_command, mesh_airfoil_command, mesh_aero_command, mesh_jac1_command,
    mesh_jac2_command, mesh_reduction_command;

/// Their body. In kiln the process becomes kiln-mesh with the same arguments. Throws Error
/// (unsupported) where that program is absent. kiln-mesh has its own definition, which runs the
/// command.
int run_mesh_program(Context& context);

// What the definitions come to (command).
extern const Command config_command, completion_command, man_command;

}  // namespace kiln::cli
