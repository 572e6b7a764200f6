#pragma once

#include <memory>
#include <optional>

#include "kernel/request/device_facts.hpp"
#include "store/local/local_store.hpp"
#include "tune/measure/tunable.hpp"
#include "tune/report/run.hpp"
#include "tune/strategy/forest_search.hpp"

/// Whole searches in the store: what was measured, on what, and with what. They travel as all
/// records do: through packs and the shared store. The nearest one is where a new search starts.
namespace kiln::tune {

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

/// Adds a search to those that are there. Errors: the layer's.
Expected<void> keep_run(Layer& store, KeptRun kept);

/// A search that is about to begin.
struct SearchSubject {
  TuningProblem problem;
  std::string device;  ///< Device::speed_identity()
  DeviceFacts facts;
};

/// How far a search on record is from one that begins: a sum. Nothing where it says nothing of it:
/// another family, or another type of device.
///
///     another driver, or other version of its platform      1
///     another version of the family's generator             1
///     another size: for each factor of 2                    1, at most 6
///     another problem class of the family                   4; of a file: another text of it
///     another device                                        device_distance()
std::optional<double> distance(const KeptRun& kept, const SearchSubject& subject);

/// What a search starts from.
struct Start {
  std::shared_ptr<const Transfer> transfer;
  std::string id;    ///< KeptRun::id
  std::string text;  ///< for people: "a search of 250 evaluations on DEVICE, of size 512"
};

/// The nearest search that has a configuration in common with `space`, of two as near the latest;
/// nothing where there is none. `id` not empty: that one or none. Deterministic by the seed.
std::optional<Start> nearest_start(const std::vector<KeptRun>& kept, const SearchSubject& subject,
                                   const SearchSpace& space, std::uint64_t seed,
                                   const std::string& id = "");

}  // namespace kiln::tune
