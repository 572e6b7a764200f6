#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data/bytes.hpp"
#include "kiln/error.hpp"

/// Compiling apart: PoCL freezes a program's archive at the first query, compiles a generic
/// function for it that no launch uses, and takes its cache folder from the environment. So an
/// Artifact for PoCL is made by a helper process (kiln-compile) in a private folder.
namespace kiln::apart {

/// What the helper is asked to do, written as the file "job" in its private folder.
struct Job {
  enum class Task : std::uint8_t {
    compile = 1,  ///< make an archive
    start = 2,    ///< launch the variants of `archive` once each, on made-up arguments
    trial = 3,    ///< launch them of the trial's program, and check what they compute (probe.hpp)
  };
  std::string fingerprint;  ///< of the device, as Device::fingerprint()
  std::string options;
  std::string source;  ///< OpenCL C, SPIR-V, or empty: add variants to `archive`
  Bytes archive;
  std::string build_hash;  ///< 40 characters for the archive that is made
  /// Pairs "kernel variant-folder"; other kernels get no variant.
  std::vector<std::pair<std::string, std::string>> variants;
  Task task = Task::compile;
  bool generic = false;  ///< compile the generic functions, too
  bool stubs = true;     ///< empty objects in place of functions that no launch uses (stubs.hpp)
  /// What is made: an archive that Kiln has read and completed, or what the driver gives.
  enum class Form : std::uint8_t { archive = 1, as_it_is = 2 };
  Form form = Form::archive;
  bool facts = false;  ///< read the facts of the kernels from the text, too

  bool operator==(const Job&) const = default;
};

Bytes encode(const Job& job);
Expected<Job> decode_job(ByteView bytes);

// Files in the private folder, and the helper's exit codes.
inline constexpr const char* job_file = "job";
inline constexpr const char* artifact_file = "artifact";
inline constexpr const char* facts_file = "facts";  ///< absent where they could not be read
inline constexpr const char* log_file = "log";
inline constexpr const char* progress_file = "progress";  ///< of Task::start
inline constexpr const char* said_file = "said";          ///< output of a server's job
inline constexpr const char* cache_folder = "cache";
enum ExitCode {
  done = 0,
  failed = 3,
  does_not_build = 4,
  parent_gone = 5,
  no_folder = 6,
  hindered = 7,  ///< for want of memory, room or a file: another time it may not be
};

/// By this a helper is known: it is the first thing that one writes, on standard output as a line,
/// in a server's socket as a message. The number is that of what is said and of the job's layout.
inline constexpr std::string_view greeting = "kiln-compile 5";
/// What a helper of one job is started with: programs in its place refuse it, most of them at once.
inline constexpr std::string_view job_option = "--job";

/// What the driver's compiler finds in its environment, besides the caller's own: it keeps its
/// files in the private folder. The name is relative, so that this machine's paths, and with them
/// the user's name, stay out of the archive. The loader finds the one driver that is needed, and
/// Kiln's layer stays out of it.
std::vector<std::pair<std::string, std::string>> compiler_environment();

}  // namespace kiln::apart
