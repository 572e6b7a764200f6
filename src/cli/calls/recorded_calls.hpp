#pragma once

#include <span>
#include <vector>

#include "blas/api/library.hpp"
#include "cli/command/command.hpp"
#include "device/device.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "kernel/resolver/resolver.hpp"

/// The calls that an application makes: the sub-commands `record` and `prebuild`, and how the
/// programs of a recorded call are built.
namespace kiln::cli {

extern const Command record_command;
int record(Context& context);

extern const Command prebuild_command;
int prebuild(Context& context);

/// How the programs of one recorded call were found or made: one explanation for each program and
/// device. Nothing is run. Throws kiln::Error: bad_input for a record that no call could have left,
/// not_found for devices and files that are not here, build, device.
std::vector<Explanation> build_call(const RecordedCall& call, Resolver& resolver,
                                    blas::Library& library);

/// Whether the call is of a mesh, so that only kiln-mesh can build it (build_loop()).
bool is_loop(const RecordedCall& call);

/// Whether a compiler worked for it.
bool was_compiled(const Explanation& explanation);

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
