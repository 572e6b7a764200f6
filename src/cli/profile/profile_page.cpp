#include <fmt/format.h>

#include <algorithm>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/output/output.hpp"
#include "cli/profile/markup.hpp"
#include "cli/profile/profile.hpp"
#include "cli/profile/roofline.hpp"

// The page of a profile: markup alone, so that it needs no script.
namespace kiln::cli::profile {
namespace {

std::string cell(const std::string& markup) { return "<td>" + markup + "</td>"; }
std::string heading(const std::string& markup) { return "<th scope=\"row\">" + markup + "</th>"; }
std::string small(const std::string& markup) { return "<small>" + markup + "</small>"; }

/// A table in a frame that scrolls; columns that begin with '<' are aligned to the left.
std::string table(const std::string& name, const std::vector<std::string>& columns,
                  const std::string& rows) {
  std::string head;
  for (const std::string& column : columns)
    head += column.starts_with('<')
                ? fmt::format("<th scope=\"col\" class=\"words\">{}</th>", column.substr(1))
                : fmt::format("<th scope=\"col\">{}</th>", column);
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"{}\"><table><thead><tr>{}</tr>"
      "</thead><tbody>\n{}</tbody></table></div>\n",
      name, head, rows);
}

std::string section(const std::string& title, const std::string& content) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", title, content);
}

std::string facts(const std::string& markup) { return "<p class=\"facts\">" + markup + "</p>\n"; }

/// A share as a bar and a number.
std::string share_markup(double share) {
  return fmt::format(
      "<svg class=\"share\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\"><rect width=\"{:.1f}\" height=\"10\"/></svg><span "
      "class=\"number\">{}</span>",
      100 * share, percent(share));
}

double part_of(double value, double whole) { return whole > 0 ? value / whole : 0; }

// What the page says first.

std::string figure(const std::string& name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
}

std::string with_calls(const HostCalls& calls) {
  return time_markup(static_cast<double>(calls.ns)) + " " + small(fmt::format("× {}", calls.calls));
}

HostCalls sum_of(const std::map<std::string, HostCalls>& all) {
  HostCalls sum;
  for (const auto& [name, one] : all) sum.calls += one.calls, sum.ns += one.ns;
  return sum;
}

std::string figures(const Profile& profile) {
  HostCalls kernels{0, profile.kernel_ns()}, moved;
  for (const auto& kernel : profile.kernels) kernels.calls += kernel.times.calls;
  for (const auto& transfer : profile.transfers) {
    moved.calls += transfer.times.calls;
    moved.ns += transfer.times.total_ns;
  }
  std::uint64_t wall = 0;
  for (const auto& process : profile.processes) wall = std::max(wall, process.wall_ns);
  return "<dl class=\"figures\">\n" + figure("kernels", with_calls(kernels)) +
         figure("transfers", with_calls(moved)) +
         figure("builds, on the host", with_calls(sum_of(profile.builds))) +
         figure("waits of the host", with_calls(sum_of(profile.waits))) +
         figure("longest process", time_markup(static_cast<double>(wall))) + "</dl>\n";
}

// Devices.

std::string roofs_markup(const DeviceRoofs& roofs) {
  std::string text;
  const auto add = [&](const char* name, double value, const char* unit) {
    if (value > 0)
      text += fmt::format("{}{} {}{}", text.empty() ? "" : "; ", name, with_prefix(value), unit);
  };
  add("single precision", roofs.single_flops, "FLOP/s");
  add("with one chain of mads a work-item", roofs.single_chained_flops, "FLOP/s");
  add("double precision", roofs.double_flops, "FLOP/s");
  add("with one chain", roofs.double_chained_flops, "FLOP/s");
  add("memory read", roofs.read_bytes, "B/s");
  add("copied", roofs.copy_bytes, "B/s");
  return text;
}

std::string device_section(const Profile& profile, std::size_t number) {
  const ProfiledDevice& device = profile.devices[number];
  std::string content = facts(as_markup(fmt::format(
      "{}, {} compute units{}{}; driver {}; {}", device.vendor, device.compute_units,
      device.clock_mhz == 0 ? "" : fmt::format(" at {} MHz", device.clock_mhz),
      device.is_part ? " (a part of the device)" : "", device.driver_version, device.platform)));
  if (device.roofs)
    content += facts("Measured: " + roofs_markup(*device.roofs) +
                     (device.is_part ? "; all of the whole device." : "."));
  const std::string drawing = roofline_svg(profile, number);
  if (!drawing.empty())
    content += "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"roofline\">" +
               drawing + "</div>\n" +
               facts(
                   "A dot is a kernel whose operations were counted in its text; the larger, the "
                   "more time it took. The bytes are those bound to its buffer arguments: a kernel "
                   "that uses a part of them stands too far left, one whose data stay in caches "
                   "may stand above the memory's roof.");
  else if (device.roofs)
    content += facts("No kernel of this device has counted operations: there is no roofline.");
  return section(as_markup(device.name), content);
}

