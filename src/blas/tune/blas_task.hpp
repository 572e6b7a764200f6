#pragma once

#include <span>
#include <vector>

#include "blas/tune/blas_tunable.hpp"
#include "tune/conduct/search_processes.hpp"

// Calls of BLAS as searches: for which device, and what is on record for them. Drivers are loaded
// in child processes only (tune/conduct/known_device.hpp).
namespace kiln::blas {

/// A device, as far as searches of BLAS must know it.
struct BlasDevice {
  tune::KnownDevice known;
  TuningDevice facts;
};
/// As tune::look_at_device().
BlasDevice look_at_blas_device(const tune::FindDevice& find_device);

/// Where searches are made: what their SearchTasks share.
struct SearchPlace {
  tune::FindDevice find_device;
  StoreSettings store;
  CompilePolicy compile = CompilePolicy::apart;
};
/// The search for a call. Throws Error.
tune::SearchTask blas_task(const Call& call, const BlasDevice& device, const SearchPlace& place);

/// Kiln's own measurements of a call that the stores have on record.
struct OnRecord {
  bool is_near = false;  ///< of the call's problem class, for a size within a quarter
  /// The best blas::rate_of() of the class; sizes are taken for those of square matrices.
  double best_rate = 0;
};
/// What is on record of each call, for this device, driver and version of the generators. Throws
/// Error.
std::vector<OnRecord> look_at_records(const SearchPlace& place, std::span<const Call> calls);

}  // namespace kiln::blas
