#pragma once

#include <map>
#include <string>
#include <vector>

#include "blas/problem_class.hpp"
#include "device/device.hpp"
#include "format/kdb.hpp"
#include "kernel/tuning_record.hpp"

namespace kiln::blas {

/// The tuned records of a database as measurements, by problem class.
struct KdbMeasurements {
  std::map<std::string, TuningRecord> by_class;
  std::size_t taken = 0;      ///< records in by_class
  std::size_t untuned = 0;    ///< hold nothing
  std::size_t unsound = 0;    ///< break clBLAS's own rules: never used (kdb::verify says why)
  std::size_t unreached = 0;  ///< tuned, in settings that no look-up of clBLAS's finds
};

/// Reads them off for a device, which decides what sizes they stand for. `name` is the file's, for
/// people. Errors: unsupported (a layout that says nothing of its types).
Expected<KdbMeasurements> measurements_of(const kdb::Database& database, const std::string& name,
                                          const Device& device);

}  // namespace kiln::blas
