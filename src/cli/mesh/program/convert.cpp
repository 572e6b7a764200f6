#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/context.hpp"
#include "cli/mesh/program/files.hpp"
#include "cli/mesh/program/verbs.hpp"
#include "cli/output.hpp"
#include "mesh/file/text.hpp"
#include "mesh/file/vtu.hpp"

namespace kiln::cli {
namespace {

bool is_vtu(const std::string& path) { return std::filesystem::path(path).extension() == ".vtu"; }

/// The options that mean something for VTK files alone would be ignored silently.
void refuse_vtu_options(const Context& context, const std::string& path) {
  for (const char* option : {"coordinates", "cells", "shape", "dat"})
    if (option == std::string_view("dat") ? !context.list(option).empty() : context.has(option))
      throw Error(Errc::bad_input, fmt::format("{}: --{} is for .vtu files, found {}",
                                               context.command().name, option, path));
}

std::optional<mesh::CellShape> shape_of(const Context& context) {
  if (!context.has("shape")) return std::nullopt;
  const auto& choices = find_option(context.command(), "shape")->choices;
  const auto at = std::find(choices.begin(), choices.end(), context.text("shape"));
  return static_cast<mesh::CellShape>(at - choices.begin());
}

void write_picture(const Context& context, const mesh::MeshFile& mesh, const std::string& path) {
  const auto bytes = mesh::write_vtu(mesh, {context.text("coordinates"), context.text("cells"),
                                            context.list("dat"), shape_of(context)});
  if (!bytes)
    throw Error(bytes.error().code(),
                fmt::format("{}: {}", context.arguments()[0], bytes.error().message()));
  value_or_throw(write_file(path, *bytes));
}

}  // namespace

int mesh_convert(Context& context) {
  const std::string& from = context.arguments()[0];
  const std::string& to = context.arguments()[1];
  if (!is_vtu(to)) {
    refuse_vtu_options(context, to);
    value_or_throw(mesh::expected_kind(to, ", .vtu (VTK)"));
  }
  const mesh::MeshFile mesh = read_mesh_argument(context);
  for (const std::string& left : mesh.left_out)
    complain(fmt::format("note: {}: left out {}", from, one_line(left)));
  if (is_vtu(to)) {
    write_picture(context, mesh, to);
    return 0;
  }
  value_or_throw(mesh::write_mesh(to, mesh));
  if (mesh::kind_by_name(to) == mesh::FileKind::text)
    for (const std::string& lost : mesh::lost_in_text(mesh))
      complain(fmt::format("note: {}: the text format cannot hold {}", to, one_line(lost)));
  return 0;
}

}  // namespace kiln::cli
