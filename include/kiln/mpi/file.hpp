#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
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

  /// The same of a mesh that rank 0 has, which hands out the rows: of what one process reads alone
  /// (text, a pipe). `file` counts on rank 0. Others wait for ten times the limit on waiting, since
  /// that one may be reading. Collective. Throws bad_input on rank 0 for parts that do not fit
  /// together, and io.
  static MeshFileBlock of_first_rank(const Communicator& comm, const mesh::MeshFile& file);

  /// Takes over what a part of a distributed Mesh is now: the rows that this rank declared, in
  /// their order, whoever owns them since Mesh::partition(). In place of one of the same name; the
  /// Sets that it needs are added. Collective. That of a Dat runs the loops that change it.
  void store(const mesh::Mesh& mesh, const mesh::Set& set);
  void store(const mesh::Mesh& mesh, const mesh::Map& map);
  void store(const mesh::Mesh& mesh, const mesh::Dat& dat);
};

/// The parts of a file as those of a distributed Mesh that is not partitioned yet: each is made
/// when it is first asked for, and is the same one afterwards. All ranks ask for the same in the
/// same order. Holds the file; the Mesh must outlive it and stay where it is. Throws not_found for
/// a name that the file does not have.
class KILN_API FileBlockObjects {
 public:
  FileBlockObjects(mesh::Mesh& mesh, MeshFileBlock file);

  const MeshFileBlock& file() const { return file_; }
  mesh::Set set(const std::string& name);
  /// The Sets that it joins are made, too.
  mesh::Map map(const std::string& name);
  mesh::Dat dat(const std::string& name, mesh::DataLayout layout = mesh::DataLayout::aos);
  mesh::Const constant(const std::string& name);

 private:
  mesh::Mesh* mesh_;
  MeshFileBlock file_;
  std::map<std::string, mesh::Set> sets_;
  std::map<std::string, mesh::Map> maps_;
  std::map<std::string, mesh::Dat> dats_;
  std::map<std::string, mesh::Const> constants_;
};

/// MeshFileBlock::read() by the ranks of the Mesh's Transport, one of transport(). Collective.
/// Throws as that, and bad_input for a Mesh that has none.
KILN_API FileBlockObjects read_hdf5(mesh::Mesh& mesh, const std::filesystem::path& path,
                                    const mesh::FileLayout& layout = mesh::known_names());

/// Writes Maps and Dats of a distributed Mesh with their Sets, in the order in which the ranks
/// declared them: the same file whatever the partition, which any number of ranks can read.
/// Collective. Throws as MeshFileBlock::write() and read_hdf5().
KILN_API void write_hdf5(const mesh::Mesh& mesh, const std::filesystem::path& path,
                         const std::vector<mesh::Map>& maps, const std::vector<mesh::Dat>& dats);

}  // namespace kiln::mpi
