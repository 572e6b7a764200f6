#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "blas/call/call.hpp"
#include "kernel/request/parameters.hpp"
#include "kernel/resolver/resolver.hpp"

namespace kiln::blas {

/// Parameters that an application has set for the kernels of a family, in place of what is on
/// record. Thread-safe.
class SetParameters {
 public:
  /// Some or all Parameters of a family, on a device, in a precision. None: what is on record.
  void set(cl_device_id device, const std::string& family, Precision precision, Parameters values);

  /// What is chosen with those that are set in its place. A value that the family's Generator does
  /// not take with the others becomes the nearest one that it takes.
  ChosenParameters in_place(ChosenParameters chosen, cl_device_id device, Precision precision,
                            const Request& request, const Resolver& resolver) const;

 private:
  using Subject = std::tuple<cl_device_id, std::string, Precision>;
  std::atomic<bool> any_{false};  ///< for all that never set any
  mutable std::mutex mutex_;
  std::map<Subject, Parameters> values_;
};

}  // namespace kiln::blas
