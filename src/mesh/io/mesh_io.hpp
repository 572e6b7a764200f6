#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mesh/io/mesh_file.hpp"

namespace kiln::mesh {

/// The kinds of files that meshes are read from.
enum class FileKind : std::uint8_t { hdf5, text };

/// What a file of this name is to be: .h5 and .hdf5 are HDF5, .dat is text.
std::optional<FileKind> kind_by_name(const std::filesystem::path& path);
/// The same, or bad_input for another extension, with those that would do; `more` is named besides.
Expected<FileKind> expected_kind(const std::filesystem::path& path, std::string_view more = "");

/// Reads a mesh file of any kind that Kiln reads: HDF5 by its first bytes, else text
/// (read_text). `layout` says which sets the maps and dats of an HDF5 file join where the
/// file itself does not. Errors: one line with the path; bad_input for what is no such file.
/// Thread-safe.
Expected<MeshFile> read_mesh(const std::filesystem::path& path,
                             const FileLayout& layout = known_names());

/// 32-bit indices end long before.
inline constexpr std::uint64_t largest_mesh_file = 1ull << 37;

/// The same of bytes that were read already; `path` is named in errors, and its extension counts.
Expected<MeshFile> parse_mesh(const std::filesystem::path& path, ByteView bytes,
                              const FileLayout& layout = known_names());

/// Writes a file of the kind that its name says, or of another one. It appears whole or not at all.
/// Errors: bad_input for another extension and for a mesh that is not whole (check) or that the
/// format cannot hold; io.
Expected<void> write_mesh(const std::filesystem::path& path, const MeshFile& mesh);
Expected<void> write_mesh(const std::filesystem::path& path, const MeshFile& mesh, FileKind kind);

/// HDF5 files in OP2's layout (docs/formats/mesh-hdf5.md).

/// Whether the bytes begin as an HDF5 file does (also after a user block).
bool is_hdf5(ByteView bytes);

/// Reads an HDF5 file's bytes. What a dataset is follows from its own attributes where Kiln wrote
/// it, else from `layout`, else from its shape where that leaves no choice; what remains is named
/// in MeshFile::left_out. Errors (bad_input): one line. Thread-safe; calls wait for one another.
Expected<MeshFile> read_hdf5(ByteView bytes, const FileLayout& layout = known_names());

/// The bytes of the HDF5 file; the same for the same mesh. OP2 reads it, and read_hdf5 without a
/// layout. Errors: bad_input for a mesh that is not whole (check). Thread-safe as above.
Expected<Bytes> write_hdf5(const MeshFile& mesh);

/// The text files of OP2's example applications (docs/formats/mesh-text.md): `new_grid.dat` of
/// airfoil, whose header has four numbers, and `FE_grid.dat` of aero, whose header has three.
/// The names of sets, maps and dats are those that the applications give them.

/// Reads either. Strict: a record is a line, nothing is missing and nothing too much, every number
/// of a node or cell is one. Errors (bad_input): "line 7: found 'x', expected …". Pure.
Expected<MeshFile> read_text(ByteView text);

/// Writes the file whose parts the mesh has: airfoil's where it has edges, else aero's.
/// Coordinates have 6 decimals, rounded as printf does. Errors (bad_input): a part is missing or
/// has another shape, with what was expected. Pure.
Expected<Bytes> write_text(const MeshFile& mesh);

/// The maps, dats and constants that such a file has no place for.
std::vector<std::string> lost_in_text(const MeshFile& mesh);

/// The bytes of an unstructured grid (.vtu) that ParaView and VTK open: XML with the numbers
/// appended in base64, little-endian, with 64-bit lengths (docs/formats/vtu.md). Points are of 1 to
/// 3 floats or doubles; cells are what VtuChoice::shape says, or go by the map's arity.
/// Quadrilaterals, and the two of a hexahedron, may have their nodes once round or row by row, as
/// aero's have. Pure. Errors (bad_input): what is missing or does not fit.
Expected<Bytes> write_vtu(const MeshFile& mesh, const VtuChoice& choice = {});

/// The file (.pvtu) that names pieces of a picture, each a .vtu of write_vtu(); `piece` is one of
/// them, which have the same arrays. Pure. Errors (bad_input): as write_vtu().
Expected<Bytes> write_pvtu(const MeshFile& piece, const VtuChoice& choice,
                           const std::vector<std::string>& names);

// How numbers and bytes stand in the files (encoding.cpp).

/// The most characters that write_decimals needs: 309 digits before the point.
inline constexpr std::size_t longest_decimals = 320;

/// Writes a number with 6 decimals, to the letter as printf's "%f" does, and gives the end. Numbers
/// of a mesh's size take a tenth of the time.
char* write_decimals(char* to, double value);

/// What reading the text of write_decimals gives: the number rounded to 6 decimals, the sign of a
/// zero kept.
double rounded_to_decimals(double value);

/// Appends bytes in base64 (RFC 4648, padded), by libsodium.
void append_base64(Bytes& out, ByteView bytes);

// The mesh round a profile (naca0012.cpp).

/// The cubic spline through points of rising abscissa with not-a-knot ends: its third derivative is
/// continuous at the second and at the last but one point, so that the first two pieces are one
/// cubic, and the last two. Outside of the points the end pieces go on. (De Boor, A Practical Guide
/// to Splines, ch. IV.) Immutable.
class NotAKnotSpline {
 public:
  /// As many ordinates as abscissae, at least 4.
  NotAKnotSpline(std::vector<double> x, std::vector<double> y);
  double operator()(double x) const;

 private:
  std::vector<double> x_, y_;
  std::vector<double> curvature_;  ///< second derivatives at the points
};

/// MeshFile::make. The profile (99 intervals, dense at both ends) is unwrapped by a
/// square root about x = 0.0077, a spline goes through it, rows of points lie between the spline
/// and a parabola far out, and squaring brings all back. Coordinates are rounded to 6 decimals, as
/// all figures published for these meshes belong to the rounded ones. From I = 519 on the columns
/// next to the trailing edge lie past the profile's last point, where the spline is continued.
/// Pure and thread-safe. Errors (bad_input): I below 2, J below 1, or more edges than 32-bit maps
/// hold.
Expected<MeshFile> make_naca0012(const Naca0012& mesh);

}  // namespace kiln::mesh
