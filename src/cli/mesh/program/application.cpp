#include "cli/mesh/program/application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/context.hpp"
#include "cli/json_line.hpp"
#include "cli/mesh/program/files.hpp"
#include "cli/output.hpp"

namespace kiln::cli {

mesh::MeshFile application_mesh(const Context& context, mesh::Naca0012::Variant variant) {
  const std::string& path = context.text("grid");
  if (!path.empty()) return read_mesh_input(path);
  mesh::Naca0012 recipe;
  recipe.variant = variant;
  return value_or_throw(mesh::make_naca0012(recipe));
}

ApplicationFile::ApplicationFile(const Context& context, const mesh::MeshFile& file,
                                 std::string expected)
    : path_(context.text("grid")), file_(file), expected_(std::move(expected)) {}

void ApplicationFile::fail(const std::string& what) const {
  throw Error(Errc::bad_input,
              fmt::format("{}: {}, expected {}", one_line(path_), one_line(what), expected_));
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
      throw Error(Errc::bad_input,
                  fmt::format("{}: dat {}: element {} is {}, expected a finite number",
                              one_line(path_), name, (wrong - values.begin()) / dim, *wrong));
  }
  return *found;
}

Deviation deviation_from(double reference, double result, double tolerance_percent) {
  const double percent = std::abs(100 * result / reference - 100);
  return {percent < tolerance_percent, percent, tolerance_percent};
}

void check_reference(const Context& context) {
  if (context.has("reference") && context.number("reference") == 0)
    throw Error(Errc::bad_input, fmt::format("{}: --reference: found {}, expected a number above 0",
                                             context.command().name, context.text("reference")));
}

int print_deviation(const Context& context, const std::optional<Deviation>& deviation) {
  if (!deviation) return 0;
  if (context.flag("json"))
    print_json({{"check", deviation->passed ? "passed" : "failed"},
                {"deviation_percent", deviation->percent},
                {"allowed_percent", deviation->allowed_percent}});
  else
    print(fmt::format("check {}: {:.3g} % from the reference, {} % allowed\n",
                      deviation->passed ? "passed" : "FAILED", deviation->percent,
                      deviation->allowed_percent));
  return deviation->passed ? 0 : 1;
}

int print_wrong(const Context& context, std::size_t wrong, std::size_t all, const char* things) {
  if (context.flag("json"))
    print_json({{"check", wrong == 0 ? "passed" : "failed"}, {things, all}, {"wrong", wrong}});
  else if (wrong == 0)
    print(fmt::format("check passed: all of {} {} are right\n", all, things));
  else
    print(fmt::format("check FAILED: {} of {} {} are wrong\n", wrong, all, things));
  return wrong == 0 ? 0 : 1;
}

}  // namespace kiln::cli
