#include "blas/kdb_records/record_sizes.hpp"

#include <algorithm>
#include <cmath>

#include "blas/problem_class.hpp"

namespace kiln::blas {

std::array<std::int64_t, kdb_record_count> kdb_record_sizes(const Device& device,
                                                            std::uint32_t type, bool level_2) {
  constexpr double widths[] = {4, 2.8, 2.8, 2};  // by type
  constexpr std::array<double, kdb_record_count> steps_2{192, 448, 832, 1312, 1696, 768},
      steps_3{7, 13, 32, 48, 64, 64};
  constexpr std::int64_t bank = 2048;  // bytes
  const auto element = static_cast<std::int64_t>(size_of(precision_of_kdb_type(type)));
  const std::int64_t grain = std::max<std::int64_t>(256 * 4 / element, 1);
  const double units = level_2 ? 1 : std::min<double>(device.compute_units, 24);
  const double memory =
      static_cast<double>(std::min<cl_ulong>(device.max_allocation, device.global_memory / 3));
  const double most = std::sqrt(memory / static_cast<double>(element));
  std::array<std::int64_t, kdb_record_count> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double wanted = units * widths[type % 4] * (level_2 ? steps_2 : steps_3)[i];
    std::int64_t size = static_cast<std::int64_t>(std::min(wanted, most)) / grain * grain;
    size = std::max(size, grain);
    const bool aligned = size * element % bank == 0;
    if (i < kdb_sized_records && aligned) size += grain;
    if (i >= kdb_sized_records) size = (size * element + bank - 1) / bank * bank / element;
    sizes[i] = size;
  }
  return sizes;
}

}  // namespace kiln::blas
