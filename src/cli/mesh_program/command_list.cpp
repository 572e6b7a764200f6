// What kiln-mesh has in place of kiln's: the list of sub-commands (cli/command_list.cpp) and the
// programs of loops (cli/calls/recorded_calls.cpp). The linker leaves kiln's in the archive, since
// these are there already.
#include "cli/calls/recorded_calls.hpp"
#include "cli/mesh/commands.hpp"
#include "mesh/loop/recorded_loop.hpp"
#include "mesh/matrix/matrix_generator.hpp"
#include "mesh/matrix/matrix_session.hpp"

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
    // kiln becomes kiln-mesh for this one where a record has loops.
    {&prebuild_command, prebuild},
};

}  // namespace

std::span<const Entry> command_list() { return entries; }

LoopBuilder loop_builder() {
  return {.add_generators = mesh::add_generators,
          .build = [](const RecordedCall& call, Resolver& resolver, const DevicePtr& device) {
            return call.kind == "matrix"
                       ? mesh::build_recorded(value_or_throw(mesh::recorded_matrix_of(call)),
                                              resolver, device)
                       : mesh::build_recorded(value_or_throw(mesh::recorded_loop_of(call)),
                                              resolver, device);
          }};
}

}  // namespace kiln::cli
