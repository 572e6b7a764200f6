#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.hpp"

/// Compiling beforehand what the calls of a record need, so that an application's next start
/// compiles nothing. docs/recording.md explains it.
namespace kiln {

class Runtime;
class Store;
struct PackEntry;
enum class ImportMode : bool;
enum class ImportOutcome : std::uint8_t;

/// One kind of call of a record, and what came of building its programs.
struct PrebuiltCall {
  std::string kind;     ///< of front end: "blas", "spec", "kernel", "loop", "matrix"; "program"
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

// Programs that know nothing of Kiln, started by `kiln exec` or with its OpenCL layer: what each of
// them builds is on record in the store, by the name of its file (of an interpreter's script, too).
// docs/exec.md explains it.

/// A program that an application has built.
struct RecordedProgram {
  std::string key;     ///< of what starts it, hexadecimal
  std::string kernel;  ///< its first kernel; "SPIR-V" of a module; empty where its text is gone
  std::string options;
  std::string fingerprint;   ///< of the device
  std::size_t variants = 0;  ///< local sizes that it was launched with, of all its kernels
};

/// The applications that the local store has a record of, sorted.
KILN_API std::vector<std::string> recorded_applications(const Store& store);
/// What the local store has on record of one, in the order in which it was built. Throws Error:
/// not_found where there is no record, with the nearest names that there are.
KILN_API std::vector<RecordedProgram> programs_used_by(const Store& store,
                                                       std::string_view application);
/// The keys, for EntryFilter::keys, of all that the application needs: the record, the texts of its
/// programs and what starts them. `devices`: as EntryFilter::devices; what starts programs of other
/// devices is left out. Throws as programs_used_by().
KILN_API std::vector<std::string> keys_used_by(const Store& store, std::string_view application,
                                               const std::vector<std::string>& devices = {});

/// What Store::import_pack() replaces or keeps, this joins: it adds the programs of a pack's record
/// of use to the record that the local store has of the same application. Returns imported, or
/// present where it has them all; refused for a record of use that cannot be read, and for a
/// program's text that is not the one of its key; nothing, and does nothing, where the entry is for
/// import_pack(): there is no such record here, the entry is none or is not trusted (refusal_of()),
/// or the one here is signed and this one is not. Throws Error: what the store fails with.
KILN_API std::optional<ImportOutcome> import_used(const Store& store, const PackEntry& entry,
                                                  ImportMode mode);

/// Compiles every program on record of an application into the Runtime's store, for each of the
/// Runtime's devices, which may be other ones than it ran on, with other drivers, and with the
/// local sizes of its launches as far as a device takes them: its next start compiles nothing.
/// Nothing is run. Of a driver's variables that change what it compiles (PoCL's) those of this
/// process count: it should have the application's. Programs that do not compile say why, and the
/// others are done all the same. Throws Error: not_found where there is no record; bad_input where
/// the Runtime has no store.
KILN_API PrebuildResult prebuild_used_by(const Runtime& runtime, std::string_view application,
                                         const PrebuildOptions& options = {});

}  // namespace kiln
