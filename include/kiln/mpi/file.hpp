#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/mesh/file.hpp"
#include "kiln/mpi/environment.hpp"

/// HDF5 files of meshes that all ranks read and write together (docs/formats/mesh-hdf5.md): each
/// has a block of the rows of every map and dat, so that no rank has the whole mesh.
namespace kiln::mpi {

/// Which rows of a set a rank has.
struct SetBlock {
  std::string name;
  std::int64_t size = 0;   ///< elements of all ranks
  std::int64_t first = 0;  ///< of them here: from this one on
  std::int64_t count = 0;  ///< so many
};

struct MapBlock {
  std::string name;
  std::string from, to;              ///< names of sets
  int arity = 1;                     ///< targets of an element
  std::vector<std::int64_t> values;  ///< rows of `from` here, times arity; numbers of the whole set
};

struct DatBlock {
  std::string name;
  std::string set;
  int dim = 1;
  mesh::ScalarType type = mesh::ScalarType::f64;
  std::vector<std::byte> bytes;  ///< rows of `set` here, times dim components
  std::string type_text = {};    ///< the type as the file words it
};

/// A rank's part of a mesh file, as plain data. A value.
struct KILN_API MeshFileBlock {
  std::vector<SetBlock> sets;
  std::vector<MapBlock> maps;
  std::vector<DatBlock> dats;
  std::vector<mesh::FileConst> constants;  ///< whole, on each rank
  std::vector<std::string> left_out;       ///< what the reader could not use: "NAME: why"

  /// The one of this name, or nullptr.
  const SetBlock* find_set(std::string_view name) const;
  const MapBlock* find_map(std::string_view name) const;
  const DatBlock* find_dat(std::string_view name) const;

  /// Reads an HDF5 file: of a set of N elements rank r of P has rows N r / P to N (r + 1) / P,
  /// which are none where ranks are more. Sets may have more than 2^31 elements. Collective. What
  /// is wrong is thrown on all ranks, with the same message: not_found, io, unsupported without
  /// parallel HDF5; bad_input for what is no such file, is cut off or holds together badly.
  static MeshFileBlock read(const Communicator& comm, const std::filesystem::path& path,
                            const mesh::FileLayout& layout = mesh::known_names());

  /// Writes one file of all ranks' rows, in the order of the ranks; `first` and `size` follow from
  /// `count`. The data are the same bytes on any number of ranks, and those that MeshFile::write
  /// makes. The file appears whole or not at all. Collective: all ranks have the same sets, maps,
  /// dats and constants. Throws on all ranks: bad_input for what does not fit together, io,
  /// unsupported without parallel HDF5.
  void write(const Communicator& comm, const std::filesystem::path& path) const;

  /// This rank's block of a whole mesh that every rank has.
  static MeshFileBlock of(const Communicator& comm, const mesh::MeshFile& file);
};

}  // namespace kiln::mpi
