#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "blas/call/call.hpp"
#include "blas/tune/blas_tunable.hpp"
#include "device/device.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "tune/measure/tunable.hpp"
#include "tune/records/kept_run.hpp"

/// What is tuned, on which device. What a search must know of the device, and of what is on record
/// for it, is asked in child processes: the one that forks those that measure stays free of drivers
/// and threads.
namespace kiln::cli {

class Context;

/// Gives the device, in a process that may load drivers. Throws Error where it is absent.
using FindDevice = std::function<DevicePtr()>;

/// What is known of a device without loading its driver.
struct KnownDevice {
  std::string name, speed_identity;
  blas::TuningDevice facts;
  bool doubles = false;  ///< computes in double precision
  RecordedDevice recorded;
  tune::DeviceFacts nearness;  ///< for telling which searches on record are near
};

/// Asks in a child process. Throws Error (not_found, with what find_device threw).
KnownDevice look_at_device(const FindDevice& find_device);

/// Kiln's own measurements of a call that the stores have on record.
struct OnRecord {
  bool is_near = false;  ///< of the call's problem class, for a size within a quarter
  /// The best blas::rate_of() of the class; sizes are taken for those of square matrices.
  double best_rate = 0;
};

/// What is on record of each call, for this device, driver and version of the generators. Asks in a
/// child process. Throws Error.
std::vector<OnRecord> look_at_records(const Context& context, const FindDevice& find_device,
                                      std::span<const blas::Call> calls);

/// What `kiln tune` is asked to tune, on which device.
struct TuningSubject {
  std::string device, speed_identity;
  std::unique_ptr<tune::Tunable> tunable;
  bool device_is_cpu = false;
  /// For the process that measures.
  FindDevice find_device;
  tune::DeviceFacts facts;  ///< for telling which searches on record are near
};

/// Whether a word names a specification file or a tuning problem, not a routine of BLAS.
bool is_specification(const std::string& word);

/// A routine of BLAS, or a specification file (a word that ends in .json, or that is a file) with
/// --param. Loads no driver into this process: it looks at the device in a child. Throws Error.
TuningSubject tuning_subject(const Context& context);

/// A routine of BLAS on a device that was looked at. Throws Error.
TuningSubject tuning_subject(const blas::Call& call, const KnownDevice& device,
                             FindDevice find_device);

}  // namespace kiln::cli
