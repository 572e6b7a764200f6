// Mesh files: reading them, and the bodies of `kiln mesh info`, `check`, `convert` and `naca0012`.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/command.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/mesh_program/program.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "mesh/io/mesh_io.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What --map and --on say of the file's parts.
mesh::FileLayout layout_of(const Context& context) {
  mesh::FileLayout layout;
  for (const auto& [name, sets] : context.assignments("map")) {
    const auto colon = sets.find(':');
    if (colon == 0 || colon == sets.npos || colon + 1 == sets.size())
      throw bad_input("{}: --map: found '{}={}', expected NAME=FROM:TO", context.command().name,
                      name, sets);
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
  throw bad_input("{}: {}: the file has no '{}'{}", path, option, name, did_you_mean(name, names));
}

/// Throws bad_input for a --map or --on without effect, which must be a mistake.
void check_told(const std::string& path, const mesh::MeshFile& mesh, const mesh::FileLayout& told) {
  for (const auto& map : told.maps) {
    const auto* found = mesh.find_map(map.name);
    if (found == nullptr) refuse_absent(path, "--map", map.name, mesh.maps);
    if (found->from != map.from || found->to != map.to)
      throw bad_input("{}: --map: {} joins {} and {}, as the file says, found {}:{}", path,
                      map.name, found->from, found->to, map.from, map.to);
  }
  for (const auto& dat : told.dats) {
    const auto* found = mesh.find_dat(dat.name);
    if (found == nullptr) refuse_absent(path, "--on", dat.name, mesh.dats);
    if (found->set != dat.set)
      throw bad_input("{}: --on: {} is on {}, as the file says, found {}", path, dat.name,
                      found->set, dat.set);
  }
}

}  // namespace

mesh::MeshFile read_mesh_input(const std::string& path, const mesh::FileLayout& layout) {
  const EndsAtOnce reading;
  const Bytes bytes = value_or_throw(read_input(path, mesh::largest_mesh_file));
  if (mesh::is_hdf5(bytes))
    if (const std::string signal = died_of([&] { (void)mesh::read_hdf5(bytes, layout); });
        !signal.empty())
      throw bad_input("{}: damaged HDF5 file: the HDF5 library crashes while it reads it ({})",
                      path, signal);
  return value_or_throw(mesh::parse_mesh(path, bytes, layout));
}

