#include "cli/mesh/program/loop_report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command_line.hpp"
#include "cli/context.hpp"
#include "cli/json_line.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/timeline_files.hpp"
#include "cli/written_files.hpp"

namespace kiln::cli {
namespace {

void check_picture_name(const Context& context, const std::string& file) {
  const auto extension = std::filesystem::path(file).extension().string();
  if (extension != ".vtu")
    throw Error(Errc::bad_input,
                fmt::format("{}: --vtu {}: found the extension '{}', expected .vtu",
                            context.command().name, file, extension));
}

/// A search that ended early says nothing about what it did not try.
void print_unfinished(const mesh::LoopTuning& result) {
  const std::size_t seen = result.evaluated + result.skipped.size();
  if (seen < result.configurations)
    print(fmt::format("{}: {} of {} tried; time ran out\n", result.name, result.evaluated,
                      result.configurations));
}

}  // namespace

mesh::Mesh::Options mesh_options_of(const Context& context) {
  mesh::Mesh::Options options;
  options.device = context.text("device");
  options.store = context.text("store");
  options.check = context.flag("check");
  options.timing = context.flag("report");
  std::vector<NamedFile> written;
  for (const char* option : {"trace", "gantt"})
    if (context.has(option)) written.push_back({std::string("--") + option, context.text(option)});
  options.timeline = !written.empty();
  if (find_option(context.command(), "vtu") != nullptr && context.has("vtu")) {
    const std::string& picture = context.text("vtu");
    check_picture_name(context, picture);
    written.push_back({"--vtu", picture});
  }
  std::vector<NamedFile> read;
  if (find_option(context.command(), "grid") != nullptr && !context.text("grid").empty())
    read.push_back({"--grid", context.text("grid")});
  check_written_files(written, read);
  return options;
}

void write_timeline(const Context& context, mesh::Mesh& mesh) {
  Timeline timeline;
  for (auto& span : mesh.timeline()) {
    TraceEvent event{span.lane, span.name, span.category, span.start_ns, span.end_ns, {}};
    if (!span.reason.empty()) event.details.push_back({"reason", span.reason});
    timeline.add(std::move(event));
  }
  if (context.has("trace")) write_trace(timeline, context.text("trace"));
  if (context.has("gantt")) write_gantt(timeline, context.text("gantt"));
}

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
    table.row({result.name, std::to_string(result.evaluated), std::to_string(result.configurations),
               fmt::format("{:.3f}", 1e3 * result.seconds), fmt::format("{:.2f}", result.faster_by),
               result.best});
  print(table.text());
  for (const auto& result : results) print_unfinished(result);
  print("\n");
  for (const auto& result : results)
    for (const auto& configuration : result.skipped)
      complain(fmt::format("note: {}: {} is left out: an earlier process ended while it tried it",
                           result.name, configuration));
}

void print_loops(mesh::Mesh& mesh, bool json) {
  const auto loops = mesh.report();
  const double bandwidth = mesh.copy_bandwidth();
  if (json) {
    for (const auto& loop : loops)
      print_json({{"loop", loop.name},
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
                  {"lanes_obstacle", loop.lanes_obstacle}});
    print_json({{"device", mesh.device_name()}, {"copy_bytes_per_second", bandwidth}});
    return;
  }
  Table table(
      {"LOOP", "COUNT", "MS EACH", "PLAN MS", "PROGRAM MS", "MB EACH", "GB/S", "OF COPY", "FORM"});
  for (const auto& loop : loops) {
    const auto count = static_cast<double>(loop.count);
    table.row({loop.name, std::to_string(loop.count),
               fmt::format("{:.3f}", 1e3 * loop.seconds / count),
               fmt::format("{:.1f}", 1e3 * loop.plan_seconds),
               fmt::format("{:.1f}", 1e3 * loop.compile_seconds),
               fmt::format("{:.1f}", 1e-6 * static_cast<double>(loop.bytes) / count),
               fmt::format("{:.1f}", loop.gigabytes_per_second), fmt::format("{:.2f}", loop.share),
               loop.form});
  }
  print("\n" + table.text());
  for (const auto& loop : loops)
    if (!loop.lanes_obstacle.empty())
      print(fmt::format("{}: one element at a time: {}\n", loop.name, loop.lanes_obstacle));
  print(fmt::format("\n{}: a copy moves {:.1f} GB/s, bytes read and written counted\n",
                    mesh.device_name(), 1e-9 * bandwidth));
}

}  // namespace kiln::cli
