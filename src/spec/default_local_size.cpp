#include <algorithm>
#include <bit>

#include "kiln/spec.hpp"

namespace kiln::spec {

std::vector<std::uint64_t> default_local_size(const std::vector<std::uint64_t>& global) {
  const std::uint64_t most = global.size() <= 1 ? 64 : global.size() == 2 ? 8 : 4;
  std::vector<std::uint64_t> local;
  for (const auto size : global) {
    local.push_back(size == 0 ? 1 : std::min(most, std::uint64_t{1} << std::countr_zero(size)));
  }
  return local;
}

}  // namespace kiln::spec
