#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/os/file.hpp"
#include "cli/profile/profile.hpp"
#include "cli/timeline/timeline.hpp"

// The other two files of a profile: all its figures as JSON, and its spans.
namespace kiln::cli::profile {
namespace {

using Json = nlohmann::ordered_json;

void add_times(Json& to, const CommandTimes& times) {
  to["calls"] = times.calls;
  to["timed"] = times.timed;
  to["failed"] = times.failed;
  to["total_ns"] = times.total_ns;
  to["median_ns"] = times.median_ns;
  to["min_ns"] = times.min_ns;
  to["max_ns"] = times.max_ns;
  to["bytes"] = times.bytes;
}

Json or_null(bool is_known, const Json& value) { return is_known ? value : Json(); }

Json device_json(const ProfiledDevice& device) {
  Json to{{"name", device.name},           {"vendor", device.vendor},
          {"version", device.version},     {"driver_version", device.driver_version},
          {"platform", device.platform},   {"platform_version", device.platform_version},
          {"type", device.type},           {"compute_units", device.compute_units},
          {"clock_mhz", device.clock_mhz}, {"is_part", device.is_part}};
  if (!device.roofs) return to;
  const DeviceRoofs& roofs = *device.roofs;
  to["roofs"] = {
      {"single_flops", roofs.single_flops}, {"single_chained_flops", roofs.single_chained_flops},
      {"double_flops", roofs.double_flops}, {"double_chained_flops", roofs.double_chained_flops},
      {"read_bytes", roofs.read_bytes},     {"copy_bytes", roofs.copy_bytes}};
  return to;
}

Json kernel_json(const Profile& profile, const ProfiledKernel& kernel) {
  Json to{{"name", kernel.name}, {"program", kernel.program}, {"device", kernel.device}};
  add_times(to, kernel.times);
  const std::uint64_t whole = profile.kernel_ns();
  to["share"] =
      whole == 0 ? 0.0 : static_cast<double>(kernel.times.total_ns) / static_cast<double>(whole);
  to["work_items"] = kernel.work_items;
  to["bytes_per_second"] = kernel.bytes_per_second();
  const bool is_counted = kernel.operations.reason.empty();
  to["operations_per_work_item"] = or_null(is_counted, kernel.operations.per_work_item);
  to["flops"] = or_null(is_counted, kernel.flops());
  to["not_counted"] = or_null(!is_counted, kernel.operations.reason);
  for (const LaunchForm& form : kernel.forms)
    to["launches"].push_back({{"calls", form.calls},
                              {"global", form.global},
                              {"local", or_null(!form.local.empty(), form.local)},
                              {"offset", or_null(!form.offset.empty(), form.offset)}});
  to["other_launches"] = kernel.other_launches;
  return to;
}

Json calls_json(const std::map<std::string, HostCalls>& all) {
  Json to = Json::object();
  for (const auto& [name, calls] : all) to[name] = {{"calls", calls.calls}, {"ns", calls.ns}};
  return to;
}

}  // namespace

void write_profile_json(const Profile& profile, const std::filesystem::path& file) {
  Json to{{"format", "kiln profile of processes"}, {"version", 1}};
  for (const char* list : {"processes", "devices", "programs", "kernels", "transfers"})
    to[list] = Json::array();
  for (const auto& process : profile.processes)
    to["processes"].push_back({{"pid", process.pid},
                               {"command", process.command},
                               {"wall_ns", process.wall_ns},
                               {"ended", process.has_ended}});
  for (const auto& device : profile.devices) to["devices"].push_back(device_json(device));
  for (const auto& program : profile.programs)
    to["programs"].push_back({{"identity", program.identity},
                              {"has_text", program.has_text},
                              {"options", program.options},
                              {"builds", program.builds},
                              {"build_ns", program.build_ns}});
  for (const auto& kernel : profile.kernels) to["kernels"].push_back(kernel_json(profile, kernel));
  for (const auto& transfer : profile.transfers) {
    Json one{{"kind", transfer.kind}, {"device", transfer.device}};
    add_times(one, transfer.times);
    to["transfers"].push_back(std::move(one));
  }
  to["builds"] = calls_json(profile.builds);
  to["builds"]["failed"] = profile.failed_builds;
  to["waits"] = calls_json(profile.waits);
  to["notes"] = profile.notes;
  const std::string text = to.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  value_or_throw(write_file(file, as_bytes(text)));
}

// Spans.

namespace {

/// One line of a process's spans: "QUEUE WHAT START LENGTH BYTES".
struct Span {
  std::string queue, what;
  std::int64_t start = 0, length = 0;
  std::uint64_t bytes = 0;
};

/// What a span says, or nothing where the line is not one.
std::optional<TraceEvent> event_of(const Span& span, const Profile& profile,
                                   const ProfiledProcess& process) {
  TraceEvent event;
  event.start_ns = span.start;
  const std::string of_process =
      profile.processes.size() == 1 ? "" : fmt::format("process {}, ", process.pid);
  if (span.queue == "host") {
    event.lane = of_process.empty() ? "host" : of_process + "host";
    event.name = span.what;
    event.category = span.what == "wait" ? "wait" : "compile";
  } else {
    if (span.queue.size() > 9 || span.queue.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
    const std::size_t queue = std::stoul(span.queue);
    if (queue >= process.queues.size()) return std::nullopt;
    event.start_ns -= process.queues[queue].clock_distance_ns;
    event.lane = fmt::format("{}queue {}: {}", of_process, queue,
                             profile.devices[process.queues[queue].device].name);
    const bool is_kernel = span.what.find_first_not_of("0123456789") == std::string::npos;
    if (is_kernel && span.what.size() > 9) return std::nullopt;
    const std::size_t kernel = is_kernel ? std::stoul(span.what) : 0;
    if (is_kernel && kernel >= process.kernels.size()) return std::nullopt;
    event.name = is_kernel ? profile.kernels[process.kernels[kernel]].name : span.what;
    event.category = is_kernel              ? "kernel"
                     : span.what == "write" ? "write"
                     : span.what == "read"  ? "read"
                                            : "transfer";
    if (span.bytes != 0) event.details = {{"bytes", std::to_string(span.bytes)}};
  }
  event.end_ns = event.start_ns + span.length;
  return event;
}

}  // namespace

void write_profile_trace(const Profile& profile, const std::string& file) {
  Timeline timeline;
  for (const auto& process : profile.processes) {
    auto path = process.file;
    std::ifstream spans(path.replace_extension(".spans"));
    for (Span span; spans >> span.queue >> span.what >> span.start >> span.length >> span.bytes;)
      if (auto event = event_of(span, profile, process)) timeline.add(std::move(*event));
  }
  write_trace(timeline, file);
}

}  // namespace kiln::cli::profile
