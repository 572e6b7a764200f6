#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/data/bytes.hpp"
#include "kiln/formats/kdb.hpp"

/// Databases that tests build; none is read from anywhere.
namespace kiln::kdb::testing {

inline constexpr const char* block_gemm = "Cached global memory based block gemm";
inline constexpr const char* subgroup_gemm = "Cached global memory based subgroup gemm";
inline constexpr const char* block_gemv = "Cached global memory based block gemv";
inline constexpr const char* block_symv = "Cached global memory based block symv";
inline constexpr const char* block_trsm = "Cached global memory based block trsm";
inline constexpr const char* subgroup_syrk = "Cached global memory based subgroup syrk";
inline constexpr const char* lds_gemm = "LDS based block gemm";

/// Records that clBLAS's tuner would accept for float, one for each kind of pattern.
Record tuned_block_2d();  ///< the very record of a database that was tuned for sgemm
Record tuned_block();
Record tuned_subgroup_2d();
Record tuned_subgroup();
Record tuned_vector();

/// Two patterns (one unknown to clBLAS), three settings, tuned and untuned records; in version 1
/// with three kernel binaries.
Database small(Layout layout);

/// The bytes, which must exist.
Bytes bytes_of(const Database& database);

/// The database of a whole device in which every record differs from all others and is valid.
Database all_tuned();

/// A setting of a complete database; fails the test where there is none.
Setting& setting_in(Database& database, std::string_view pattern, std::uint32_t type,
                    std::uint32_t flags);

}  // namespace kiln::kdb::testing