// Kernels.

std::string sizes_text(const std::vector<std::uint64_t>& sizes) {
  return fmt::format("{}", fmt::join(sizes, "×"));
}

std::string form_text(const LaunchForm& form) {
  return sizes_text(form.global) + " / " +
         (form.local.empty() ? "driver's choice" : sizes_text(form.local)) +
         (form.offset.empty() ? "" : " from " + sizes_text(form.offset));
}

std::string forms_markup(const ProfiledKernel& kernel) {
  constexpr std::size_t most = 3;
  std::string text;
  std::uint64_t others = kernel.other_launches;
  for (std::size_t i = 0; i < kernel.forms.size(); ++i) {
    if (i >= most) {
      others += kernel.forms[i].calls;
      continue;
    }
    text += (i == 0 ? "" : "<br>") + form_text(kernel.forms[i]);
    if (kernel.forms.size() > 1) text += " " + small(fmt::format("× {}", kernel.forms[i].calls));
  }
  if (others > 0) text += "<br>" + small(fmt::format("others × {}", others));
  return text;
}

/// The name, and the program's options where another program has a kernel of this name.
std::string name_markup(const Profile& profile, const ProfiledKernel& kernel) {
  std::string markup = as_markup(kernel.name);
  const auto same = std::ranges::count_if(profile.kernels, [&](const ProfiledKernel& other) {
    return other.name == kernel.name && other.program != kernel.program;
  });
  const ProfiledProgram& program = profile.programs[kernel.program];
  if (same > 0)
    markup += "<br>" + small(as_markup(shortened(
                           program.options.empty() ? program.identity : program.options, 60)));
  if (profile.devices.size() > 1)
    markup += "<br>" + small(as_markup(profile.devices[kernel.device].name));
  return markup;
}

std::string rate_markup(double value, double roof, const char* unit) {
  if (value <= 0) return "–";
  std::string markup = with_prefix(value) + unit;
  if (roof > 0) markup += "<br>" + small(percent(value / roof) + " of the roof");
  return markup;
}

std::string calls_markup(const CommandTimes& times) {
  std::string markup = std::to_string(times.calls);
  const std::uint64_t known = times.timed + times.failed;
  if (times.failed > 0) markup += "<br>" + small(fmt::format("{} failed", times.failed));
  if (times.calls > known)
    markup += "<br>" + small(fmt::format("{} without a time", times.calls - known));
  return markup;
}

std::string time_cells(const CommandTimes& times) {
  std::string cells;
  for (const std::uint64_t ns : {times.total_ns, times.median_ns, times.min_ns, times.max_ns})
    cells += cell(time_markup(static_cast<double>(ns)));
  return cells;
}

std::string kernel_row(const Profile& profile, std::size_t number) {
  const ProfiledKernel& kernel = profile.kernels[number];
  const auto& roofs = profile.devices[kernel.device].roofs;
  const bool doubles = kernel.operations.of_doubles * 2 > kernel.operations.per_work_item;
  const double memory = roofs ? roofs->memory_bytes() : 0;
  const double flops = !roofs ? 0 : doubles ? roofs->double_flops : roofs->single_flops;
  const double share =
      part_of(static_cast<double>(kernel.times.total_ns), static_cast<double>(profile.kernel_ns()));
  const std::string operations =
      kernel.operations.reason.empty()
          ? fmt::format("{:g} a work-item", kernel.operations.per_work_item)
          : "not counted: " + as_markup(kernel.operations.reason);
  return "<tr>" + heading(name_markup(profile, kernel)) + cell(share_markup(share)) +
         cell(calls_markup(kernel.times)) + time_cells(kernel.times) + "<td class=\"sizes\">" +
         forms_markup(kernel) + "</td>" +
         cell(rate_markup(kernel.bytes_per_second(), memory, "B/s")) +
         cell(rate_markup(kernel.flops(), flops, "FLOP/s")) + "<td class=\"words\">" + operations +
         "</td></tr>\n";
}

std::string kernels_section(const Profile& profile) {
  if (profile.kernels.empty()) return section("Kernels", facts("No kernel was launched."));
  std::string rows;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) rows += kernel_row(profile, i);
  return section(
      "Kernels",
      table("kernels",
            {"kernel", "share", "calls", "total", "median", "min", "max", "<global / local size",
             "bytes bound a second", "operations a second", "<operations"},
            rows) +
          facts(
              "Times are the device's own, from start to end of each launch. Bytes bound: the "
              "sizes "
              "of the buffers and images that a kernel's arguments were set to, an upper bound of "
              "what it moves once."));
}

