// Mesh files of one process.
#include <pybind11/stl/filesystem.h>

#include "python/mesh/file_contents.hpp"

namespace kiln::python {
namespace {

using mesh::MeshFile;

py::dict arrays_of(const MeshFile& file) {
  return contents_of(file, [](const mesh::FileSet& set) { return set.size; });
}

MeshFile made_of(const py::dict& contents) {
  return file_of<MeshFile>(contents, [](const std::string& name, std::int64_t rows) {
    return mesh::FileSet{name, rows};
  });
}

}  // namespace

void bind_files(py::module_& module) {
  module.def("read_file",
             [](const std::filesystem::path& path) { return arrays_of(MeshFile::read(path)); });
  module.def("naca0012", [](std::int64_t along, std::int64_t out, bool for_aero) {
    mesh::Naca0012 recipe;
    recipe.along = along;
    recipe.out = out;
    if (for_aero) recipe.variant = mesh::Naca0012::Variant::aero;
    return arrays_of(MeshFile::make(recipe));
  });
  module.def("write_file", [](const py::dict& contents, const std::filesystem::path& path) {
    made_of(contents).write(path);
  });
  module.def("write_vtu", [](const py::dict& contents, const std::filesystem::path& path,
                             const std::string& coordinates, const std::string& cells,
                             const std::vector<std::string>& dats) {
    made_of(contents).write_vtu(path, {coordinates, cells, dats});
  });
}

}  // namespace kiln::python
