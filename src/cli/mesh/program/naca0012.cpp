#include "mesh/generate/naca0012.hpp"

#include <fmt/format.h>

#include "cli/context.hpp"
#include "cli/mesh/program/files.hpp"
#include "cli/mesh/program/verbs.hpp"
#include "cli/output_file.hpp"

namespace kiln::cli {

int mesh_naca0012(Context& context) {
  using mesh::FileKind;
  const std::string& path = required_output(context);
  // Before the work: a name that says nothing is found at once.
  const FileKind kind =
      context.flag("text") ? FileKind::text : value_or_throw(mesh::expected_kind(path));
  mesh::Naca0012 recipe{context.integer("cells-along"), context.integer("cells-out")};
  if (context.flag("aero")) recipe.variant = mesh::Naca0012::Variant::aero;
  auto made = mesh::make_naca0012(recipe);
  if (!made)
    throw Error(made.error().code(),
                fmt::format("{}: {}", context.command().name, made.error().message()));
  value_or_throw(mesh::write_mesh(path, *made, kind));
  print_written(path, *made, context.flag("json"));
  return 0;
}

}  // namespace kiln::cli
