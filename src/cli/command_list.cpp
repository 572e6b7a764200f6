// What tells the program kiln from kiln-mesh: its list of sub-commands, and that it builds no loops
// over meshes. kiln-mesh has other definitions of the same functions (mesh/program), so this file
// has to stay an object of its own, with nothing else in it: the linker then leaves it in the
// archive.
#include "cli/blas/call_options.hpp"
#include "cli/calls/recorded_calls.hpp"
#include "cli/command/command.hpp"
#include "cli/command/help.hpp"
#include "cli/kdb/commands.hpp"
#include "cli/mesh/commands.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/run/options.hpp"
#include "cli/store/commands.hpp"
#include "cli/tune/commands.hpp"
#include "cli/tuned/commands.hpp"

namespace kiln::cli {
namespace {

// One line for each sub-command, in the order of the help.
constinit const Entry entries[] = {
    {&run_command, run_specs},
    {&verify_command, verify_specs},
    {&devices_command, list_devices},
    {&check_command, check_specs},
    {&init_command, init_spec_file},
    {&kdb_info_command, kdb_info},
    {&kdb_summary_command, kdb_summary},
    {&kdb_dump_command, kdb_dump},
    {&kdb_verify_command, kdb_verify},
    {&kdb_diff_command, kdb_diff},
    {&kdb_merge_command, kdb_merge},
    {&kdb_build_command, kdb_build},
    {&kdb_convert_command, kdb_convert},
    {&kdb_extract_command, kdb_extract},
    {&poclbin_info_command, poclbin_info},
    {&poclbin_ls_command, poclbin_ls},
    {&poclbin_verify_command, poclbin_verify},
    {&poclbin_diff_command, poclbin_diff},
    {&poclbin_merge_command, poclbin_merge},
    {&poclbin_extract_command, poclbin_extract},
    {&poclbin_create_command, poclbin_create},
    {&poclbin_strip_command, poclbin_strip},
    {&poclbin_convert_command, poclbin_convert},
    {&poclbin_check_device_command, poclbin_check_device},
    {&poclbin_build_command, poclbin_build},
    {&poclbin_export_command, poclbin_export},
    {&poclbin_import_command, poclbin_import},
    {&store_info_command, store_info},
    {&store_ls_command, store_ls},
    {&store_show_command, store_show},
    {&store_explain_command, store_explain},
    {&store_verify_command, store_verify},
    {&store_gc_command, store_gc},
    {&store_rm_command, store_rm},
    {&store_clear_command, store_clear},
    {&store_export_command, store_export},
    {&store_import_command, store_import},
    {&store_verify_pack_command, store_verify_pack},
    {&store_sign_command, store_sign},
    {&store_key_command, store_key},
    {&store_push_command, store_push},
    {&store_pull_command, store_pull},
    {&blas_explain_command, blas_explain},
    {&blas_bench_command, blas_bench},
    {&tune_command, tune},
    {&record_command, record},
    {&prebuild_command, prebuild},
    {&tuned_ls_command, tuned_ls},
    {&tuned_show_command, tuned_show},
    {&tuned_report_command, tuned_report},
    {&tuned_export_command, tuned_export},
    {&tuned_import_command, tuned_import},
    // Their bodies are in a program of their own, kiln-mesh.
    {&mesh_naca0012_command, run_mesh_program},
    {&mesh_info_command, run_mesh_program},
    {&mesh_convert_command, run_mesh_program},
    {&mesh_check_command, run_mesh_program},
    {&mesh_airfoil_command, run_mesh_program},
    {&mesh_aero_command, run_mesh_program},
    {&mesh_jac1_command, run_mesh_program},
    {&mesh_jac2_command, run_mesh_program},
    {&mesh_reduction_command, run_mesh_program},
    {&config_command, show_config},
    {&completion_command, print_completion},
    {&man_command, write_man_pages, Entry::Shown::no},
};

}  // namespace

std::span<const Entry> command_list() { return entries; }

// What kiln-mesh builds itself, and kiln leaves to it (calls/recorded_calls.hpp).

LoopBuilder loop_builder() { return {}; }

}  // namespace kiln::cli
