#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kiln/kernel.hpp"
#include "kiln/spec.hpp"
#include "kiln/tune/outcome.hpp"
#include "kiln/tune/stepwise_search.hpp"

/// Searches for the fastest parameters of a kernel, as `kiln tune` makes them: the first device of
/// a Runtime, candidates in processes of their own, the winner on record in the Runtime's store.
/// docs/tuning.md has what a search does, docs/library.md how a program asks for one.
namespace kiln::tune {

/// Names of parameters and a value of each: also what KernelOptions::macros are made of (macros()).
using Values = std::vector<std::pair<std::string, std::int64_t>>;

/// Parameters as macros of a kernel.
inline std::vector<std::pair<std::string, std::string>> macros(const Values& values) {
  std::vector<std::pair<std::string, std::string>> made;
  for (const auto& [name, value] : values) made.emplace_back(name, std::to_string(value));
  return made;
}

/// One parameter: its name, a macro of the kernel, and the values that it may take.
struct Choice {
  std::string name;
  std::vector<std::int64_t> values;
};

/// What a search came to with one configuration.
struct Measured {
  Values values;
  Failure failure = Failure::none;
  double seconds = 0;   ///< of one run, on the device's clock; 0: it failed
  std::string message;  ///< why it failed: the compiler's first error, what differs
};

/// How far a search is.
struct Progress {
  std::size_t evaluated = 0, failed = 0;  ///< configurations, those of an earlier run included
  std::uint64_t configurations = 0;       ///< of the space
  double best_seconds = 0;                ///< 0: none has run yet
  std::string best;                       ///< "BX=16 BY=4"
};

/// How long and how to search.
struct SearchOptions {
  /// The candidate in flight and the play-off come on top.
  std::chrono::milliseconds budget = std::chrono::minutes(10);
  std::size_t evaluations = 0;  ///< configurations measured now, at most; 0: as the budget allows
  Method method = Method::forest;
  std::uint64_t seed = 0;  ///< of the search's random numbers
  std::size_t jobs = 0;    ///< processes that compile ahead; 0: by the processors
  /// How long a candidate may take to compile and run before it counts as hanging.
  std::chrono::milliseconds hang_time = std::chrono::seconds(60);
  /// What is done with the journal of the same search: gone on with, or set aside.
  enum class Journal : std::uint8_t { resume, fresh };
  Journal journal = Journal::resume;
  std::filesystem::path journal_file = {};  ///< empty: the search's own, where kiln tune has it
  /// Whether to begin from the nearest search that the store has on record.
  enum class Start : std::uint8_t { nearest, scratch };
  Start start = Start::nearest;
  /// Told of each evaluation; false ends the search, and the best so far goes on record. Called in
  /// the caller's thread.
  std::function<bool(const Progress&)> progress = {};
  /// Asked several times a second, in the caller's thread. True ends the search within half a
  /// second, also while a candidate compiles or hangs: its processes are gone by then. The best so
  /// far goes on record, and its program may have to be compiled at its first use.
  std::function<bool()> stop = {};
};

/// What a search came to. Plain data.
struct Result {
  std::string label, device;
  Values best;
  double seconds = 0;  ///< of one run with `best`
  /// Of one run with the reference configuration (of a file: its own values), to which `decided_by`
  /// refers as built in; 0: it has no time.
  double reference = 0;
  Decision decided_by = Decision::play_off;
  /// The kernel's range with `best`. Of KernelOptions it needs macros(best).
  Range range;
  std::vector<Measured> configurations;  ///< in the order of measuring, once for each measurement
  std::uint64_t space = 0;               ///< valid configurations
  std::size_t evaluated = 0, failed = 0, resumed = 0;
  std::string started_from;  ///< the search on record that gave a start; empty: none
  /// Whether the store has it now: the record, which later runs and searches of this problem use,
  /// and the program. Else this Runtime alone knows it.
  bool stored = false;
  std::filesystem::path journal;  ///< docs/formats/tuning.md has its layout
  double compiling_seconds = 0, run_seconds = 0, whole_seconds = 0;
  std::size_t replaced_processes = 0;  ///< candidates that took their process with them
  std::string printed;                 ///< the beginning of what kernels printed
};

/// A kernel with parameters, what it is given, and what its result must be.
struct KernelProblem {
  Source source;
  std::string name = {};  ///< of the kernel function
  /// Its range, as specification files have it: "[M // BX * LX, N]", expressions in Python 3 over
  /// the parameters and `constants`; "/" may give 4.0 for 4.
  std::string global = {}, local = {};
  /// in(), out(), inout(), local(), value(), Arrays and numbers, in the kernel's order. Every run
  /// starts from their contents now; nothing is written to them. Elements that are no numbers of
  /// C++ (vectors, structures) are taken for what the kernel's text says.
  std::vector<CallArgument> arguments = {};
  std::vector<Choice> parameters = {};
  std::vector<std::string> constraints = {};  ///< "BX % LX == 0": what must hold
  /// Names for the expressions that are no parameters: the problem's sizes. Macros of the kernel,
  /// too.
  Values constants = {};
  KernelOptions options = {};  ///< further macros, folders of includes, options
  /// What written arguments must be after a run, by position; those that have none are not
  /// compared. Empty: all that is written must be what the reference configuration writes.
  std::map<std::uint32_t, std::span<const std::byte>> expected = {};
  /// That configuration, which is also what the best is held against. Empty: the first valid one.
  Values reference = {};
  /// What floating-point results may be off by, relative to the larger.
  double tolerance = 1e-4;
};

/// Searches for the fastest configuration of a kernel on the first device of the Runtime; returns
/// when the result is on record. A configuration that does not compile, crashes, hangs or gives
/// another result is listed as failed. The search runs in processes of its own, started from the
/// helper kiln-tune, so that the caller may have used OpenCL and threads. One that was ended goes
/// on where it was, by its journal.
///
/// Throws Error: bad_input for what is wrong with the problem, with the parameter or argument;
/// build where the reference does not compile; unsupported where there is no helper; device where
/// the device is gone; bad_input where no configuration runs and is right; timeout where the
/// reference takes longer than `hang_time`, or `stop` ended the search before any time was known.
/// Thread-safe; searches of one user measure one at a time.
KILN_API Result kernel(const Runtime& runtime, const KernelProblem& problem,
                       const SearchOptions& options = {});

/// A configuration on record.
struct OnRecord {
  Values values;
  Range range;         ///< the kernel's, with these values
  double seconds = 0;  ///< of one run, when it was measured
};
/// What a search for this very problem (sizes and the kernel's text) has put on record for the
/// first device of the Runtime, in this process or another; nothing where there was none. Compiles
/// and runs nothing.
KILN_API std::optional<OnRecord> on_record(const Runtime& runtime, const KernelProblem& problem);

/// Puts a configuration of a problem on record that the caller has measured itself: on_record()
/// gives it from now on, as that of a search of Kiln's. `seconds`: of one run; `reference`: of one
/// with the reference configuration, 0 where it is not known. Compiles and runs nothing. Throws
/// Error: bad_input for what is no configuration of the problem or no time. Thread-safe.
KILN_API void record(const Runtime& runtime, const KernelProblem& problem, const Values& values,
                     double seconds, double reference = 0);

/// What is tuned of a specification file, or of a tuning problem (T1).
struct SpecProblem {
  std::map<std::string, expr::Value> set = {};     ///< symbols; none may be a parameter, too
  std::map<std::string, expr::Value> set_if = {};  ///< ignored where the file has no such symbol
  spec::SpecDialect dialect = spec::SpecDialect::automatic;
  std::vector<std::filesystem::path> source_folders = {};
  std::vector<Choice> parameters = {};  ///< symbols or macros; of a T1 problem none: it has its own
  std::vector<std::string> constraints = {};
  std::map<std::uint32_t, std::filesystem::path> in = {};      ///< .npy files of arguments' data
  std::map<std::uint32_t, std::filesystem::path> expect = {};  ///< right results; of all or none
  /// Of floating-point results, relative to the larger. Nothing: to the bit against the file's own
  /// run, 1e-5 against `expect`, and what a T1 problem says.
  std::optional<double> rtol = {};
};

/// The same as kernel() for a file, as `kiln tune FILE`: runs of the file (kiln::spec::run, `kiln
/// run`) use the result from then on. Throws as there, and what is wrong with the file.
KILN_API Result spec(const Runtime& runtime, const std::filesystem::path& file,
                     const SpecProblem& problem = {}, const SearchOptions& options = {});

/// What a search has measured as a results file of the autotuning community (T4, version 1.0.0),
/// as `kiln tuned export --format t4`: of a configuration that was measured more than once the
/// last.
KILN_API std::string t4(const Result& result);
/// The configurations of such a file, or of a cache file of Kernel Tuner, compressed (gzip) or not.
/// `name` is the file's, for messages. Throws Error: bad_input for what is neither, with the place;
/// unsupported where values are no integers.
KILN_API std::vector<Measured> read_t4(std::span<const std::byte> file, std::string_view name);

}  // namespace kiln::tune
