// Mesh files on the disk, of whatever kind.
#include "mesh/io/mesh_io.hpp"

#include <fmt/format.h>

#include "base/os/file.hpp"

namespace kiln::mesh {
namespace {

/// An error with the file in front.
Error with_path(const std::filesystem::path& path, const Error& error) {
  return {error.code(), fmt::format("{}: {}", path.string(), error.message())};
}

/// As a text grid does: else it is a file of another kind.
bool begins_with_number(ByteView bytes) {
  const std::string_view text = as_text(bytes);
  const auto at = text.find_first_not_of(" \t\r\n");
  return at != text.npos && text[at] >= '0' && text[at] <= '9';
}

}  // namespace

std::optional<FileKind> kind_by_name(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".h5" || extension == ".hdf5") return FileKind::hdf5;
  if (extension == ".dat") return FileKind::text;
  return std::nullopt;
}

Expected<MeshFile> read_mesh(const std::filesystem::path& path, const FileLayout& layout) {
  const auto bytes = read_input(path, largest_mesh_file);
  if (!bytes) return tl::unexpected(bytes.error());
  return parse_mesh(path, *bytes, layout);
}

Expected<MeshFile> parse_mesh(const std::filesystem::path& path, ByteView bytes,
                              const FileLayout& layout) {
  // A damaged HDF5 file is not read as text, so that the message says what it is.
  const bool hdf5 = is_hdf5(bytes) || kind_by_name(path) == FileKind::hdf5;
  auto mesh = hdf5 ? read_hdf5(bytes, layout) : read_text(bytes);
  if (!mesh && !hdf5 && !begins_with_number(bytes))
    return fail(Errc::bad_input, fmt::format("{}: neither HDF5 nor a grid as text: {}",
                                             path.string(), mesh.error().message()));
  if (!mesh) return tl::unexpected(with_path(path, mesh.error()));
  return mesh;
}

Expected<FileKind> expected_kind(const std::filesystem::path& path, std::string_view more) {
  if (const auto kind = kind_by_name(path)) return *kind;
  return fail(Errc::bad_input,
              fmt::format("{}: found the extension {}, expected .h5 or .hdf5 (HDF5), .dat (text){}",
                          path.string(), quote(path.extension().string()), more));
}

Expected<void> write_mesh(const std::filesystem::path& path, const MeshFile& mesh) {
  const auto kind = expected_kind(path);
  if (!kind) return tl::unexpected(kind.error());
  return write_mesh(path, mesh, *kind);
}

Expected<void> write_mesh(const std::filesystem::path& path, const MeshFile& mesh, FileKind kind) {
  const auto bytes = kind == FileKind::hdf5 ? write_hdf5(mesh) : write_text(mesh);
  if (!bytes) return tl::unexpected(with_path(path, bytes.error()));
  return write_file(path, *bytes);
}

// What kiln/mesh/file.hpp offers over the functions that give Expected.

MeshFile MeshFile::read(const std::filesystem::path& path, const FileLayout& layout) {
  return value_or_throw(read_mesh(path, layout));
}

MeshFile MeshFile::make(const Naca0012& recipe) { return value_or_throw(make_naca0012(recipe)); }

void MeshFile::write(const std::filesystem::path& path) const {
  value_or_throw(write_mesh(path, *this));
}

void MeshFile::write_vtu(const std::filesystem::path& path, const VtuChoice& choice) const {
  const auto bytes = mesh::write_vtu(*this, choice);
  if (!bytes) throw with_path(path, bytes.error());
  value_or_throw(write_file(path, *bytes));
}

}  // namespace kiln::mesh
