#pragma once

#include "kernel/recorded_call.hpp"
#include "kernel/resolver.hpp"

namespace kiln::cli {

/// Whether this program builds the programs of loops over meshes. kiln-mesh does, and has its own
/// definitions of these; kiln does not, for the libraries would cost every start, and becomes
/// kiln-mesh where a record has loops.
bool builds_loops();

/// Has a Resolver know how loops are written, where this program builds them.
void add_loop_generators(Resolver& resolver);

/// As build_call(), of a call of kind "loop" or "matrix" on one device. Throws kiln::Error:
/// unsupported in kiln.
Explanation build_loop(const RecordedCall& call, Resolver& resolver, const DevicePtr& device);

}  // namespace kiln::cli
