#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kiln/mesh/distribution.hpp"

namespace kiln::mesh {

/// What parts do together, made sure to be the same on all of them: parts that do different things
/// are told so, where they would wait for each other for ever.
class Agreement {
 public:
  explicit Agreement(Transport& transport) : transport_(transport) {}

  /// All parts' bytes, by rank, each as many as `mine`. `what` is this part's call in words ("loop
  /// res_calc over edges"), `details` whatever else must be the same. Throws bad_input on all parts
  /// where these differ: names what both are at.
  std::vector<std::byte> gather(const std::string& what, const std::string& details,
                                std::span<const std::byte> mine);

 private:
  Transport& transport_;
};

}  // namespace kiln::mesh
