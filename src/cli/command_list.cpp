// What tells the program kiln from kiln-mesh: its list of sub-commands, and that it builds no loops
// over meshes but becomes kiln-mesh. That program has other definitions of the same functions
// (mesh_program/command_list.cpp), so this file has to stay an object of its own, with nothing else
// in it: the linker then leaves it in the archive.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/os/launcher.hpp"
#include "cli/calls/recorded_calls.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/output/output.hpp"
#include "kernel/apart/helper.hpp"

namespace kiln::cli {
namespace {

// In the order of the help.
constinit const Command* const commands[] = {
    // Specification files and devices.
    &run_command, &verify_command, &devices_command, &check_command, &init_command,
    // Graphs of kernels.
    &graph_run_command, &graph_check_command, &graph_plan_command, &graph_explain_command,
    &graph_bench_command, &graph_convert_command,
    // clBLAS's kernel databases.
    &kdb_info_command, &kdb_summary_command, &kdb_dump_command, &kdb_verify_command,
    &kdb_diff_command, &kdb_merge_command, &kdb_build_command, &kdb_convert_command,
    &kdb_extract_command,
    // PoCL's program archives.
    &poclbin_info_command, &poclbin_ls_command, &poclbin_verify_command, &poclbin_diff_command,
    &poclbin_merge_command, &poclbin_extract_command, &poclbin_create_command,
    &poclbin_strip_command, &poclbin_convert_command, &poclbin_check_device_command,
    &poclbin_build_command, &poclbin_export_command, &poclbin_import_command,
    // The store.
    &store_info_command, &store_ls_command, &store_show_command, &store_explain_command,
    &store_verify_command, &store_gc_command, &store_rm_command, &store_clear_command,
    &store_export_command, &store_import_command, &store_verify_pack_command, &store_sign_command,
    &store_key_command, &store_push_command, &store_pull_command,
    // BLAS, searches, and the calls of applications.
    &blas_explain_command, &blas_bench_command, &tune_command, &record_command, &prebuild_command,
    &exec_command, &tuned_ls_command, &tuned_show_command, &tuned_report_command,
    &tuned_export_command, &tuned_import_command,
    // Meshes.
    &mesh_naca0012_command, &mesh_info_command, &mesh_convert_command, &mesh_check_command,
    &mesh_airfoil_command, &mesh_aero_command, &mesh_jac1_command, &mesh_jac2_command,
    &mesh_reduction_command,
    // The command itself.
    &config_command, &completion_command, &man_command};

namespace fs = std::filesystem;

fs::path find_program() {
  const char* named = std::getenv("KILN_MESH_PROGRAM");
  if (named != nullptr) return named;
  if (ranks_of_launcher() == 1) return find_helper("kiln-mesh");
  fs::path program = find_helper("kiln-mesh-mpi");
  if (program.empty())
    throw Error(Errc::unsupported,
                fmt::format("mesh: found {} ranks, but the program kiln-mesh-mpi is missing, "
                            "expected a Kiln that was built with MPI (Debian: kiln-mpi)",
                            ranks_of_launcher()));
  return program;
}

/// All options that were given, on the command line, in the environment or in the config file, as
/// words. The config file is not read again: it may name sub-commands that the other program does
/// not know.
std::vector<std::string> program_words_of(const Context& context) {
  std::vector<std::string> words;
  const std::string_view name = context.command().name;
  const auto blank = name.find(' ');
  words.emplace_back(name.substr(0, blank));
  if (blank != name.npos) words.emplace_back(name.substr(blank + 1));
  for (const Option* option : all_options(context.command()))
    if (context.is_given(option->name) && option->name != "config")
      for (std::string& word : context.words_of(*option)) words.push_back(std::move(word));
  words.emplace_back("--config=off");
  words.emplace_back("--");
  words.insert(words.end(), context.arguments().begin(), context.arguments().end());
  return words;
}

}  // namespace

std::span<const Command* const> command_list() { return commands; }

LoopBuilder loop_builder() { return {}; }

int run_mesh_program(Context& context) {
  const fs::path program = find_program();
  std::vector<std::string> words = program_words_of(context);
  std::string own_name = program.string();
  std::vector<char*> pointers{own_name.data()};
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  flush_output();
  join_results();
  speak();
  if (!program.empty()) ::execv(program.c_str(), pointers.data());
  throw Error(Errc::unsupported,
              program.empty()
                  ? "missing program kiln-mesh, expected it next to kiln or in libexec/kiln"
                  : fmt::format("cannot start {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace kiln::cli
