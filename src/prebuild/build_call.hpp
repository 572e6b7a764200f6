#pragma once

#include <vector>

#include "blas/api/library.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "kernel/runtime.hpp"
#include "kiln/prebuild.hpp"

// How the programs of recorded calls are built.
namespace kiln {

/// What a program adds that can build loops over meshes (kiln-mesh). Both null: it cannot.
struct LoopBuilder {
  void (*add_generators)(Resolver& resolver) = nullptr;
  Explanation (*build)(const RecordedCall& call, Resolver& resolver,
                       const DevicePtr& device) = nullptr;
};

/// How the programs of one recorded call were found or made: one explanation for each program and
/// device. Nothing is run. Throws Error: bad_input for a record that no call could have left,
/// not_found for devices and files that are not here, unsupported for loops without a builder,
/// build, device.
std::vector<Explanation> build_call(const RecordedCall& call, Resolver& resolver,
                                    blas::Library& library, const LoopBuilder& loops);

/// Whether the call is of a mesh.
bool is_loop(const RecordedCall& call);

/// What tells a call from others of its name, and the names of its devices, for people.
std::string subject_of(const RecordedCall& call);
std::string device_names_of(const RecordedCall& call);

/// Whether a compiler worked for it.
bool was_compiled(const Explanation& explanation);

/// prebuild() of a record that was read.
PrebuildResult prebuild(Runtime::State& runtime, const RecordedCalls& recorded,
                        const LoopBuilder& loops, const PrebuildOptions& options);
/// prebuild_used_by() in the command.
PrebuildResult prebuild_used_by(Runtime::State& runtime, std::string_view application,
                                const PrebuildOptions& options);

}  // namespace kiln
