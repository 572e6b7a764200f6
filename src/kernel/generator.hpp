#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel/parameters.hpp"
#include "kernel/request.hpp"
#include "kernel/tuning_record.hpp"

namespace kiln {

/// Makes the text of one family of kernels. A pure function of Request and Parameters: no device,
/// no files, deterministic names, so that equal input gives equal text. Thread-safe.
class Generator {
 public:
  virtual ~Generator() = default;
  virtual std::string family() const = 0;
  /// Raised whenever the text for some Request changes; a part of the Key.
  virtual std::int64_t version() const = 0;
  /// What to use where nothing is on record: always right, if not fastest.
  virtual Parameters defaults(const Request& request) const = 0;
  /// True where the Parameters fit the Request: the guard over records that came from elsewhere.
  virtual bool accepts(const Request& request, const Parameters& parameters) const = 0;
  /// Problem classes whose Parameters are good for this one, too, the nearest first: where it has
  /// nothing on record of its own, they are asked. A few: each costs a look-up in the store.
  virtual std::vector<std::string> classes_like(const std::string& /*problem_class*/) const {
    return {};
  }
  /// How far from a size that was measured its Parameters are good.
  virtual Reach reach() const { return {}; }
  /// OpenCL C. Only called with Parameters that accepts() takes.
  virtual std::string generate(const Request& request, const Parameters& parameters) const = 0;
};

}  // namespace kiln
