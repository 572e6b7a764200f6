// `kiln kdb info` and `kiln kdb summary`: what a database is, and what is tuned in it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/json_line.hpp"
#include "cli/kdb/commands.hpp"
#include "cli/kdb/files.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option kdb_info_options[] = {options::json};

constexpr Example info_examples[] = {
    {"kiln kdb info Tahiti.kdb", "Which layout is it, and how much of it is tuned?"},
    {"zcat Tahiti.kdb.gz | kiln kdb info -", "The same of a compressed file."},
};
constexpr Example summary_examples[] = {
    {"kiln kdb summary Tahiti.kdb", "Which patterns are tuned?"},
};

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

}  // namespace

constinit const Command kdb_info_command{
    .name = "kdb info",
    .summary = "say what a kernel database is",
    .description =
        "Prints the layout of a clBLAS kernel database, its header and how much it "
        "holds. Version 3 is what clBLAS 2.12 writes, version 1 what its wiki describes.",
    .options = kdb_info_options,
    .positional = one_database,
    .examples = info_examples,
};

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
    print(fmt::format("{:<18} {}\n", name, value));
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

constinit const Command kdb_summary_command{
    .name = "kdb summary",
    .summary = "list the patterns of a kernel database and what is tuned",
    .description =
        "Prints a line a pattern: its BLAS function, settings, records, how many of them "
        "are tuned, the shortest and the longest time in milliseconds.",
    .options = kdb_info_options,
    .positional = one_database,
    .examples = summary_examples,
};

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
  // The name as it may be shown: a file's control bytes must not reach a terminal.
  kdb::Place place;
  for (const auto& pattern : patterns) {
    ++place.pattern;
    table.row({pattern.function.empty() ? "?" : std::string(pattern.function),
               kdb::describe(file.database, place), std::to_string(pattern.settings),
               std::to_string(pattern.records), std::to_string(pattern.tuned),
               milliseconds_of(pattern, pattern.fastest),
               milliseconds_of(pattern, pattern.slowest)});
  }
  print(table.text());
  return 0;
}

}  // namespace kiln::cli
