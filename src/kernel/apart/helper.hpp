#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "kernel/apart/job.hpp"
#include "kernel/apart/server.hpp"
#include "kernel/program/program.hpp"

// Compiling in another process, which is given a job in a private folder: the compile server's, or
// a helper that goes when the job is done. job.hpp says why.
namespace kiln {

/// A program that Kiln starts: next to this library or program, in ../bin of it, or in
/// ../libexec/kiln and ../../libexec/kiln; the same one folder further up, for libraries that lie
/// in a folder of Kiln's own. Empty where it is not there.
std::filesystem::path find_helper(std::string_view name);

/// A folder that is installed to share/kiln (of a build: share/kiln in the build's folder; of a
/// wheel next to the libraries). Empty where it is not there.
std::filesystem::path find_shared(std::string_view name);

/// Where the compile helper is: KILN_COMPILE_HELPER, or as find_helper().
std::filesystem::path find_compile_helper();

/// What the driver has been found to take (apart/probe.hpp); each is a gain, none is needed.
struct CompileWays {
  bool helper = true;     ///< else programs are compiled in this process, and not kept
  bool server = true;     ///< the compile server may do it
  bool archives = true;   ///< the result is an archive that can be read; else the driver's bytes
  bool stubs = true;      ///< no generic functions are compiled
  bool additions = true;  ///< variants can be added to an archive
};

/// How another process's work ended, for callers that judge the driver by it.
struct ApartEnd {
  bool by_server = false;
  /// It was cut short, or lacked memory, room or the helper: the next one may fare better.
  bool by_chance = false;
};

/// A compilation in another process.
struct ApartRequest {
  std::string text;  ///< OpenCL C, SPIR-V, or empty: add variants to `archive`
  ByteView archive;
  std::string options, label, build_hash;
  std::vector<KernelVariant> variants;
  CompileWays ways;
  /// The kernels' generic functions, too, which no launch uses where there is bitcode.
  bool generic = false;
  std::filesystem::path intermediates;  ///< a new folder for a copy of all that the driver made
  std::chrono::milliseconds limit{120'000};
  std::string* build_log = nullptr;  ///< where it is wanted: what the compiler said
  FactsPtr* facts = nullptr;  ///< where they are wanted: of the text's kernels; null: unknown
  ApartEnd* end = nullptr;    ///< where it is wanted: of the last process
};
/// What the helper made, or why not: Errc::build with the log where the text does not compile,
/// Errc::unsupported where there is no helper, Errc::timeout, Errc::device where the compiler died,
/// Errc::internal where the helper could not do it or what it made is not usable.
Expected<Bytes> compile_apart(const Device& device, const ApartRequest& request);

/// What does not compile, or kills the compiler, would do the same in this process.
inline bool fails_here_too(const Error& error) {
  return error.code() == Errc::build || error.code() == Errc::device;
}

namespace apart {

/// How a job is run. run_helper() makes the folder, and adds the variable of the driver's cache to
/// the environment.
struct HelperSetting : ServerRequest {
  bool shared = false;  ///< the compile server may do it (KILN_COMPILE_SERVER=off: it may not)
  std::filesystem::path keep;  ///< a new folder that gets a copy of the private one; empty: none
};

/// How the helper ended, and its private folder, which goes with this object.
struct HelperRun {
  TemporaryFolder folder;
  ProcessResult result;
  bool by_server = false;
};

/// Errors: unsupported, where there is no helper or another program is in its place.
Expected<void> usable_helper(const std::filesystem::path& helper);
/// Whether the user lets compile servers run (KILN_COMPILE_SERVER).
bool serves();

/// How a job ended that was not done, in one line; nothing where it was done.
std::optional<std::string> how_it_failed(const HelperRun& run);

/// Whether a run was cut short from outside (a signal that no fault raises, the limit, a full file
/// system) or lacked something: it says nothing of the driver.
bool ended_by_chance(const HelperRun& run);

/// Runs the helper on a job in a new private folder with an empty cache. Errors: unsupported (there
/// is no helper, or it is another program), io. A program that kept this process waiting and was no
/// helper is not started again. Thread-safe.
Expected<HelperRun> run_helper(const Job& job, const HelperSetting& setting);

}  // namespace apart
}  // namespace kiln
