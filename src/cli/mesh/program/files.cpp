#include "cli/mesh/program/files.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/one_line.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"

namespace kiln::cli {

mesh::MeshFile read_mesh_input(const std::string& path) {
  return value_or_throw(mesh::read_mesh(path == "-" ? "/dev/stdin" : path));
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
