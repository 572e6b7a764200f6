#pragma once

#include <fmt/format.h>

#include <string>

namespace kiln::mesh {

/// The head of a loop over the components kiln_k of something. Short ones are to be unrolled:
/// PoCL leaves loops of four rounds standing, and then what they go through stays in memory.
inline std::string over_components(int count) {
  return fmt::format("{}for (int kiln_k = 0; kiln_k < {}; ++kiln_k)",
                     count <= 32 ? "_Pragma(\"unroll\") " : "", count);
}

}  // namespace kiln::mesh
