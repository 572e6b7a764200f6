#pragma once

#include <functional>
#include <memory>
#include <string>

#include "device/device.hpp"
#include "tune/kept/kept_run.hpp"
#include "tune/tunable.hpp"

namespace kiln::cli {

class Context;

/// What `kiln tune` is asked to tune, on which device.
struct TuningSubject {
  std::string device, speed_identity;
  std::unique_ptr<tune::Tunable> tunable;
  bool device_is_cpu = false;
  /// The device itself, for the process that measures. Throws Error where it is not there.
  std::function<DevicePtr()> find_device;
  tune::DeviceFacts facts;  ///< for telling which searches on record are near
};

/// Whether a word names a specification file or a tuning problem, not a routine of BLAS.
bool is_specification(const std::string& word);

/// A routine of BLAS, or a specification file (a word that ends in .json, or that is a file) with
/// --param. Loads no driver into this process: it looks at the device in a child. Throws Error.
TuningSubject tuning_subject(const Context& context);

}  // namespace kiln::cli