namespace {

/// The mesh of a command's first word, with what its --map and --on say of the file's parts. Throws
/// bad_input where the file has no such part, or contradicts them.
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

// `kiln mesh info`: what a mesh file holds.

/// A constant as a dat of one element, without a set.
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

Json json_of(const std::string& path, const mesh::MeshFile& mesh) {
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

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(c - 'a' + 'A');
  return text;
}

/// A value of JSON in a table.
std::string cell_of(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A list of what json_of() gives as a table: its columns are the parts of the first.
std::string table_of(const std::string& title, const Json& list) {
  std::vector<std::string> heading;
  for (const auto& [name, value] : list.front().items())
    heading.push_back(name == "name" ? title : upper(name));
  Table table(heading);
  for (const Json& one : list) {
    std::vector<std::string> cells;
    for (const Json& value : one) cells.push_back(cell_of(value));
    table.row(std::move(cells));
  }
  return table.text();
}

void print_tables(const Json& mesh) {
  print(mesh["sets"].empty() ? Table({"SET", "SIZE"}).text() : table_of("SET", mesh["sets"]));
  for (const auto& [list, title] :
       {std::pair("maps", "MAP"), std::pair("dats", "DAT"), std::pair("constants", "CONSTANT")})
    if (!mesh[list].empty()) print("\n" + table_of(title, mesh[list]));
  Table left({"LEFT OUT"});
  for (const Json& line : mesh["left_out"]) left.row(line.get<std::string>());
  if (left.rows() > 0) print("\n" + left.text());
}

// `kiln mesh check`: what is wrong with a mesh file.

Json json_of(const mesh::Finding& finding) {
  Json out{{"part", finding.part}, {"what", finding.what}};
  if (finding.count > 0) out.update({{"elements", finding.count}, {"first", finding.first}});
  return out;
}

std::string text_of(const mesh::Finding& finding) {
  const std::string text = fmt::format("{}: {}", finding.part, finding.what);
  if (finding.count == 0) return text;
  return fmt::format("{}: {}, the first is {}", text, finding.count, finding.first);
}

// `kiln mesh convert`: a mesh file in another format.

bool is_vtu(const std::string& path) { return std::filesystem::path(path).extension() == ".vtu"; }

/// Refuses options that are for VTK files alone: they would be ignored silently.
void refuse_vtu_options(const Context& context, const std::string& path) {
  for (const char* option : {"coordinates", "cells", "shape", "dat"})
    if (option == std::string_view("dat") ? !context.list(option).empty() : context.has(option))
      throw bad_input("{}: --{} is for .vtu files, found {}", context.command().name, option, path);
}

std::optional<mesh::CellShape> shape_of(const Context& context) {
  if (!context.has("shape")) return std::nullopt;
  const auto& choices = find_option(context.command(), "shape")->choices;
  const auto at = std::find(choices.begin(), choices.end(), context.text("shape"));
  return static_cast<mesh::CellShape>(at - choices.begin());
}

void write_picture(const Context& context, const mesh::MeshFile& mesh, const std::string& path) {
  const auto bytes =
      value_or_named(context.arguments()[0],
                     mesh::write_vtu(mesh, {context.text("coordinates"), context.text("cells"),
                                            context.list("dat"), shape_of(context)}));
  value_or_throw(write_file(path, bytes));
}

// `kiln mesh naca0012`: a generated mesh.

/// "new_grid.h5: 721801 nodes, 1438600 edges, …", or the same as JSON, on standard output.
void print_written(const std::string& path, const mesh::MeshFile& mesh, bool json) {
  if (json) {
    nlohmann::ordered_json sets = nlohmann::ordered_json::object();
    for (const mesh::FileSet& set : mesh.sets) sets[set.name] = set.size;
    return print_json({{"file", path}, {"sets", std::move(sets)}});
  }
  std::string line;
  for (const mesh::FileSet& set : mesh.sets)
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", set.size, one_line(set.name));
  print("{}: {}\n", one_line(path), line);
}

}  // namespace

int mesh_info(Context& context) {
  const std::string& path = context.arguments().front();
  const mesh::MeshFile mesh = read_mesh_argument(context);
  const Json json = json_of(path, mesh);
  context.flag("json") ? print_json(json) : print_tables(json);
  return 0;
}

int mesh_check(Context& context) {
  const std::string& path = context.arguments().front();
  const mesh::MeshFile mesh = read_mesh_argument(context);
  const auto findings = mesh::inspect(mesh);
  const int code = findings.empty() ? 0 : 1;
  if (context.flag("json")) {
    auto list = Json::array();
    for (const auto& finding : findings) list.push_back(json_of(finding));
    print_json({{"file", path}, {"ok", findings.empty()}, {"findings", std::move(list)}});
    return code;
  }
  for (const auto& finding : findings) print_text("{}: {}\n", path, text_of(finding));
  if (findings.empty())
    print_text("{}: {} sets, {} maps, {} data, nothing wrong\n", path, mesh.sets.size(),
               mesh.maps.size(), mesh.dats.size());
  return code;
}

int mesh_convert(Context& context) {
  const std::string& from = context.arguments()[0];
  const std::string& to = context.arguments()[1];
  if (!is_vtu(to)) {
    refuse_vtu_options(context, to);
    value_or_throw(mesh::expected_kind(to, ", .vtu (VTK)"));
  }
  const mesh::MeshFile mesh = read_mesh_argument(context);
  for (const std::string& left : mesh.left_out)
    complain("note: {}: left out {}", from, one_line(left));
  if (is_vtu(to)) {
    write_picture(context, mesh, to);
    return 0;
  }
  value_or_throw(mesh::write_mesh(to, mesh));
  if (mesh::kind_by_name(to) == mesh::FileKind::text)
    for (const std::string& lost : mesh::lost_in_text(mesh))
      complain("note: {}: the text format cannot hold {}", to, one_line(lost));
  return 0;
}

int mesh_naca0012(Context& context) {
  using mesh::FileKind;
  const std::string& path = required_output(context);
  // Checked before the work: an unknown extension must not be found after it.
  const FileKind kind =
      context.flag("text") ? FileKind::text : value_or_throw(mesh::expected_kind(path));
  mesh::Naca0012 recipe{context.integer("cells-along"), context.integer("cells-out")};
  if (context.flag("aero")) recipe.variant = mesh::Naca0012::Variant::aero;
  const auto made =
      value_or_named(std::string(context.command().name), mesh::make_naca0012(recipe));
  value_or_throw(mesh::write_mesh(path, made, kind));
  print_written(path, made, context.flag("json"));
  return 0;
}

}  // namespace kiln::cli
