// What an application says of its loops, of one process or of all ranks, and its timeline.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command/context.hpp"
#include "cli/mesh_program/application_io.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/timeline/timeline.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string milliseconds(double seconds, int decimals = 3) {
  return fmt::format("{:.{}f}", 1e3 * seconds, decimals);
}

Json loop_json(const mesh::LoopReport& loop) {
  return {{"loop", loop.name},
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
}

void print_obstacle(const mesh::LoopReport& loop) {
  if (!loop.lanes_obstacle.empty())
    print("{}: one element at a time: {}\n", loop.name, loop.lanes_obstacle);
}

void print_device(mesh::Mesh& mesh, bool json) {
  const double bandwidth = mesh.copy_bandwidth();
  if (json)
    print_json({{"device", mesh.device_name()}, {"copy_bytes_per_second", bandwidth}});
  else
    print("\n{}: a copy moves {:.1f} GB/s, bytes read and written counted\n", mesh.device_name(),
          1e-9 * bandwidth);
}

/// A table of the loops that a Mesh has run, or a line of JSON for each.
void print_loops(mesh::Mesh& mesh, bool json) {
  const auto loops = mesh.report();
  if (json) {
    for (const auto& loop : loops) print_json(loop_json(loop));
    return print_device(mesh, json);
  }
  Table table(
      {"LOOP", "COUNT", "MS EACH", "PLAN MS", "PROGRAM MS", "MB EACH", "GB/S", "OF COPY", "FORM"});
  for (const auto& loop : loops) {
    const auto count = static_cast<double>(loop.count);
    table.row(loop.name, loop.count, milliseconds(loop.seconds / count),
              milliseconds(loop.plan_seconds, 1), milliseconds(loop.compile_seconds, 1),
              fmt::format("{:.1f}", 1e-6 * static_cast<double>(loop.bytes) / count),
              fmt::format("{:.1f}", loop.gigabytes_per_second), fmt::format("{:.2f}", loop.share),
              loop.form);
  }
  print("\n" + table.text());
  for (const auto& loop : loops) print_obstacle(loop);
  print_device(mesh, json);
}

// Of all ranks.

Json json_of(const mesh::OverParts& figure) {
  return {{"least", figure.least},
          {"mean", figure.mean},
          {"greatest", figure.greatest},
          {"rank", figure.rank}};
}

void print_json_of(const mesh::PartsReport& report) {
  for (const mesh::PartsLoopReport& loop : report.loops) {
    Json line = loop_json(loop.all);
    line["seconds_of_ranks"] = json_of(loop.seconds);
    line["imbalance"] = loop.seconds.imbalance();
    line["redundant"] = loop.all.redundant;
    line["exchanges"] = loop.all.halo.exchanges;
    line["messages"] = loop.all.halo.messages;
    line["message_bytes"] = loop.all.halo.bytes;
    line["exchange_seconds"] = json_of(loop.exchange_seconds);
    line["wait_seconds"] = json_of(loop.wait_seconds);
    for (const mesh::HaloTraffic& one : loop.all.halos)
      line["halos"].push_back({{"dat", one.dat},
                               {"exchanges", one.exchanges},
                               {"messages", one.messages},
                               {"bytes", one.bytes}});
    print_json(line);
  }
  print_json(
      {{"reductions", report.reductions}, {"wait_seconds", json_of(report.reduction_seconds)}});
  for (const mesh::PartsSetReport& set : report.sets)
    print_json({{"set", set.name},
                {"elements", set.elements},
                {"ranks", report.parts},
                {"owned", json_of(set.owned)},
                {"imbalance", set.owned.imbalance()},
                {"exec_halo", json_of(set.exec_halo)},
                {"halo", json_of(set.halo)},
                {"neighbours", json_of(set.neighbours)}});
  for (const mesh::PartsMapReport& map : report.maps)
    print_json({{"map", map.name}, {"elements", map.elements}, {"cut", map.cut}});
}

std::string ratio(double value) { return fmt::format("{:.2f}", value); }

void print_times(const mesh::PartsReport& report) {
  Table table({"LOOP", "COUNT", "MS WORST", "MEAN", "LEAST", "WORST RANK", "IMBALANCE", "PLAN MS",
               "PROGRAM MS", "GB/S", "OF COPY", "FORM"});
  for (const mesh::PartsLoopReport& loop : report.loops) {
    const auto each = [&](double seconds) {
      return milliseconds(seconds / static_cast<double>(loop.all.count));
    };
    table.row(loop.all.name, loop.all.count, each(loop.seconds.greatest), each(loop.seconds.mean),
              each(loop.seconds.least), loop.seconds.rank, ratio(loop.seconds.imbalance()),
              milliseconds(loop.all.plan_seconds, 1), milliseconds(loop.all.compile_seconds, 1),
              fmt::format("{:.1f}", loop.all.gigabytes_per_second), ratio(loop.all.share),
              loop.all.form);
  }
  print("\n" + table.text());
}

/// What went from all ranks to others, by loop and Dat.
void print_messages(const mesh::PartsReport& report) {
  Table table({"LOOP", "HALO OF", "EXCHANGES", "MESSAGES", "KB", "EXCHANGE MS", "MEAN", "WAIT MS",
               "MEAN", "REDUNDANT"});
  const auto kilobytes = [](std::size_t bytes) {
    return fmt::format("{:.1f}", 1e-3 * static_cast<double>(bytes));
  };
  for (const auto& loop : report.loops) {
    const mesh::HaloTraffic& halo = loop.all.halo;
    if (halo.exchanges == 0 && loop.all.redundant == 0) continue;
    table.row(loop.all.name, "all", halo.exchanges, halo.messages, kilobytes(halo.bytes),
              milliseconds(loop.exchange_seconds.greatest, 1),
              milliseconds(loop.exchange_seconds.mean, 1),
              milliseconds(loop.wait_seconds.greatest, 1), milliseconds(loop.wait_seconds.mean, 1),
              loop.all.redundant);
    for (const mesh::HaloTraffic& one : loop.all.halos)
      if (one.exchanges > 0)
        table.row(loop.all.name, one.dat, one.exchanges, one.messages, kilobytes(one.bytes),
                  milliseconds(one.seconds, 1), "", milliseconds(one.wait_seconds, 1), "", "");
  }
  if (table.rows() > 0) print("\n" + table.text());
  if (report.reductions > 0)
    print("\nGlobals were brought together {} times: ranks waited {} ms at most, {} on average\n",
          report.reductions, milliseconds(report.reduction_seconds.greatest, 1),
          milliseconds(report.reduction_seconds.mean, 1));
}

void print_partition(const mesh::PartsReport& report) {
  const auto whole = [](double value) { return fmt::format("{:.0f}", value); };
  Table sets({"SET", "ELEMENTS", "OWNED MOST", "LEAST", "IMBALANCE", "EXEC HALO", "HALO", "MEAN",
              "NEIGHBOURS", "MEAN"});
  for (const mesh::PartsSetReport& set : report.sets)
    sets.row(set.name, set.elements, whole(set.owned.greatest), whole(set.owned.least),
             fmt::format("{:.3f}", set.owned.imbalance()), whole(set.exec_halo.greatest),
             whole(set.halo.greatest), fmt::format("{:.1f}", set.halo.mean),
             whole(set.neighbours.greatest), fmt::format("{:.1f}", set.neighbours.mean));
  print("\n" + sets.text());
  Table maps({"MAP", "ELEMENTS", "CUT"});
  for (const mesh::PartsMapReport& map : report.maps) maps.row(map.name, map.elements, map.cut);
  print("\n" + maps.text());
}

void print_ranks(mesh::Mesh& mesh, bool json) {
  const mesh::PartsReport report = mesh.report_of_parts();
  if (json) {
    print_json_of(report);
    return print_device(mesh, json);
  }
  print_times(report);
  print_messages(report);
  print_partition(report);
  for (const mesh::PartsLoopReport& loop : report.loops) print_obstacle(loop.all);
  print_device(mesh, json);
}

/// "rank 3: host". A device's own name stands behind a word, so
/// that each rank has its lanes in one order.
std::string lane_of(const mesh::TimelineSpan& span) {
  const bool is_device = span.lane != "host" && span.lane != "messages";
  return fmt::format("rank {}: {}{}", span.rank, is_device ? "device " : "", span.lane);
}

void write_spans(const Context& context, mesh::Mesh& mesh) {
  if (!context.has("trace") && !context.has("gantt")) return;
  const bool in_parts = mesh.transport() != nullptr;
  Timeline timeline;
  for (auto& span : mesh.timeline_of_parts()) {
    TraceEvent event{in_parts ? lane_of(span) : span.lane,
                     span.name,
                     span.category,
                     span.start_ns,
                     span.end_ns,
                     {}};
    if (!span.reason.empty()) event.details.push_back({"reason", span.reason});
    timeline.add(std::move(event));
  }
  if (!in_parts || mesh.transport()->rank() == 0) write_timeline(context, timeline);
}

}  // namespace

void print_run(const Context& context, mesh::Mesh& mesh) {
  if (context.flag("report")) {
    const bool json = context.flag("json");
    mesh.transport() == nullptr ? print_loops(mesh, json) : print_ranks(mesh, json);
  }
  write_spans(context, mesh);
}

}  // namespace kiln::cli
