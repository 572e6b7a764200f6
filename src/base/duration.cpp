#include "base/duration.hpp"

#include <fmt/format.h>

namespace kiln {

std::string duration(double ns) {
  if (ns >= 1e9) return fmt::format("{:.3f} s", ns * 1e-9);
  if (ns >= 1e6) return fmt::format("{:.3f} ms", ns * 1e-6);
  return fmt::format("{:.1f} us", ns * 1e-3);
}

}  // namespace kiln
