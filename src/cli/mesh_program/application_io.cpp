// The input of an application (its mesh and options) and its output: the check of its result,
// reports on its loops, and pictures.
#include "cli/mesh_program/application_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/command.hpp"
#include "cli/command/context.hpp"
#include "cli/mesh_program/program.hpp"
#include "cli/mesh_program/ranks.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/timeline/timeline.hpp"
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
                      name, (wrong - values.begin()) / dim, *wrong);
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
  options.timing = context.flag("report");
  options.timeline = context.has("trace") || context.has("gantt");
  // The files to write were checked before the command began (check_written_files()).
  if (context.defines("vtu") && context.has("vtu") && ranks() != nullptr)
    throw Error(Errc::unsupported, fmt::format("{}: --vtu: found {} ranks, expected one process",
                                               context.command().name, ranks()->size()));
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

namespace {

/// Whether parts of a distributed mesh gave these lines: some loop met another part's elements.
bool is_in_parts(std::span<const mesh::LoopReport> loops) {
  return std::ranges::any_of(loops, [](const mesh::LoopReport& loop) {
    return loop.halo.exchanges > 0 || loop.redundant > 0;
  });
}

void add_halo(nlohmann::ordered_json& line, const mesh::LoopReport& loop) {
  line["redundant"] = loop.redundant;
  line["exchanges"] = loop.halo.exchanges;
  line["messages"] = loop.halo.messages;
  line["message_bytes"] = loop.halo.bytes;
  line["wait_seconds"] = loop.halo.wait_seconds;
  for (const mesh::HaloTraffic& one : loop.halos)
    line["halos"].push_back({{"dat", one.dat},
                             {"exchanges", one.exchanges},
                             {"messages", one.messages},
                             {"bytes", one.bytes}});
}

/// What went from this part to others, by loop and Dat.
void print_halos(std::span<const mesh::LoopReport> loops) {
  if (!is_in_parts(loops)) return;
  Table table({"LOOP", "HALO OF", "EXCHANGES", "MESSAGES", "KB", "WAIT MS", "REDUNDANT"});
  for (const auto& loop : loops) {
    if (loop.halo.exchanges == 0 && loop.redundant == 0) continue;
    const auto row = [&](const std::string& name, const mesh::HaloTraffic& halo,
                         const std::string& redundant) {
      table.row(loop.name, name, halo.exchanges, halo.messages,
                fmt::format("{:.1f}", 1e-3 * static_cast<double>(halo.bytes)),
                fmt::format("{:.1f}", 1e3 * halo.wait_seconds), redundant);
    };
    row("all", loop.halo, std::to_string(loop.redundant));
    for (const mesh::HaloTraffic& one : loop.halos)
      if (one.exchanges > 0) row(one.dat, one, "");
  }
  print("\n" + table.text());
}

/// A table of the loops that a Mesh has run, or a line of JSON for each.
void print_loops(mesh::Mesh& mesh, bool json) {
  const auto loops = mesh.report();
  const double bandwidth = mesh.copy_bandwidth();
  if (json) {
    for (const auto& loop : loops) {
      nlohmann::ordered_json line = {{"loop", loop.name},
                                     {"count", loop.count},
                                     {"seconds", loop.seconds},
                                     {"plan_seconds", loop.plan_seconds},
                                     {"program_seconds", loop.compile_seconds},
                                     {"bytes", loop.bytes},
                                     {"gigabytes_per_second", loop.gigabytes_per_second},
                                     {"share_of_copy", loop.share},
                                     {"plan_hits", loop.plan_hits},
                                     {"program_hits", loop.program_hits},
                                     {"colours", loop.colours},
                                     {"form", loop.form},
                                     {"lanes", loop.lanes},
                                     {"lanes_obstacle", loop.lanes_obstacle}};
      if (is_in_parts(loops)) add_halo(line, loop);
      print_json(line);
    }
    print_json({{"device", mesh.device_name()}, {"copy_bytes_per_second", bandwidth}});
    return;
  }
  Table table(
      {"LOOP", "COUNT", "MS EACH", "PLAN MS", "PROGRAM MS", "MB EACH", "GB/S", "OF COPY", "FORM"});
  for (const auto& loop : loops) {
    const auto count = static_cast<double>(loop.count);
    table.row(loop.name, loop.count, fmt::format("{:.3f}", 1e3 * loop.seconds / count),
              fmt::format("{:.1f}", 1e3 * loop.plan_seconds),
              fmt::format("{:.1f}", 1e3 * loop.compile_seconds),
              fmt::format("{:.1f}", 1e-6 * static_cast<double>(loop.bytes) / count),
              fmt::format("{:.1f}", loop.gigabytes_per_second), fmt::format("{:.2f}", loop.share),
              loop.form);
  }
  print("\n" + table.text());
  print_halos(loops);
  for (const auto& loop : loops)
    if (!loop.lanes_obstacle.empty())
      print("{}: one element at a time: {}\n", loop.name, loop.lanes_obstacle);
  print("\n{}: a copy moves {:.1f} GB/s, bytes read and written counted\n", mesh.device_name(),
        1e-9 * bandwidth);
}

void write_spans(const Context& context, mesh::Mesh& mesh) {
  Timeline timeline;
  for (auto& span : mesh.timeline()) {
    TraceEvent event{span.lane, span.name, span.category, span.start_ns, span.end_ns, {}};
    if (!span.reason.empty()) event.details.push_back({"reason", span.reason});
    timeline.add(std::move(event));
  }
  write_timeline(context, timeline);
}

}  // namespace

