#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/context.hpp"
#include "cli/json_line.hpp"
#include "cli/layout.hpp"
#include "cli/mesh/program/files.hpp"
#include "cli/mesh/program/verbs.hpp"
#include "cli/output.hpp"
#include "mesh/file/inspect.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;
using mesh::MeshFile;

/// A constant's values belong to no set; for the rest it is a dat of one element.
mesh::FileDat as_dat(const mesh::FileConst& constant) {
  return {constant.name, {}, constant.dim, constant.type, constant.bytes, constant.type_text};
}

template <class T>
void add_range(Json& to, const std::optional<mesh::Range<T>>& range) {
  to["least"] = range ? Json(range->least) : Json(nullptr);
  to["greatest"] = range ? Json(range->greatest) : Json(nullptr);
}

Json dat_json(const mesh::FileDat& dat) {
  Json out{{"name", dat.name}};
  if (!dat.set.empty()) out["set"] = dat.set;
  out["type"] = mesh::name_of(dat.type);
  out["dim"] = dat.dim;
  add_range(out, mesh::range_of(dat));
  return out;
}

Json json_of(const std::string& path, const MeshFile& mesh) {
  Json out{{"file", path}};
  for (const char* list : {"sets", "maps", "dats", "constants", "left_out"})
    out[list] = Json::array();
  for (const auto& set : mesh.sets) out["sets"].push_back({{"name", set.name}, {"size", set.size}});
  for (const auto& map : mesh.maps) {
    Json one{{"name", map.name}, {"from", map.from}, {"to", map.to}, {"arity", map.arity}};
    add_range(one, mesh::range_of(map));
    out["maps"].push_back(std::move(one));
  }
  for (const auto& dat : mesh.dats) out["dats"].push_back(dat_json(dat));
  for (const auto& constant : mesh.constants)
    out["constants"].push_back(dat_json(as_dat(constant)));
  for (const auto& left : mesh.left_out) out["left_out"].push_back(left);
  return out;
}

template <class T>
std::vector<std::string> range_cells(const std::optional<mesh::Range<T>>& range) {
  if (!range) return {"-", "-"};
  return {fmt::format("{}", range->least), fmt::format("{}", range->greatest)};
}

void add_row(Table& table, std::vector<std::string> cells, const std::vector<std::string>& range) {
  cells.insert(cells.end(), range.begin(), range.end());
  table.row(std::move(cells));
}

/// A table after an empty line, where it has rows.
void print_table(const Table& table) {
  if (table.rows() > 0) print("\n" + table.text());
}

std::string type_of(const mesh::FileDat& dat) { return std::string(mesh::name_of(dat.type)); }

void print_tables(const MeshFile& mesh) {
  Table sets({"SET", "SIZE"});
  for (const auto& set : mesh.sets) sets.row({set.name, std::to_string(set.size)});
  print(sets.text());
  Table maps({"MAP", "FROM", "TO", "ARITY", "LEAST", "GREATEST"});
  for (const auto& map : mesh.maps)
    add_row(maps, {map.name, map.from, map.to, std::to_string(map.arity)},
            range_cells(mesh::range_of(map)));
  print_table(maps);
  Table dats({"DAT", "SET", "TYPE", "DIM", "LEAST", "GREATEST"});
  for (const auto& dat : mesh.dats)
    add_row(dats, {dat.name, dat.set, type_of(dat), std::to_string(dat.dim)},
            range_cells(mesh::range_of(dat)));
  print_table(dats);
  Table constants({"CONSTANT", "TYPE", "DIM", "LEAST", "GREATEST"});
  for (const auto& constant : mesh.constants) {
    const auto dat = as_dat(constant);
    add_row(constants, {dat.name, type_of(dat), std::to_string(dat.dim)},
            range_cells(mesh::range_of(dat)));
  }
  print_table(constants);
  Table left({"LEFT OUT"});
  for (const auto& line : mesh.left_out) left.row({line});
  print_table(left);
}

}  // namespace

int mesh_info(Context& context) {
  const std::string& path = context.arguments().front();
  const MeshFile mesh = read_mesh_argument(context);
  if (context.flag("json"))
    print_json(json_of(path, mesh));
  else
    print_tables(mesh);
  return 0;
}

}  // namespace kiln::cli
