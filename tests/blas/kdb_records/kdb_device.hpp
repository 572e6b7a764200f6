#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "blas/kdb_records/kdb_records.hpp"
#include "blas/machine.hpp"

namespace kiln::blas::testing {

/// The tests' device as a GPU or a CPU of 16 floats a vector: only its facts are used.
inline Device device_like(Device::Type type) {
  Device device = Machine::get().device();
  device.type = type;
  device.vendor = "test";
  device.native_floats = 16;
  device.max_work_group_size = 1024;
  device.compute_units = 2;
  device.doubles = true;
  return device;
}

constexpr const char* block_gemm = "Cached global memory based block gemm";
constexpr const char* block_syrk = "Cached global memory based block syrk";
constexpr std::uint32_t column_major = 0x10, trans_a = 0x1;

/// A tile of 64 x 64 by 256 items, which clBLAS's rules allow.
inline kdb::Record gpu_record(double time, std::uint64_t depth = 8) {
  kdb::Record record;
  record.levels[0] = {64, 64, 64, 64, depth};
  record.levels[1] = {4, 4, 4, 4, depth};
  record.granularity = {{16, 16}, 2, 64, {}, 1024};
  record.time = time;
  return record;
}
/// A tile of 8 rows and 2 columns an item.
inline kdb::Record cpu_record(double time) {
  kdb::Record record;
  record.levels[0] = {16, 64, 16, 64, 2};
  record.levels[1] = {2, 8, 2, 8, 2};
  record.granularity = {{8, 8}, 2, 64, {}, 1024};
  record.time = time;
  return record;
}

/// A complete database with records of one setting.
inline kdb::Database database_with(const char* pattern, std::uint32_t type, std::uint32_t flags,
                                   std::vector<kdb::Record> records) {
  kdb::Database made = kdb::complete({}, kdb::Doubles::yes).database;
  for (auto& p : made.patterns)
    if (p.name == pattern)
      for (auto& setting : p.settings)
        if (setting.type == type && setting.flags == flags)
          std::copy(records.begin(), records.end(), setting.records.begin());
  return made;
}

}  // namespace kiln::blas::testing
