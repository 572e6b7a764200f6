#include "cli/mesh/program/files.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/input_file.hpp"
#include "base/one_line.hpp"
#include "cli/json_line.hpp"
#include "cli/mesh/program/trial.hpp"
#include "cli/output.hpp"
#include "mesh/file/hdf5.hpp"

namespace kiln::cli {

mesh::MeshFile read_mesh_input(const std::string& path) {
  const std::string from = path == "-" ? "/dev/stdin" : path;
  const Bytes bytes = value_or_throw(read_input(from, mesh::largest_mesh_file));
  if (mesh::is_hdf5(bytes))
    if (const std::string signal = died_of([&] { (void)mesh::read_hdf5(bytes); }); !signal.empty())
      throw Error(
          Errc::bad_input,
          fmt::format("{}: damaged HDF5 file: the HDF5 library dies of it ({})", from, signal));
  return value_or_throw(mesh::parse_mesh(from, bytes));
}

void print_written(const std::string& path, const mesh::MeshFile& mesh, bool json) {
  if (json) {
    nlohmann::ordered_json sets = nlohmann::ordered_json::object();
    for (const mesh::FileSet& set : mesh.sets) sets[set.name] = set.size;
    return print_json({{"file", path}, {"sets", std::move(sets)}});
  }
  std::string line;
  for (const mesh::FileSet& set : mesh.sets)
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", set.size, one_line(set.name));
  print(fmt::format("{}: {}\n", one_line(path), line));
}

}  // namespace kiln::cli
