#include "cli/mesh/program/files.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/streams.hpp"
#include "base/text.hpp"
#include "cli/context.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_line.hpp"
#include "cli/mesh/program/trial.hpp"
#include "cli/output.hpp"
#include "mesh/file/hdf5.hpp"

namespace kiln::cli {

namespace {

/// What --map and --on say, then what is known of OP2's names: the first one counts.
mesh::FileLayout layout_of(const Context& context) {
  mesh::FileLayout layout;
  for (const auto& [name, sets] : context.assignments("map")) {
    const auto colon = sets.find(':');
    if (colon == 0 || colon == sets.npos || colon + 1 == sets.size())
      throw Error(Errc::bad_input, fmt::format("{}: --map: found '{}={}', expected NAME=FROM:TO",
                                               context.command().name, name, sets));
    layout.maps.push_back({name, sets.substr(0, colon), sets.substr(colon + 1)});
  }
  for (const auto& [name, set] : context.assignments("on")) layout.dats.push_back({name, set});
  return layout;
}

template <class T>
[[noreturn]] void refuse_absent(const std::string& path, const char* option,
                                const std::string& name, const std::vector<T>& list) {
  std::vector<std::string_view> names;
  for (const T& one : list) names.push_back(one.name);
  throw Error(Errc::bad_input, fmt::format("{}: {}: the file has no '{}'{}", path, option, name,
                                           did_you_mean(name, names)));
}

/// A word that changed nothing would be a slip that nobody notices.
void check_told(const std::string& path, const mesh::MeshFile& mesh, const mesh::FileLayout& told) {
  for (const auto& map : told.maps) {
    const auto* found = mesh.find_map(map.name);
    if (found == nullptr) refuse_absent(path, "--map", map.name, mesh.maps);
    if (found->from != map.from || found->to != map.to)
      throw Error(Errc::bad_input,
                  fmt::format("{}: --map: {} joins {} and {}, as the file says, "
                              "found {}:{}",
                              path, map.name, found->from, found->to, map.from, map.to));
  }
  for (const auto& dat : told.dats) {
    const auto* found = mesh.find_dat(dat.name);
    if (found == nullptr) refuse_absent(path, "--on", dat.name, mesh.dats);
    if (found->set != dat.set)
      throw Error(Errc::bad_input, fmt::format("{}: --on: {} is on {}, as the file says, found {}",
                                               path, dat.name, found->set, dat.set));
  }
}

}  // namespace

mesh::MeshFile read_mesh_argument(const Context& context) {
  const std::string& path = context.arguments().front();
  const mesh::FileLayout told = layout_of(context);
  mesh::FileLayout layout = told;
  const mesh::FileLayout& known = mesh::known_names();
  layout.maps.insert(layout.maps.end(), known.maps.begin(), known.maps.end());
  layout.dats.insert(layout.dats.end(), known.dats.begin(), known.dats.end());
  mesh::MeshFile mesh = read_mesh_input(path, layout);
  check_told(path, mesh, told);
  return mesh;
}

mesh::MeshFile read_mesh_input(const std::string& path, const mesh::FileLayout& layout) {
  const EndsAtOnce reading;
  const Bytes bytes = value_or_throw(read_input(path, mesh::largest_mesh_file));
  if (mesh::is_hdf5(bytes))
    if (const std::string signal = died_of([&] { (void)mesh::read_hdf5(bytes, layout); });
        !signal.empty())
      throw Error(
          Errc::bad_input,
          fmt::format("{}: damaged HDF5 file: the HDF5 library crashes while it reads it ({})",
                      path, signal));
  return value_or_throw(mesh::parse_mesh(path, bytes, layout));
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
