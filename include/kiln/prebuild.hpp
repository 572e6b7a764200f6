#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kiln/error.hpp"

/// Compiling beforehand what the calls of a record need, so that an application's next start
/// compiles nothing. docs/recording.md explains it.
namespace kiln {

class Runtime;

/// One kind of call of a record, and what came of building its programs.
struct PrebuiltCall {
  std::string kind;     ///< of front end: "blas", "spec", "kernel", "loop", "matrix"
  std::string name;     ///< "dgemm", a kernel's name
  std::string subject;  ///< what tells it from others of its name: "order=column m=64"
  std::string device;
  std::uint64_t count = 0;  ///< calls
  double share = 0;         ///< of the time of all calls, 0 to 1
  std::size_t programs = 0, compiled = 0;
  std::optional<Error> failure;  ///< why its programs could not be built
};

struct PrebuildResult {
  std::vector<PrebuiltCall> calls;  ///< the largest share of the time first
  std::set<std::string> keys;       ///< of the programs, hexadecimal
  std::size_t compiled = 0;         ///< programs that were compiled now
};

struct PrebuildOptions {
  /// Told of each call before it is built. May throw, which ends the work.
  std::function<void(const PrebuiltCall& next, std::size_t calls)> begin = {};
};

/// Reads a record that `kiln record` or KILN_RECORD has written and puts every program that its
/// calls need into the Runtime's store, compiled for the devices that they ran on. Nothing is run.
/// Calls that cannot be built say why, and the others are done all the same; those of loops over
/// meshes are built by `kiln prebuild`. Throws Error: bad_input for what is no record and where the
/// Runtime has no store; not_found, io.
KILN_API PrebuildResult prebuild(const Runtime& runtime, const std::filesystem::path& record,
                                 const PrebuildOptions& options = {});

}  // namespace kiln
