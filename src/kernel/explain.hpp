#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kiln {

/// One step of a look-up: which layer was asked, what it said, what it cost.
struct ResolveStep {
  std::string layer;  ///< "memory", "local store", "compile", "load", "variant"
  bool answered = false;
  std::string reason;  ///< why not, or what was done
  std::int64_t start_ns = 0, end_ns = 0;
};

/// How one program or plan was found. Filled by the Resolver where the caller passes one.
struct Explanation {
  std::string what;  ///< "VectorAdd on DEVICE"
  std::string key;   ///< hexadecimal
  std::vector<ResolveStep> steps;
};

}  // namespace kiln
