#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kiln/mesh.hpp"
#include "mesh/io/mesh_io.hpp"

/// The input of an application (its mesh and options) and its output: the check of its result,
/// reports on its loops, and pictures.
namespace kiln::cli {

class Context;

/// The mesh that --grid names, or the large one; of several ranks the rows that this one has
/// (Ranks::rows_of). Throws Error.
mesh::MeshFile application_mesh(const Context& context, mesh::Naca0012::Variant variant);

/// The parts of a mesh file that an application needs. Throws bad_input, naming the file, for what
/// is absent or of another shape. Views of the file.
class ApplicationFile {
 public:
  /// `expected`: how the mesh is made, for errors.
  ApplicationFile(const Context& context, const mesh::MeshFile& file, std::string expected);

  std::size_t set(const char* name) const;
  std::span<const std::int32_t> map(const char* name, const char* from, const char* to,
                                    int arity) const;
  template <class T>
  std::span<const T> dat(const char* name, const char* on, int dim) const {
    return mesh::values_of<T>(find_dat(name, on, dim, mesh::scalar_type_of<T>()));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  const mesh::FileDat& find_dat(const char* name, const char* on, int dim,
                                mesh::ScalarType type) const;
  std::string path_;
  const mesh::MeshFile& file_;
  std::string expected_;
};

/// How far a result is from its reference.
struct Deviation {
  bool passed = false;
  double percent = 0;
  double allowed_percent = 0;
};
/// Throws bad_input for a --reference of 0, from which no deviation in percent can be computed. To
/// be called before the run.
void check_reference(const Context& context);
Deviation deviation_from(double reference, double result, double tolerance_percent);

/// Prints whether the check was passed, as text or JSON, if there was one. Returns the exit code: 1
/// where it failed.
int print_deviation(const Context& context, const std::optional<Deviation>& deviation);
/// The same for a count of wrong results: `wrong` of `all` `things`.
int print_wrong(const Context& context, std::size_t wrong, std::size_t all, const char* things);

/// What --device, --store, --check, --report, --trace and --gantt of an application say. Throws
/// Error where the picture that --vtu names has the wrong extension: such a mistake must not cost a
/// run.
mesh::Mesh::Options mesh_options_of(const Context& context);

/// Tunes the loops that a Mesh has run, where --tune says so, and prints the results.
void tune_loops(const Context& context, mesh::Mesh& mesh);

/// Prints and writes what --report, --trace and --gantt ask for. Throws Error.
void print_run(const Context& context, mesh::Mesh& mesh);

// Pictures for ParaView.

/// The cells that are drawn. Views.
struct PictureGrid {
  std::span<const double> x;                 ///< 2 a node
  std::span<const std::int32_t> cell_nodes;  ///< 4 a cell
  std::size_t nodes = 0, cells = 0;
};

/// What --vtu asks for: nothing where it is not given. On several ranks a piece from each.
class Picture {
 public:
  /// Before Mesh::partition(): the coordinates, in double precision, go along with the mesh.
  Picture(const Context& context, mesh::Mesh& mesh, const PictureGrid& grid,
          const mesh::Map& cell_nodes);

  /// Writes density, momentum, energy, pressure and Mach number of each cell, of `q`: 4 numbers a
  /// cell. `Real` is double or float. All ranks. Throws Error.
  template <class Real>
  void write_flow(const mesh::Dat& q) const;
  /// Writes the potential at the nodes. All ranks. Throws Error.
  void write_potential(mesh::Dat potential) const;

 private:
  void write(std::vector<mesh::FileDat> fields) const;

  std::string path_;
  mesh::Mesh* mesh_;
  PictureGrid grid_;
  mesh::Map cells_;
  std::optional<mesh::Dat> coordinates_;  ///< on several ranks
};

}  // namespace kiln::cli
