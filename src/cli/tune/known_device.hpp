#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "blas/call.hpp"
#include "blas/tune/blas_tunable.hpp"
#include "kernel/recorded_call.hpp"
#include "tune/kept/kept_run.hpp"

/// What a search must know of a device and of what is on record for it, asked in child processes:
/// the one that forks those that measure stays free of drivers and threads.
namespace kiln::cli {

class Context;

/// Gives a device where drivers may be loaded. Throws Error where it is not there.
using FindDevice = std::function<DevicePtr()>;

/// A device without its driver.
struct KnownDevice {
  std::string name, speed_identity;
  blas::TuningDevice facts;
  bool doubles = false;  ///< computes in double precision
  RecordedDevice recorded;
  tune::DeviceFacts nearness;  ///< for telling which searches on record are near
};

/// Throws Error (not_found, with what find_device threw).
KnownDevice look_at_device(const FindDevice& find_device);

/// What the stores of the options have on record of Kiln's own measurements.
struct OnRecord {
  bool is_near = false;  ///< of the call's problem class, for a size within a quarter
  /// The best blas::rate_of() of the class; sizes are taken for those of square matrices.
  double best_rate = 0;
};

/// Of each call, for this device, driver and version of the generators. Throws Error.
std::vector<OnRecord> look_at_records(const Context& context, const FindDevice& find_device,
                                      std::span<const blas::Call> calls);

}  // namespace kiln::cli
