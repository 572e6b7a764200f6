#pragma once

#include "cli/command/command.hpp"

/// `kiln mesh …`: mesh files and the applications that run on meshes. The definitions are in this
/// folder; the bodies are in a program of their own, kiln-mesh (src/cli/mesh_program), since they
/// need libraries that would cost every start of `kiln`. To add a verb: its definition here, its
/// body there, and a line in cli/command_list.cpp and in cli/mesh_program/command_list.cpp.
namespace kiln::cli {

class Context;

extern const Command mesh_naca0012_command, mesh_info_command, mesh_convert_command,
    mesh_check_command, mesh_airfoil_command, mesh_aero_command, mesh_jac1_command,
    mesh_jac2_command, mesh_reduction_command;

/// What `kiln` does for each of them: becomes kiln-mesh with the same words. Comes back only by an
/// Error (unsupported), where that program is absent. Other commands that kiln-mesh has, too, may
/// do the same where they need it.
int run_mesh_program(Context& context);

// The bodies, which kiln-mesh alone has.
int mesh_naca0012(Context& context);
int mesh_info(Context& context);
int mesh_convert(Context& context);
int mesh_check(Context& context);
int mesh_airfoil(Context& context);
int mesh_aero(Context& context);
int mesh_jac1(Context& context);
int mesh_jac2(Context& context);
int mesh_reduction(Context& context);

}  // namespace kiln::cli
