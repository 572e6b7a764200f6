#pragma once

#include <string>

#include "kernel/request.hpp"
#include "kernel/tuning_record.hpp"

namespace kiln {

/// A read-only source of tuning records besides the store: files of other programs. It is asked
/// once for each family, problem class and device; what it gives is used where the store has
/// nothing that can be used and the Generator accepts it. Thread-safe; never throws: what cannot
/// be read is an empty record and a line in the log.
class ParameterSource {
 public:
  virtual ~ParameterSource() = default;
  virtual std::string name() const = 0;  ///< for explanations: "kernel database"
  virtual TuningRecord find(const Request& request, const Device& device) const = 0;
};

}  // namespace kiln