void print_run(const Context& context, mesh::Mesh& mesh) {
  if (context.flag("report")) print_loops(mesh, context.flag("json"));
  write_spans(context, mesh);
}

namespace {

template <class T>
mesh::FileDat dat_of(const char* name, const char* set, int dim, std::span<const T> values) {
  return {name, set, dim, mesh::scalar_type_of<T>(), mesh::bytes_of_values(values)};
}

mesh::MeshFile mesh_of(const PictureGrid& grid) {
  mesh::MeshFile file;
  file.sets = {{"nodes", static_cast<std::int64_t>(grid.nodes)},
               {"cells", static_cast<std::int64_t>(grid.cells)}};
  file.maps = {{"pcell", "cells", "nodes", 4, {grid.cell_nodes.begin(), grid.cell_nodes.end()}}};
  file.dats = {dat_of("p_x", "nodes", 2, grid.x)};
  return file;
}

/// Writes all data but the first, the coordinates.
void write(const std::string& path, const mesh::MeshFile& file) {
  mesh::VtuChoice choice;
  for (std::size_t dat = 1; dat < file.dats.size(); ++dat)
    choice.dats.push_back(file.dats[dat].name);
  value_or_throw(write_file(path, value_or_throw(mesh::write_vtu(file, choice))));
}

/// What follows from a cell's density, momentum and energy, for a diatomic gas (its ratio of
/// specific heats is 1.4).
template <class Real>
struct Derived {
  Real pressure = 0, mach = 0;
  explicit Derived(const Real* q) {
    constexpr Real ratio = static_cast<Real>(1.4);
    const Real square = (q[1] * q[1] + q[2] * q[2]) / (q[0] * q[0]);
    pressure = (ratio - 1) * (q[3] - q[0] * square / 2);
    mach = std::sqrt(square / (ratio * pressure / q[0]));
  }
};

}  // namespace

template <class Real>
void write_flow(const std::string& path, const PictureGrid& grid, std::span<const Real> q) {
  std::vector<Real> density, momentum, energy, pressure, mach;
  for (std::size_t cell = 0; cell < grid.cells; ++cell) {
    const Real* own = &q[4 * cell];
    const Derived<Real> derived(own);
    density.push_back(own[0]);
    momentum.insert(momentum.end(), {own[1], own[2], 0});  // vectors of VTK have three components
    energy.push_back(own[3]);
    pressure.push_back(derived.pressure);
    mach.push_back(derived.mach);
  }
  mesh::MeshFile file = mesh_of(grid);
  const auto add = [&](const char* name, int dim, const std::vector<Real>& values) {
    file.dats.push_back(dat_of(name, "cells", dim, std::span<const Real>(values)));
  };
  add("density", 1, density);
  add("momentum", 3, momentum);
  add("energy", 1, energy);
  add("pressure", 1, pressure);
  add("mach", 1, mach);
  write(path, file);
}

template void write_flow(const std::string&, const PictureGrid&, std::span<const double>);
template void write_flow(const std::string&, const PictureGrid&, std::span<const float>);

void write_potential(const std::string& path, const PictureGrid& grid,
                     std::span<const double> potential) {
  mesh::MeshFile file = mesh_of(grid);
  file.dats.push_back(dat_of("potential", "nodes", 1, potential));
  write(path, file);
}

}  // namespace kiln::cli
