#pragma once

#include <functional>
#include <string>

#include "cli/command/context.hpp"
#include "mesh/io/mesh_io.hpp"

/// kiln-mesh, the program that `kiln mesh …` becomes: the bodies of its sub-commands, and how it
/// reads files.
namespace kiln::cli {

// Of files (files.cpp) and of applications (applications.cpp). To add a verb: its definition in
// src/cli/mesh, its body here, and its name in both command_list.cpp.
int mesh_naca0012(Context& context);
int mesh_info(Context& context);
int mesh_convert(Context& context);
int mesh_check(Context& context);
int mesh_airfoil(Context& context);
int mesh_aero(Context& context);
int mesh_jac1(Context& context);
int mesh_jac2(Context& context);
int mesh_reduction(Context& context);

/// Reads a mesh; `-` is standard input. Throws Error, also for a file on which the HDF5 library
/// crashes: an HDF5 file is read in another process first.
mesh::MeshFile read_mesh_input(const std::string& path,
                               const mesh::FileLayout& layout = mesh::known_names());

/// Runs something in a copy of this process whose output is dropped. Gives the name of the signal
/// where it died of a defect ("SIGSEGV"; "SIGXCPU" after ten minutes of computing, "SIGALRM" after
/// as long of waiting), else "". For foreign code that damaged input may kill: what it did is lost,
/// so it is done again here.
/// This process must have one thread.
std::string died_of(const std::function<void()>& work);

}  // namespace kiln::cli
