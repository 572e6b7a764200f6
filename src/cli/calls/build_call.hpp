#pragma once

#include <vector>

#include "blas/library.hpp"
#include "kernel/recorded_call.hpp"

namespace kiln::cli {

/// How the programs of one recorded call were found or made: one explanation for each program and
/// device. Nothing is run. Throws kiln::Error: bad_input for a record that no call could have left,
/// not_found for devices and files that are not here, build, device.
std::vector<Explanation> build_call(const RecordedCall& call, Resolver& resolver,
                                    blas::Library& library);

/// Whether the call is of a mesh, so that only kiln-mesh can build it (build_loop.hpp).
bool is_loop(const RecordedCall& call);

/// Whether a compiler worked for it.
bool was_compiled(const Explanation& explanation);

}  // namespace kiln::cli
