#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "blas/call/problem_class.hpp"
#include "device/device.hpp"
#include "kernel/request/request.hpp"
#include "kiln/formats/kdb.hpp"

// How a kernel cuts its work, as clBLAS says it (SubproblemDim, PGranularity) and as Kiln does, and
// the sizes of problems that a database's records stand for.
namespace kiln::blas {

/// The routine of a pattern's function ("GEMM"); nothing for an unknown one.
std::optional<Routine> routine_of_function(std::string_view function);

/// The Request under which a class's records are kept. Level 3 is the product's. GEMV and SYMV have
/// no counterpart in Kiln's generators: theirs are kept for the way back and used by none.
Request request_of(const ProblemClass& problem);

/// The Parameters of the product that a decomposition means: rows and columns of the tile of a
/// work-item for CPUs, of a work-group elsewhere, seen in column-major order. `depth` is bwidth
/// where a work-group steps through K by it (GPUs); for CPUs it is a block of the cache, of which
/// clBLAS knows nothing, and stays the default, as everything else does.
Parameters product_parameters(const kdb::Record& record, const ProblemClass& problem,
                              const Parameters& defaults, bool on_cpu);

/// clBLAS's pattern for what Kiln computes by tiles of a product: gemm, trmm, syrk, syr2k; empty
/// for others. (A triangular solve's tiles mean something else there.)
std::string_view tile_pattern(Routine routine);

/// The decomposition of a work-group of `threads` items that computes the product's tile, by
/// clBLAS's rules for the routine's tile_pattern(); nothing where the Parameters cannot be said so.
std::optional<kdb::Record> block_decomposition(const Parameters& parameters,
                                               const ProblemClass& problem, std::size_t threads,
                                               const kdb::DeviceLimits& device);

/// A record in full as Parameters, and back: so a store keeps what it cannot use. `pattern` is the
/// index in kdb::known_patterns(), `index` the record's in its setting.
struct PlacedRecord {
  std::size_t pattern = 0, index = 0;
  kdb::Record record;
};
Parameters to_parameters(const PlacedRecord& placed);
std::optional<PlacedRecord> placed_record(const Parameters& parameters);

/// Records of a setting: five for growing sizes, and one for matrices whose lines begin in the same
/// memory bank.
constexpr std::size_t kdb_record_count = 6, kdb_sized_records = 5;

/// The problem sizes that the six records of a setting stand for. A database does not say: clBLAS
/// 2.12 computes them from the device that reads it (its getStepGranulation; for a CPU of two
/// cores: 256 256 256 256 768 and 512 for float of level 3).
std::array<std::int64_t, kdb_record_count> kdb_record_sizes(const Device& device,
                                                            std::uint32_t type, bool level_2);

}  // namespace kiln::blas
