// What is in a kernel database: `kiln kdb info`, `summary`, `dump` and `diff`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command/interrupt.hpp"
#include "cli/kdb/commands.hpp"
#include "cli/kdb/database_file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"

namespace kiln::cli {
namespace {

// `kiln kdb info` and `kiln kdb summary`: what a database is, and what is tuned in it.

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
  // describe() makes the name fit for a terminal: a file's control bytes must not reach it.
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

namespace {

// `kiln kdb dump`: a database as text or JSON.

constexpr Option dump_options[] = {
    {.name = "json",
     .help = "Prints one JSON document, from which `kdb build` makes the same file."},
    {.name = "tuned", .help = "Leaves out untuned records (of the text; JSON has all)."},
};
constexpr Example dump_examples[] = {
    {"kiln kdb dump --tuned Tahiti.kdb", "Shows what the tuner found."},
    {"kiln kdb dump --json Tahiti.kdb > tahiti.json", "For editing, or for another program."},
};

}  // namespace

constinit const Command kdb_dump_command{
    .name = "kdb dump",
    .summary = "print a kernel database as text or JSON",
    .description =
        "Prints every record. Sizes of a level read x x y x bwidth; records that say "
        "nothing are drawn together.",
    .options = dump_options,
    .positional = one_database,
    .examples = dump_examples,
};

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

namespace {

// `kiln kdb diff`: what differs between two databases.

constexpr Option kdb_diff_options[] = {
    options::json,
    {.name = "quiet", .help = "Prints nothing; the exit code tells.", .letter = 'q'},
};
constexpr Example kdb_diff_examples[] = {
    {"kiln kdb diff before.kdb after.kdb", "What has the tuner found?"},
};

}  // namespace

constinit const Command kdb_diff_command{
    .name = "kdb diff",
    .summary = "compare two kernel databases",
    .description =
        "Prints what differs, by pattern, setting and record: a line with - for what "
        "the first has, one with + for the second. The order within a file does not "
        "count. Of two layouts is compared what both can say.\n\n"
        "The exit code is 1 where they differ.",
    .options = kdb_diff_options,
    .positional = {.value_name = "FILE",
                   .help = "The two databases.",
                   .least = 2,
                   .most = 2,
                   .kind = Kind::file},
    .examples = kdb_diff_examples,
};

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
      if (!difference.first.empty()) print(fmt::format("- {}\n", difference.first));
      if (!difference.second.empty()) print(fmt::format("+ {}\n", difference.second));
    }
  return differences.empty() ? 0 : 1;
}

}  // namespace kiln::cli
