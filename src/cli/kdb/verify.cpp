// `kiln kdb verify`: is this database safe for clBLAS?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command/interrupt.hpp"
#include "cli/kdb/commands.hpp"
#include "cli/kdb/database_file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "device/device.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;
using FindingSeverity = kdb::Finding::Severity;

constexpr Option kdb_verify_options[] = {
    {.name = "device",
     .kind = Kind::text,
     .value_name = "DEVICE",
     .help = "A device as --devices names it. Work-groups have to fit it, too."},
    options::json,
    {.name = "quiet", .help = "Prints errors only.", .letter = 'q'},
};

constexpr Example kdb_verify_examples[] = {
    {"kiln kdb verify Tahiti.kdb", "Will clBLAS take this file, and get right results of it?"},
    {"kiln kdb verify --device gpu Tahiti.kdb", "Will this machine's GPU?"},
};

std::string line_of(const kdb::Report& report, const kdb::Finding& finding) {
  return fmt::format("byte {}, {}: {} [{}]", finding.place.offset,
                     kdb::describe(report.database, finding.place), finding.text, finding.rule);
}

std::string verdict(const kdb::Report& report) {
  if (!report.unreadable.empty()) return "unreadable";
  const std::size_t errors = report.count(FindingSeverity::error);
  const std::size_t warnings = report.count(FindingSeverity::warning);
  std::string text = errors > 0 ? plural(errors, "error") : "ok";
  if (warnings > 0) text += ", " + plural(warnings, "warning");
  if (errors > 0) return text;
  return text + (report.database.layout == kdb::Layout::v3 ? "; safe for clBLAS 2.12"
                                                           : "; clBLAS 2.12 reads version 3 only");
}

void print_kdb_findings(const std::string& path, const kdb::Report& report, bool quiet) {
  if (!report.unreadable.empty()) complain(fmt::format("{}: {}", path, report.unreadable));
  for (const auto& finding : report.findings) {
    const bool error = finding.severity == FindingSeverity::error;
    if (error || !quiet)
      complain(fmt::format("{}{}: {}", error ? "" : "warning: ", path, line_of(report, finding)));
  }
  if (!quiet) print(fmt::format("{}: {}\n", path, verdict(report)));
}

Json json_of(const std::string& path, const kdb::Report& report) {
  Json json{{"file", path}, {"ok", report.good()}};
  if (report.unreadable.empty())
    json["layout"] = kdb::name_of(report.database.layout);
  else
    json["unreadable"] = report.unreadable;
  json["findings"] = Json::array();
  for (const auto& finding : report.findings)
    json["findings"].push_back(
        {{"severity", finding.severity == FindingSeverity::error ? "error" : "warning"},
         {"rule", finding.rule},
         {"offset", finding.place.offset},
         {"place", kdb::describe(report.database, finding.place)},
         {"pattern", finding.place.pattern},
         {"setting", finding.place.setting},
         {"record", finding.place.record},
         {"text", finding.text}});
  return json;
}

/// Loads OpenCL only where --device is given.
kdb::DeviceLimits device_limits_of(const Context& context) {
  if (!context.has("device")) return {};
  const auto devices = value_or_throw(select_devices(context.text("device")));
  return {devices.front()->max_work_group_size};
}

}  // namespace

constinit const Command kdb_verify_command{
    .name = "kdb verify",
    .summary = "check whether clBLAS is safe with a kernel database",
    .description =
        "Checks everything about a database that makes clBLAS 2.12 crash, hang or compute wrong "
        "results, which it does not check itself: sums, patterns, settings and their order, and "
        "whether the decomposition of each tuned record is one that its generator can make. Each "
        "finding has the byte offset, the pattern, setting and record, and the rule. What clBLAS "
        "would never use is a warning.\n\n"
        "The exit code is 2 where there is an error; warnings leave it 0.",
    .options = kdb_verify_options,
    .positional = {.value_name = "FILE",
                   .help = "Kernel databases; - is standard input.",
                   .least = 1,
                   .most = 1'000'000,
                   .kind = Kind::file},
    .examples = kdb_verify_examples,
};

int kdb_verify(Context& context) {
  const EndsAtOnce reading;
  const kdb::DeviceLimits device = device_limits_of(context);
  bool good = true;
  for (const std::string& path : context.arguments()) {
    const Bytes bytes = read_database_bytes(path);
    const kdb::Report report = kdb::check(bytes, device);
    good = good && report.good();
    if (context.flag("json")) {
      print_json(json_of(path, report));
    } else {
      print_kdb_findings(path, report, context.flag("quiet"));
    }
  }
  return good ? 0 : exit_code(Errc::bad_input);
}

}  // namespace kiln::cli