// Transfers, builds, waits, processes.

std::string transfers_section(const Profile& profile) {
  if (profile.transfers.empty()) return {};
  std::string rows;
  for (const auto& transfer : profile.transfers) {
    const CommandTimes& times = transfer.times;
    const auto seconds = static_cast<double>(times.total_ns) * 1e-9;
    std::string name = as_markup(transfer.kind);
    if (profile.devices.size() > 1)
      name += "<br>" + small(as_markup(profile.devices[transfer.device].name));
    rows += "<tr>" + heading(name) + cell(calls_markup(times)) +
            cell(times.bytes == 0 ? "–" : with_prefix(static_cast<double>(times.bytes)) + "B") +
            time_cells(times) +
            cell(rate_markup(part_of(static_cast<double>(times.bytes), seconds), 0, "B/s")) +
            "</tr>\n";
  }
  return section(
      "Transfers",
      table("transfers",
            {"kind", "calls", "bytes", "total", "median", "min", "max", "bytes a second"}, rows));
}

std::string calls_rows(const std::vector<std::pair<const char*, HostCalls>>& all) {
  std::string rows;
  for (const auto& [name, calls] : all)
    if (calls.calls > 0)
      rows += "<tr>" + heading(name) + cell(std::to_string(calls.calls)) +
              cell(time_markup(static_cast<double>(calls.ns))) + "</tr>\n";
  return rows;
}

HostCalls find(const std::map<std::string, HostCalls>& all, const char* name) {
  const auto found = all.find(name);
  return found == all.end() ? HostCalls{} : found->second;
}

std::string host_section(const Profile& profile) {
  const auto& builds = profile.builds;
  const auto& waits = profile.waits;
  std::string rows = calls_rows({{"clBuildProgram", find(builds, "build")},
                                 {"clCompileProgram", find(builds, "compile")},
                                 {"clLinkProgram", find(builds, "link")},
                                 {"clGetProgramInfo, binaries", find(builds, "binaries")},
                                 {"clFinish", find(waits, "finish")},
                                 {"clWaitForEvents", find(waits, "wait_for_events")},
                                 {"blocking transfers", find(waits, "blocking_transfer")}});
  if (rows.empty()) return {};
  std::string content = table("builds and waits", {"call", "calls", "host time"}, rows);
  if (profile.failed_builds > 0)
    content += facts(fmt::format("{} of the builds failed.", profile.failed_builds));
  return section("Builds and waits of the host", content);
}

std::string processes_section(const Profile& profile) {
  std::string rows;
  for (const auto& process : profile.processes)
    rows += "<tr>" + heading(std::to_string(process.pid)) +
            cell(time_markup(static_cast<double>(process.wall_ns))) +
            cell(process.has_ended ? "yes" : "no") + "<td class=\"words\">" +
            as_markup(shortened(fmt::format("{}", fmt::join(process.command, " ")), 200)) +
            "</td></tr>\n";
  return section(
      "Processes",
      table("processes", {"process", "with OpenCL for", "ended in order", "<command"}, rows));
}

std::string notes(const Profile& profile) {
  std::string all;
  for (const auto& note : profile.notes) all += "<li>" + as_markup(note) + "</li>\n";
  return all.empty() ? "" : "<ul class=\"notes\">\n" + all + "</ul>\n";
}

/// The page with each of its places filled; they stand in this order.
std::string filled(std::string_view page, const std::string& title, const std::string& body) {
  std::string made;
  for (const auto& [place, text] :
       {std::pair<std::string_view, const std::string&>{"@title@", title},
        {"@title@", title},
        {"@body@", body}}) {
    const auto at = page.find(place);
    made += page.substr(0, at);
    made += text;
    page.remove_prefix(at + place.size());
  }
  return made += page;
}

}  // namespace

void write_profile_page(const Profile& profile, const std::filesystem::path& file) {
  std::string title = "Profile";
  if (!profile.processes.empty() && !profile.processes.front().command.empty())
    title +=
        " of " + as_markup(shortened(
                     fmt::format("{}", fmt::join(profile.processes.front().command, " ")), 80));
  std::string body;
  if (profile.processes.empty()) {
    body = section("Nothing", facts("No process of the program used OpenCL through its loader."));
  } else {
    body = figures(profile) + kernels_section(profile);
    for (std::size_t i = 0; i < profile.devices.size(); ++i) body += device_section(profile, i);
    body += transfers_section(profile) + host_section(profile) + processes_section(profile);
  }
  value_or_throw(write_file(file, as_bytes(filled(profile_html, title, notes(profile) + body))));
}

}  // namespace kiln::cli::profile
