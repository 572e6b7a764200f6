// The input of an application (its mesh and options), the check of its result, and its search.
#include "cli/mesh_program/application_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "cli/command/command.hpp"
#include "cli/command/context.hpp"
#include "cli/mesh_program/program.hpp"
#include "cli/mesh_program/ranks.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "mesh/io/mesh_io.hpp"

namespace kiln::cli {

mesh::MeshFile application_mesh(const Context& context, mesh::Naca0012::Variant variant) {
  const std::string& path = context.text("grid");
  if (!path.empty())
    return ranks() == nullptr ? read_mesh_input(path) : ranks()->rows_of_file(path);
  mesh::Naca0012 recipe;
  recipe.variant = variant;
  mesh::MeshFile made = value_or_throw(mesh::make_naca0012(recipe));
  return ranks() == nullptr ? made : ranks()->rows_of(made);
}

ApplicationFile::ApplicationFile(const Context& context, const mesh::MeshFile& file,
                                 std::string expected)
    : path_(context.text("grid")), file_(file), expected_(std::move(expected)) {}

void ApplicationFile::fail(const std::string& what) const {
  throw bad_input("{}: {}, expected {}", one_line(path_), one_line(what), expected_);
}

std::size_t ApplicationFile::set(const char* name) const {
  const auto* found = file_.find_set(name);
  if (found == nullptr) fail(fmt::format("no set {}", name));
  return static_cast<std::size_t>(found->size);
}

std::span<const std::int32_t> ApplicationFile::map(const char* name, const char* from,
                                                   const char* to, int arity) const {
  const auto* found = file_.find_map(name);
  if (found == nullptr) fail(fmt::format("no map {}", name));
  if (found->from != from || found->to != to || found->arity != arity)
    fail(fmt::format("map {} leads from {} to {} {} each", name, found->from, found->arity,
                     found->to));
  return found->values;
}

const mesh::FileDat& ApplicationFile::find_dat(const char* name, const char* on, int dim,
                                               mesh::ScalarType type) const {
  const auto* found = file_.find_dat(name);
  if (found == nullptr) fail(fmt::format("no dat {}", name));
  if (found->set != on || found->dim != dim || found->type != type)
    fail(fmt::format("dat {} is on {}, {} of {} each", name, found->set, found->dim,
                     mesh::name_of(found->type)));
  if (type == mesh::ScalarType::f64) {
    const auto values = mesh::values_of<double>(*found);
    const auto wrong = std::find_if_not(values.begin(), values.end(),
                                        [](double value) { return std::isfinite(value); });
    if (wrong != values.end())
      throw bad_input("{}: dat {}: element {} is {}, expected a finite number", one_line(path_),
                      name, number_in_file(on, (wrong - values.begin()) / dim), *wrong);
  }
  return *found;
}

namespace {

void check_picture_name(const Context& context, const std::string& file) {
  const auto extension = std::filesystem::path(file).extension().string();
  if (extension != ".vtu")
    throw bad_input("{}: --vtu {}: found the extension '{}', expected .vtu", context.command().name,
                    file, extension);
}

}  // namespace

mesh::Mesh::Options mesh_options_of(const Context& context) {
  mesh::Mesh::Options options;
  options.device = context.text("device");
  options.store = context.text("store");
  options.check = context.flag("check");
  options.timing =
      context.flag("report") || (context.defines("balance") && context.flag("balance"));
  options.timeline = context.has("trace") || context.has("gantt");
  // The files to write were checked before the command began (check_written_files()).
  if (context.defines("vtu") && context.has("vtu"))
    check_picture_name(context, context.text("vtu"));
  return options;
}

Deviation deviation_from(double reference, double result, double tolerance_percent) {
  const double percent = std::abs(100 * result / reference - 100);
  return {percent < tolerance_percent, percent, tolerance_percent};
}

void check_reference(const Context& context) {
  if (context.has("reference") && context.number("reference") == 0)
    throw bad_input("{}: --reference: found {}, expected a number above 0", context.command().name,
                    context.text("reference"));
}

int print_deviation(const Context& context, const std::optional<Deviation>& deviation) {
  if (!deviation) return 0;
  print_either(context.flag("json"),
               {{"check", deviation->passed ? "passed" : "failed"},
                {"deviation_percent", deviation->percent},
                {"allowed_percent", deviation->allowed_percent}},
               fmt::format("check {}: {:.3g} % from the reference, {} % allowed\n",
                           deviation->passed ? "passed" : "FAILED", deviation->percent,
                           deviation->allowed_percent));
  return deviation->passed ? 0 : 1;
}

int print_wrong(const Context& context, std::size_t wrong, std::size_t all, const char* things) {
  print_either(context.flag("json"),
               {{"check", wrong == 0 ? "passed" : "failed"}, {things, all}, {"wrong", wrong}},
               wrong == 0
                   ? fmt::format("check passed: all of {} {} are right\n", all, things)
                   : fmt::format("check FAILED: {} of {} {} are wrong\n", wrong, all, things));
  return wrong == 0 ? 0 : 1;
}

namespace {

/// Says how much of its space a search that ended early has tried.
void print_unfinished(const mesh::LoopTuning& result) {
  const std::size_t seen = result.evaluated + result.skipped.size();
  if (seen < result.configurations)
    print("{}: {} of {} tried; time ran out\n", result.name, result.evaluated,
          result.configurations);
}

}  // namespace

void tune_loops(const Context& context, mesh::Mesh& mesh) {
  if (!context.has("tune")) return;
  const auto results = mesh.tune(context.number("tune"));
  if (context.flag("json")) {
    for (const auto& result : results)
      print_json({{"tuned", result.name},
                  {"configurations", result.configurations},
                  {"evaluated", result.evaluated},
                  {"failed", result.failed},
                  {"skipped", result.skipped},
                  {"best", result.best},
                  {"seconds", result.seconds},
                  {"faster_by", result.faster_by}});
    return;
  }
  Table table({"TUNED", "TRIED", "OF", "MS", "FASTER BY", "BEST"});
  for (const auto& result : results)
    table.row(result.name, result.evaluated, result.configurations,
              fmt::format("{:.3f}", 1e3 * result.seconds), fmt::format("{:.2f}", result.faster_by),
              result.best);
  print(table.text());
  for (const auto& result : results) print_unfinished(result);
  print("\n");
  for (const auto& result : results)
    for (const auto& configuration : result.skipped)
      complain("note: {}: {} is left out: an earlier process ended while it tried it", result.name,
               configuration);
}

}  // namespace kiln::cli
