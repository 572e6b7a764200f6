#include "cli/mesh/program/verbs.hpp"

#include "cli/calls/commands.hpp"
#include "cli/mesh/commands.hpp"

namespace kiln::cli {
namespace {

constinit const Entry entries[] = {
    {&mesh_naca0012_command, mesh_naca0012},
    {&mesh_info_command, mesh_info},
    {&mesh_convert_command, mesh_convert},
    {&mesh_check_command, mesh_check},
    {&mesh_airfoil_command, mesh_airfoil},
    {&mesh_aero_command, mesh_aero},
    {&mesh_jac1_command, mesh_jac1},
    {&mesh_jac2_command, mesh_jac2},
    {&mesh_reduction_command, mesh_reduction},
    // What kiln hands over where a record has loops.
    {&prebuild_command, prebuild},
};

}  // namespace

// In place of kiln's list, which the linker leaves in the archive since this one is there already.
std::span<const Entry> command_list() { return entries; }

}  // namespace kiln::cli
