#pragma once

#include "tune/kept/kept_run.hpp"
#include "tune/strategy/transfer.hpp"

namespace kiln::tune {

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
///     another model of the same vendor                      20; of another vendor 40
///     compute units, native vector, local memory            2 for each factor of 2
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
