#pragma once

#include "store/local_store.hpp"
#include "tune/report/run.hpp"
#include "tune/tunable.hpp"

/// Whole searches in the store: what was measured, on what, and with what. They travel as all
/// records do: through packs and the shared store.
namespace kiln::tune {

/// What of a device tells how much another one is like it.
struct DeviceFacts {
  std::string type, vendor;  ///< "cpu", as OpenCL has it
  std::int64_t compute_units = 0, native_floats = 0, local_memory = 0;
  bool operator==(const DeviceFacts&) const = default;
};

/// A search with its surroundings. `run` may hold fewer evaluations than there were: `evaluated`
/// counts all. Messages of failures are cut, hold no folders, and stand with the first of each
/// reason only.
struct KeptRun {
  TuningProblem problem;
  DeviceFacts facts;
  std::string kiln, system;  ///< Kiln's version; "Linux 6.1.0 x86_64"
  std::int64_t date = 0;     ///< when it was kept: seconds since 1970, UTC
  std::size_t evaluated = 0;
  TuningRun run;
  /// The first letters of the digest of its JSON: what a user names it by.
  std::string id;
};

/// Of a search at most so many evaluations are kept: the fastest half as many, and others evenly
/// from the rest in their order.
inline constexpr std::size_t most_kept_evaluations = 4096;
/// Of a family, problem class and model of device at most so many searches: the latest. One that
/// was gone on with replaces what it was.
inline constexpr std::size_t most_kept_runs = 8;

/// JSON on one line; docs/formats/tuning.md has the layout.
std::string kept_json_of(const KeptRun& kept);
/// Errors: corrupt, in one line.
Expected<KeptRun> read_kept_run(std::string_view json);

/// The same search with no more evaluations than are kept.
TuningRun bounded(TuningRun run, std::size_t most = most_kept_evaluations);

/// What the store has of a family, problem class and the model of a device: one look-up. None
/// where it has none; what is damaged is left out.
std::vector<KeptRun> kept_runs(Layer& store, const TuningProblem& problem,
                               const std::string& device);
/// All of a store, in the order of their keys. Errors: the store's.
Expected<std::vector<KeptRun>> all_kept_runs(LocalStore& store);

/// Puts a search beside those that are there. Errors: the layer's.
Expected<void> keep_run(Layer& store, KeptRun kept);

}  // namespace kiln::tune
