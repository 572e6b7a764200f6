#include <fmt/format.h>

#include "base/file.hpp"
#include "mesh/file/mesh_io.hpp"
#include "mesh/file/vtu.hpp"
#include "mesh/generate/naca0012.hpp"

// What kiln/mesh/file.hpp offers over the functions that give Expected.
namespace kiln::mesh {

MeshFile MeshFile::read(const std::filesystem::path& path, const FileLayout& layout) {
  return value_or_throw(read_mesh(path, layout));
}

MeshFile MeshFile::make(const Naca0012& recipe) { return value_or_throw(make_naca0012(recipe)); }

void MeshFile::write(const std::filesystem::path& path) const {
  value_or_throw(write_mesh(path, *this));
}

void MeshFile::write_vtu(const std::filesystem::path& path, const VtuChoice& choice) const {
  const auto bytes = mesh::write_vtu(*this, choice);
  if (!bytes)
    throw Error(bytes.error().code(),
                fmt::format("{}: {}", path.string(), bytes.error().message()));
  value_or_throw(write_file(path, *bytes));
}

}  // namespace kiln::mesh
