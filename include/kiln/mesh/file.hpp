#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/mesh/mesh.hpp"

/// Mesh files: a file's content as plain data, read and written in the formats that Kiln knows, and
/// the way from there to the Sets, Maps and Dats of a Mesh. What OP2's programs do by
/// op_decl_*_hdf5 and op_fetch_data_hdf5. docs/meshes.md has an example.
namespace kiln::mesh {

struct FileSet {
  std::string name;
  std::int64_t size = 0;  ///< elements
};

struct FileMap {
  std::string name;
  std::string from, to;              ///< names of sets
  int arity = 1;                     ///< targets of an element
  std::vector<std::int32_t> values;  ///< size of `from` times arity, element by element, 0-based
};

struct FileDat {
  std::string name;
  std::string set;
  int dim = 1;                        ///< components of an element
  ScalarType type = ScalarType::f64;  ///< of a component
  /// Size of `set` times dim components, element by element, as they lie in memory.
  std::vector<std::byte> bytes;
  std::string type_text = {};  ///< the type as the file words it: "double", "double:soa"
};

/// A constant: of no set.
struct FileConst {
  std::string name;
  ScalarType type = ScalarType::f64;
  int dim = 1;
  std::vector<std::byte> bytes;
  std::string type_text = {};
};

/// The components of a FileDat or a FileConst; a view of it. T must be what its `type` says; else
/// the span is empty.
template <class T, class Data>
std::span<const T> values_of(const Data& data) {
  if (data.type != scalar_type_of<T>()) return {};
  return {reinterpret_cast<const T*>(data.bytes.data()), data.bytes.size() / sizeof(T)};
}

/// The bytes of a list of components, for FileDat::bytes.
template <class T>
std::vector<std::byte> bytes_of_values(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

/// Which sets the maps and dats of a file join. OP2's HDF5 files do not say it: the program that
/// reads one knows. Arities, dimensions and types are the file's own; a file's own attributes
/// (`from`, `to`, `set`) go before this.
struct FileLayout {
  struct Map {
    std::string name, from, to;
  };
  struct Dat {
    std::string name, set;
  };
  std::vector<Map> maps;
  std::vector<Dat> dats;
};

/// The names that OP2's example applications use: airfoil's, aero's and PyOP2's demos'. Lives for
/// the whole process.
KILN_API const FileLayout& known_names();

/// What a cell of a picture is, by its number of nodes in that order (VTK's, vtkCellType.h): 1, 2,
/// 3, 4, 4, 5, 6, 8.
enum class CellShape : std::uint8_t {
  vertex,
  line,
  triangle,
  quad,
  tetra,
  pyramid,
  wedge,
  hexahedron
};

/// What of a mesh a VTK file shows.
struct VtuChoice {
  std::string coordinates = {};  ///< the dat of the points; empty: p_x, else the only fitting one
  std::string cells = {};        ///< the map of the cells; empty: pcell, else the one of most nodes
  std::vector<std::string> dats = {};  ///< on the points' or the cells' set
  /// None: by the number of nodes. Four nodes of points that do not all lie at one z may be
  /// quadrilaterals or tetrahedra, and have to be named.
  std::optional<CellShape> shape = {};
};

/// The C-grid round a NACA 0012 profile that OP2's airfoil and aero run on, for any size.
struct Naca0012 {
  std::int64_t along = 400;  ///< I: cells along the profile's surface, and along each wake branch
  std::int64_t out = 600;    ///< J: cells from the profile outwards

  /// Which application it is for.
  enum class Variant : std::uint8_t {
    airfoil,  ///< with edges and boundary edges; the two branches of the wake have nodes each
    aero,     ///< with boundary nodes; the branches share their nodes, and cells list theirs by row
  };
  Variant variant = Variant::airfoil;
};

/// What a mesh file holds, as plain data: names and numbers, no objects of a Mesh. The same for all
/// formats, so that they convert into one another. A value: copies share nothing. Functions are
/// thread-safe while no thread changes the MeshFile, and throw Error with one line.
struct KILN_API MeshFile {
  std::vector<FileSet> sets;
  std::vector<FileMap> maps;
  std::vector<FileDat> dats;
  std::vector<FileConst> constants;
  std::vector<std::string> left_out;  ///< what a reader met and could not use: "NAME: why"

  /// The one of this name, or nullptr.
  const FileSet* find_set(std::string_view name) const;
  const FileMap* find_map(std::string_view name) const;
  const FileDat* find_dat(std::string_view name) const;
  const FileConst* find_const(std::string_view name) const;

  /// Reads a file: HDF5 in OP2's layout (docs/formats/mesh-hdf5.md), or OP2's new_grid.dat and
  /// FE_grid.dat (docs/formats/mesh-text.md), told by its content. `layout` says which sets the
  /// maps and dats of an HDF5 file join where the file itself does not. Every entry of a map is
  /// then one of its set. Throws not_found, io; bad_input for what is no such file or holds
  /// together badly. Files from strangers: the HDF5 library may not survive some damaged ones;
  /// `kiln mesh check` tries that in a process apart.
  static MeshFile read(const std::filesystem::path& path, const FileLayout& layout = known_names());

  /// Makes the mesh round a NACA 0012 profile: sets, maps, the coordinates `p_x`, and `p_bound` for
  /// airfoil (1: the profile, 2: far field); 3IJ cells. Throws bad_input: I below 2, J below 1, or
  /// more edges than 32-bit maps hold.
  static MeshFile make(const Naca0012& recipe);

  /// Writes what the name's extension says: .h5 and .hdf5 are HDF5, .dat is text, which holds
  /// airfoil's and aero's meshes only. The file appears whole or not at all. Throws bad_input for
  /// another extension, for a mesh whose parts do not fit one another, and for what the format
  /// cannot hold; io.
  void write(const std::filesystem::path& path) const;
  /// Writes a picture for ParaView and VTK (docs/formats/vtu.md), whatever the name ends in. Throws
  /// bad_input where something is missing or does not fit; io.
  void write_vtu(const std::filesystem::path& path, const VtuChoice& choice = {}) const;

  /// Takes over what a part of a Mesh is now, in place of one of the same name, and the Sets that
  /// it needs where there are none of their names. Owned elements only: no halo. That of a Dat
  /// runs the loops that change it.
  void store(const Set& set);
  void store(const Map& map);
  void store(const Dat& dat);
};

/// Writes a picture of a Mesh for ParaView and VTK: `cells` are drawn, at `coordinates` (1 to 3
/// floats or doubles) of what the map leads to, with `dats` on either. Of a Mesh in one part that
/// is the file `path`. Of a distributed one each part writes the cells that it owns, to NAME_R.vtu
/// for the path NAME.vtu and the rank R, and part 0 NAME.pvtu, which names these, once they are
/// there; cells have two fields more: `partition`, the rank, and `cell_number`, in the whole set.
/// All parts call it. Brings copies that are stale. `shape` as VtuChoice::shape. Throws on all
/// parts: bad_input where something is missing or does not fit; not_found for a folder; io.
KILN_API void write_vtu(const Mesh& mesh, const std::filesystem::path& path, const Map& cells,
                        const Dat& coordinates, const std::vector<Dat>& dats = {},
                        std::optional<CellShape> shape = {});

/// The parts of a file as those of a Mesh: each is made when it is first asked for, and is the same
/// one afterwards. Holds the file; the Mesh must outlive it and stay where it is. One thread at a
/// time a Mesh. Throws not_found for a name that the file does not have, with the reason where the
/// reader left it out.
class KILN_API FileObjects {
 public:
  FileObjects(Mesh& mesh, MeshFile file);

  const MeshFile& file() const { return file_; }
  Set set(const std::string& name);
  /// The Sets that it joins are made, too.
  Map map(const std::string& name);
  Dat dat(const std::string& name, DataLayout layout = DataLayout::aos);
  /// Its name must be a C identifier, as for Mesh::constant.
  Const constant(const std::string& name);

 private:
  Mesh* mesh_;
  MeshFile file_;
  std::map<std::string, Set> sets_;
  std::map<std::string, Map> maps_;
  std::map<std::string, Dat> dats_;
  std::map<std::string, Const> constants_;
};

}  // namespace kiln::mesh
