#pragma once

#include <span>
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

/// Devices of this machine that a record means, one for each: of the same fingerprint, whole or a
/// sub-device of as many compute units. Error: not_found, with the name of the one that is absent.
Expected<std::vector<DevicePtr>> find_devices(std::span<const RecordedDevice> recorded);

/// What tells a call from others of its name, and the names of its devices, for people.
std::string subject_of(const RecordedCall& call);
std::string device_names_of(const RecordedCall& call);

/// prebuild() of a record that was read.
PrebuildResult prebuild(Runtime::State& runtime, const RecordedCalls& recorded,
                        const LoopBuilder& loops, const PrebuildOptions& options);

}  // namespace kiln
