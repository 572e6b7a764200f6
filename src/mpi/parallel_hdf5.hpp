#pragma once

#ifdef KILN_WITH_PARALLEL_HDF5

#include <hdf5.h>

#include <optional>
#include <span>

#include "mesh/io/hdf5_objects.hpp"
#include "mpi/communicator.hpp"

/// The parallel HDF5 library: a file that all ranks of a communicator have opened. Calls are
/// collective, and what they throw depends on the file alone, which is the same for all.
namespace kiln::mpi {

using mesh::hdf5::Dataset;
using mesh::hdf5::Handle;

/// Rows of a dataset.
struct Rows {
  std::uint64_t first = 0, count = 0;
};

class ParallelFile {
 public:
  enum class Mode : std::uint8_t { read, create };
  /// Throws bad_input for a file that cannot be read, io for one that cannot be made.
  ParallelFile(MPI_Comm comm, const std::string& path, Mode mode);

  std::vector<Dataset> datasets() const;
  /// Some rows in the given type; a dataset without extents has one.
  std::vector<std::byte> read(const Dataset& dataset, mesh::ScalarType type, Rows rows) const;
  /// Adds a dataset with its attributes; each rank writes its rows, in the dataset's type.
  void add(const Dataset& dataset, Rows rows, std::span<const std::byte> values) const;
  /// Everything is on its way to the disk. Throws io.
  void close();

 private:
  mesh::hdf5::Quiet quiet_;
  Handle access_;
  Handle transfer_;
  std::optional<Handle> file_;
};

}  // namespace kiln::mpi

#endif
