#pragma once

#include "kiln/mesh.hpp"

namespace kiln::cli {

class Context;

/// What --device, --store, --check, --report, --trace and --gantt of an application say. Throws
/// Error where a file that it is to write in the end (--vtu, too) cannot be or has the wrong
/// extension: a slip must not cost a run.
mesh::Mesh::Options mesh_options_of(const Context& context);

/// Tunes the loops that a Mesh has run, where --tune says so, and prints what that came to.
void tune_loops(const Context& context, mesh::Mesh& mesh);

/// A table of the loops that a Mesh has run, or a line of JSON for each.
void print_loops(mesh::Mesh& mesh, bool json);

/// The files that --trace and --gantt name. Throws Error.
void write_timeline(const Context& context, mesh::Mesh& mesh);

}  // namespace kiln::cli
