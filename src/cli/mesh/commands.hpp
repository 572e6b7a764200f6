#pragma once

#include "cli/command.hpp"

/// `kiln mesh …`: mesh files. The definitions are here, as everywhere; the bodies are in a program
/// of their own, kiln-mesh (program/verbs.cpp), since they need libraries that would cost every
/// start of `kiln`. To add a verb: a file here with its definition, a file in program/ with its
/// body, and a line in command_list.cpp and in program/verbs.cpp.
namespace kiln::cli {

class Context;

extern const Command mesh_naca0012_command, mesh_info_command, mesh_convert_command,
    mesh_check_command, mesh_airfoil_command, mesh_aero_command, mesh_jac1_command,
    mesh_jac2_command, mesh_reduction_command;

/// The body of each of them in `kiln`: becomes kiln-mesh with the same words. Comes back only by an
/// Error (unsupported), where that program is absent. Other commands that kiln-mesh has, too, may
/// do the same where they need it.
int run_mesh_program(Context& context);

}  // namespace kiln::cli
