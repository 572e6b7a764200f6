// What is in a kernel database: `kiln kdb info`, `summary`, `dump` and `diff`; and is it safe for
// clBLAS: `kiln kdb verify`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/kdb/database_file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "device/device.hpp"

namespace kiln::cli {
namespace {

// `kiln kdb info` and `kiln kdb summary`: what a database is, and what is tuned in it.

using Json = nlohmann::ordered_json;

const Options kdb_info_options = {options::json};

struct DatabaseTotals {
  std::size_t settings = 0, records = 0, tuned = 0, kernels = 0, unknown = 0;
};

DatabaseTotals database_totals_of(const std::vector<kdb::PatternSummary>& patterns) {
  DatabaseTotals totals;
  for (const auto& pattern : patterns) {
    totals.settings += pattern.settings;
    totals.records += pattern.records;
    totals.tuned += pattern.tuned;
    totals.kernels += pattern.kernels;
    totals.unknown += pattern.function.empty();
  }
  return totals;
}

const char* meaning_of(kdb::Layout layout) {
  switch (layout) {
    case kdb::Layout::v3:
      return "as clBLAS writes it";
    case kdb::Layout::v1:
      return "as published, records of 172 bytes";
    default:
      return "as published, records of 184 bytes";
  }
}

std::string milliseconds_of(const kdb::PatternSummary& pattern, double time) {
  return pattern.tuned == 0 ? "-" : fmt::format("{:.6g}", time);
}

int kdb_info(Context& context) {
  const DatabaseFile file = read_database(context.arguments().front());
  const kdb::Database& database = file.database;
  const DatabaseTotals totals = database_totals_of(kdb::summarize(database));
  if (context.flag("json")) {
    print_json({{"file", file.path},
                {"bytes", file.bytes.size()},
                {"layout", kdb::name_of(database.layout)},
                {"functions", database.functions},
                {"binary_data_start", database.binary_start},
                {"binary_bytes", database.binaries.size()},
                {"patterns", database.patterns.size()},
                {"unknown_patterns", totals.unknown},
                {"settings", totals.settings},
                {"records", totals.records},
                {"tuned", totals.tuned},
                {"kernels", totals.kernels}});
    return 0;
  }
  const auto line = [](std::string_view name, const std::string& value) {
    print("{:<18} {}\n", name, value);
  };
  line("file", fmt::format("{} ({} bytes)", file.path, file.bytes.size()));
  line("layout",
       fmt::format("{} ({})", kdb::name_of(database.layout), meaning_of(database.layout)));
  line("functions", std::to_string(database.functions));
  line("patterns",
       fmt::format("{} ({} unknown to clBLAS 2.12)", database.patterns.size(), totals.unknown));
  line("settings", std::to_string(totals.settings));
  line("records", fmt::format("{} ({} tuned)", totals.records, totals.tuned));
  line("binary data start", std::to_string(database.binary_start));
  line("kernels", fmt::format("{} ({} bytes)", totals.kernels, database.binaries.size()));
  return 0;
}

int kdb_summary(Context& context) {
  const DatabaseFile file = read_database(context.arguments().front());
  const auto patterns = kdb::summarize(file.database);
  if (context.flag("json")) {
    for (const auto& pattern : patterns) {
      Json json{{"pattern", pattern.name},      {"function", pattern.function},
                {"settings", pattern.settings}, {"records", pattern.records},
                {"tuned", pattern.tuned},       {"kernels", pattern.kernels}};
      if (pattern.function.empty()) json["function"] = nullptr;
      json["fastest_ms"] = pattern.tuned == 0 ? Json(nullptr) : Json(pattern.fastest);
      json["slowest_ms"] = pattern.tuned == 0 ? Json(nullptr) : Json(pattern.slowest);
      print_json(json);
    }
    return 0;
  }
  Table table({"FUNCTION", "PATTERN", "SETTINGS", "RECORDS", "TUNED", "FASTEST ms", "SLOWEST ms"});
  // describe() makes the name fit for a terminal: a file's control bytes must not reach it.
  kdb::Place place;
  for (const auto& pattern : patterns) {
    ++place.pattern;
    table.row(pattern.function.empty() ? "?" : std::string(pattern.function),
              kdb::describe(file.database, place), pattern.settings, pattern.records, pattern.tuned,
              milliseconds_of(pattern, pattern.fastest), milliseconds_of(pattern, pattern.slowest));
  }
  print(table.text());
  return 0;
}

// `kiln kdb dump`: a database as text or JSON.

int kdb_dump(Context& context) {
  const EndsAtOnce reading;
  const DatabaseFile file = read_database(context.arguments().front());
  if (context.flag("json")) {
    print(kdb::to_json(file.database));
  } else {
    print(kdb::to_text(file.database,
                       context.flag("tuned") ? kdb::Shown::only_tuned : kdb::Shown::all));
  }
  return 0;
}

// `kiln kdb diff`: what differs between two databases.

int kdb_diff(Context& context) {
  const EndsAtOnce reading;
  const DatabaseFile first = read_database(context.arguments()[0]);
  const DatabaseFile second = read_database(context.arguments()[1]);
  const auto differences = kdb::diff(first.database, second.database);
  if (!context.flag("quiet"))
    for (const auto& difference : differences) {
      if (context.flag("json")) {
        print_json({{"place", difference.place},
                    {"first", difference.first},
                    {"second", difference.second}});
        continue;
      }
      print(difference.place + "\n");
      if (!difference.first.empty()) print("- {}\n", difference.first);
      if (!difference.second.empty()) print("+ {}\n", difference.second);
    }
  return differences.empty() ? 0 : 1;
}

using FindingSeverity = kdb::Finding::Severity;

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
  if (!report.unreadable.empty()) complain("{}: {}", path, report.unreadable);
  for (const auto& finding : report.findings) {
    const bool error = finding.severity == FindingSeverity::error;
    if (error || !quiet)
      complain("{}{}: {}", error ? "" : "warning: ", path, line_of(report, finding));
  }
  if (!quiet) print("{}: {}\n", path, verdict(report));
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

}  // namespace

const Command kdb_info_command{
    .name = "kdb info",
    .summary = "say what a kernel database is",
    .description =
        "Prints the layout of a clBLAS kernel database, its header and how much it holds. Version "
        "3 is what clBLAS 2.12 writes, version 1 what its wiki describes.",
    .options = {kdb_info_options},
    .positional = one_database,
    .examples = {{"kiln kdb info Tahiti.kdb", "Which layout is it, and how much of it is tuned?"},
                 {"zcat Tahiti.kdb.gz | kiln kdb info -", "The same of a compressed file."}},
    .body = kdb_info,
};

const Command kdb_summary_command{
    .name = "kdb summary",
    .summary = "list the patterns of a kernel database and what is tuned",
    .description =
        "Prints a line a pattern: its BLAS function, settings, records, how many of them are "
        "tuned, the shortest and the longest time in milliseconds.",
    .options = {kdb_info_options},
    .positional = one_database,
    .examples = {{"kiln kdb summary Tahiti.kdb", "Which patterns are tuned?"}},
    .body = kdb_summary,
};

const Command kdb_dump_command{
    .name = "kdb dump",
    .summary = "print a kernel database as text or JSON",
    .description =
        "Prints every record. Sizes of a level read x x y x bwidth; records that say nothing are "
        "drawn together.",
    .options = {{Option::flag(
                     "json",
                     "Prints one JSON document, from which `kdb build` makes the same file."),
                 Option::flag("tuned", "Leaves out untuned records (of the text; JSON has all).")}},
    .positional = one_database,
    .examples = {{"kiln kdb dump --tuned Tahiti.kdb", "Shows what the tuner found."},
                 {"kiln kdb dump --json Tahiti.kdb > tahiti.json",
                  "For editing, or for another program."}},
    .body = kdb_dump,
};

const Command kdb_diff_command{
    .name = "kdb diff",
    .summary = "compare two kernel databases",
    .description =
        "Prints what differs, by pattern, setting and record: a line with - for what the first "
        "has, one with + for the second. The order within a file does not count. Of two layouts is "
        "compared what both can say.\n\n"
        "The exit code is 1 where they differ.",
    .options = {{options::json,
                 Option::flag("quiet", "Prints nothing; the exit code tells.").with_letter('q')}},
    .positional = Positional::files("FILE", "The two databases.", 2, 2),
    .examples = {{"kiln kdb diff before.kdb after.kdb", "What has the tuner found?"}},
    .body = kdb_diff,
};

const Command kdb_verify_command{
    .name = "kdb verify",
    .summary = "check whether clBLAS is safe with a kernel database",
    .description =
        "Checks everything about a database that makes clBLAS 2.12 crash, hang or compute wrong "
        "results, which it does not check itself: sums, patterns, settings and their order, and "
        "whether the decomposition of each tuned record is one that its generator can make. Each "
        "finding has the byte offset, the pattern, setting and record, and the rule. What clBLAS "
        "would never use is a warning.\n\n"
        "The exit code is 2 where there is an error; warnings leave it 0.",
    .options = {{Option::text("device", "DEVICE",
                              "A device as --devices names it. Work-groups have to fit it, too."),
                 options::json, Option::flag("quiet", "Prints errors only.").with_letter('q')}},
    .positional = Positional::files("FILE", "Kernel databases; - is standard input."),
    .examples = {{"kiln kdb verify Tahiti.kdb",
                  "Will clBLAS take this file, and get right results of it?"},
                 {"kiln kdb verify --device gpu Tahiti.kdb", "Will this machine's GPU?"}},
    .body = kdb_verify,
};

}  // namespace kiln::cli
