#pragma once

#include <array>
#include <cstdint>

#include "device/device.hpp"

namespace kiln::blas {

/// Records of a setting: five for growing sizes, and one for matrices whose lines begin in the same
/// memory bank.
constexpr std::size_t kdb_record_count = 6, kdb_sized_records = 5;

/// The problem sizes that the six records of a setting stand for. A database does not say: clBLAS
/// 2.12 computes them from the device that reads it (its getStepGranulation; for a CPU of two
/// cores: 256 256 256 256 768 and 512 for float of level 3).
std::array<std::int64_t, kdb_record_count> kdb_record_sizes(const Device& device,
                                                            std::uint32_t type, bool level_2);

}  // namespace kiln::blas
