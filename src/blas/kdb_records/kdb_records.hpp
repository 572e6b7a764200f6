#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "blas/kdb_records/measurements.hpp"
#include "kernel/parameter_source.hpp"

namespace kiln::blas {

/// clBLAS's kernel databases as a source of the Resolver's Parameters: `<device name>.kdb` in a
/// folder, read when a device's records are first asked for, and not again. A file that is not
/// there says nothing; one that cannot be read costs a line in the log. Thread-safe.
class KdbRecords : public ParameterSource {
 public:
  explicit KdbRecords(std::string folder) : folder_(std::move(folder)) {}
  std::string name() const override { return "kernel database"; }
  TuningRecord find(const Request& request, const Device& device) const override;

 private:
  KdbMeasurements read(const Device& device) const;
  std::string folder_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, KdbMeasurements> by_device_;  ///< by speed identity
};

/// Of the folder that CLBLAS_STORAGE_PATH names; null where it is unset or empty.
std::unique_ptr<ParameterSource> kdb_records_of_environment();

}  // namespace kiln::blas
