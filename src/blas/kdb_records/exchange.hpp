#pragma once

#include <string>
#include <vector>

#include "blas/kdb_records/measurements.hpp"
#include "kernel/resolver.hpp"

namespace kiln::blas {

/// Puts the tuned records of a database on record in the Resolver's store, beside what is there:
/// Kiln's own measurements stay first. Errors: as measurements_of.
Expected<KdbMeasurements> put_on_record(const kdb::Database& database, const std::string& name,
                                        Resolver& resolver, const Device& device);

/// A database of what the Resolver's store has on record for a device.
struct KdbOfStore {
  kdb::Database database;  ///< complete; what is not on record is untuned
  std::size_t written = 0;
  std::size_t inferred = 0;  ///< besides: what has no time of its own and got the nearest size's
  std::vector<std::string> notes;  ///< what clBLAS's rules have no words for, one line each
};
/// What came from a database goes back to its place as it was. Kiln's own measurements of gemm,
/// trmm, syrk and syr2k become records of tile_pattern() where its rules allow their tile, in place
/// of slower ones; the other records of their setting get the nearest size's, since clBLAS reaches
/// none behind an untuned one. Those of CPUs never do: a work-group of clBLAS's has 64 work-items
/// or more. `doubles`: whether it has records of the double types; detect: if the device has them.
/// The result has no error of kdb::verify, and so is safe for clBLAS.
KdbOfStore database_of_store(const Resolver& resolver, const Device& device,
                             kdb::Doubles doubles = kdb::Doubles::detect);

}  // namespace kiln::blas
