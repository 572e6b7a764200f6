#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "blas/call/problem_class.hpp"
#include "device/device.hpp"
#include "kernel/request/parameters.hpp"
#include "kernel/resolver/generator.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kiln/formats/kdb.hpp"

// clBLAS's kernel databases and Kiln's tuning records: databases read as records, used as a source
// of Parameters, put into a store, and written from one.
namespace kiln::blas {

/// The tuned records of a database as measurements, by problem class.
struct KdbMeasurements {
  std::map<std::string, TuningRecord> by_class;
  std::size_t taken = 0;      ///< records in by_class
  std::size_t untuned = 0;    ///< hold nothing
  std::size_t unsound = 0;    ///< break clBLAS's own rules: never used (kdb::verify says why)
  std::size_t unreached = 0;  ///< tuned, in settings that no look-up of clBLAS's finds
};

/// Reads them off for a device, which decides what sizes they stand for. `name` is the file's, for
/// people. Errors: unsupported (a layout that says nothing of its types).
Expected<KdbMeasurements> measurements_of(const kdb::Database& database, const std::string& name,
                                          const Device& device);

/// clBLAS's kernel databases as a source of the Resolver's Parameters: `<device name>.kdb` in a
/// folder, read when a device's records are first asked for, and not again. A file that is not
/// there says nothing; one that cannot be read costs a line in the log. Thread-safe.
class KdbRecords : public ParameterSource {
 public:
  explicit KdbRecords(std::string folder) : folder_(std::move(folder)) {}
  std::string name() const override { return "kernel database"; }
  TuningRecord find(const Request& request, const Device& device) const override;

 private:
  KdbMeasurements read(const Device& device) const;
  std::string folder_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, KdbMeasurements> by_device_;  ///< by speed identity
};

/// Of the folder that CLBLAS_STORAGE_PATH names; null where it is unset or empty.
std::unique_ptr<ParameterSource> kdb_records_of_environment();

/// Puts the tuned records of a database on record in the Resolver's store, along with what is
/// there: Kiln's own measurements stay first. Errors: as measurements_of.
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
