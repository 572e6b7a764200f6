// What kiln-mesh has in place of kiln's: the list of sub-commands, their bodies and the programs of
// loops (cli/command_list.cpp). The linker leaves kiln's in the archive, since these are there
// already.
#include <map>
#include <set>

#include "cli/calls/recorded_calls.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/mesh_program/program.hpp"
#include "cli/mesh_program/ranks.hpp"
#include "mesh/loop/recorded_loop.hpp"
#include "mesh/matrix/matrix_generator.hpp"
#include "mesh/matrix/matrix_session.hpp"

namespace kiln::cli {
namespace {

constinit const Command* const commands[] = {
    &mesh_naca0012_command, &mesh_info_command, &mesh_convert_command, &mesh_check_command,
    &mesh_airfoil_command, &mesh_aero_command, &mesh_jac1_command, &mesh_jac2_command,
    &mesh_reduction_command,
    // kiln becomes kiln-mesh for this one where a record has loops.
    &prebuild_command};

}  // namespace

std::span<const Command* const> command_list() { return commands; }

int run_mesh_program(Context& context) {
  static const std::map<const Command*, int (*)(Context&)> bodies{
      {&mesh_naca0012_command, mesh_naca0012},  {&mesh_info_command, mesh_info},
      {&mesh_convert_command, mesh_convert},    {&mesh_check_command, mesh_check},
      {&mesh_airfoil_command, mesh_airfoil},    {&mesh_aero_command, mesh_aero},
      {&mesh_jac1_command, mesh_jac1},          {&mesh_jac2_command, mesh_jac2},
      {&mesh_reduction_command, mesh_reduction}};
  const auto body = bodies.at(&context.command());
  if (ranks() == nullptr) return body(context);
  static const std::set<const Command*> distributed{&mesh_airfoil_command, &mesh_aero_command,
                                                    &mesh_reduction_command};
  // All others work on one rank, and the rest waits for its end.
  const bool works = ranks()->rank() == 0 || distributed.contains(&context.command());
  return ranks()->run([&] { return works ? body(context) : 0; });
}

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
