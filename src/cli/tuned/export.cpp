// `kiln tuned export`: searches and records for other programs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/common_options.hpp"
#include "cli/file_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/kdb/files.hpp"
#include "cli/kdb/store_records.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/store_settings.hpp"
#include "cli/tune/journals.hpp"
#include "cli/tune/report.hpp"
#include "cli/tuned/commands.hpp"
#include "cli/tuned/records.hpp"
#include "cli/tuned/searches.hpp"
#include "cli/written_files.hpp"
#include "tune/report/exports.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view formats[] = {"json", "csv", "sqlite", "t4", "kdb"};
constexpr Option tuned_export_options[] = {
    {.name = "format",
     .kind = Kind::choice,
     .value_name = "FORMAT",
     .help = "json; csv; sqlite (a database); t4 (of one search: the results format of the "
             "autotuning community); kdb (of the store's records: clBLAS's kernel database, as "
             "kiln kdb convert --from store).",
     .fallback = "json",
     .choices = formats},
    {.name = "all",
     .help = "All searches whose journals are where kiln tune puts them, and those that the "
             "store has on record, in place of JOURNAL."},
    options::record_family,
    {.name = "device",
     .kind = Kind::text,
     .value_name = "TEXT",
     .help = "Only records of devices whose identity (platform, name, driver version, units) holds "
             "this text. With kdb: the one device, as kiln kdb convert names it."},
    options::store,
    options::doubles,
    options::output,
};
constexpr Example tuned_export_examples[] = {
    {"kiln tuned export -o records.json", "What this machine knows, for kiln tuned import."},
    {"kiln tuned export --format kdb -o Tahiti.kdb", "The same for clBLAS."},
    {"kiln tuned export gemm.jsonl --format t4 -o gemm.json", "A search for other tuners."},
    {"kiln tuned export --all --format sqlite -o searches.db", "Every search, to be queried."},
};

/// To --output, or where it may be, to standard output.
void deliver(const Context& context, const std::string& text) {
  if (context.has("output"))
    value_or_throw(write_file(context.text("output"), as_bytes(text)));
  else
    print(text);
}

void deliver(const Context& context, const Expected<Bytes>& database) {
  if (!database) throw Error(database.error());
  value_or_throw(write_file(context.text("output"), *database));
}

std::vector<tune::TuningRun> runs_of(const Context& context) {
  std::vector<tune::TuningRun> runs;
  if (context.flag("all")) {
    const EndsAtOnce reading;
    for (const auto& path : all_journals()) runs.push_back(read_journal(path));
    // A store may be off; what it has of a journal that is here is the same or less.
    if (!store_settings_of(context).local.empty())
      for (auto& kept : kept_searches(context))
        if (std::none_of(runs.begin(), runs.end(), [&](const tune::TuningRun& run) {
              return run.identity == kept.run.identity && run.device == kept.run.device &&
                     run.strategy == kept.run.strategy && run.seed == kept.run.seed;
            }))
          runs.push_back(std::move(kept.run));
  } else {
    for (const auto& word : context.arguments()) runs.push_back(search_named(context, word));
  }
  return runs;
}

void export_searches(const Context& context, const std::string& format) {
  const auto runs = runs_of(context);
  if (format == "csv") return deliver(context, value_or_throw(tune::csv_of(runs)));
  if (format == "sqlite") return deliver(context, tune::sqlite_of(runs));
  if (format == "json") return deliver(context, tune::json_of(runs));
  if (runs.size() != 1)
    throw Error(Errc::bad_input, fmt::format("a t4 file holds one search: found {}, expected one "
                                             "JOURNAL",
                                             runs.size()));
  deliver(context, tune::t4_of(runs.front()));
}

void export_records(const Context& context, const std::string& format) {
  const auto records = records_of(context);
  if (format == "csv") return deliver(context, tune::csv_of(records));
  if (format == "sqlite") return deliver(context, tune::sqlite_of(records));
  deliver(context, tune::json_of(records));
}

}  // namespace

constinit const Command tuned_export_command{
    .name = "tuned export",
    .summary = "write searches or tuning records for other programs",
    .description =
        "Without JOURNAL, writes what the local store has on record: as JSON that kiln tuned "
        "import takes on another machine, as CSV, as a SQLite database, or as a kernel database "
        "that clBLAS reads.\n\n"
        "With journals of searches (or --all), writes every evaluation of them, failures too: as "
        "JSON, CSV, a SQLite database, or one search in the T4 format, which kiln tune --replay "
        "and other tuners read. JSON, CSV and T4 go to standard output where no file is named.",
    .options = tuned_export_options,
    .positional = {.value_name = "JOURNAL",
                   .help = "Journals of searches, or the first letters of searches on record (kiln "
                           "tuned ls --searches).",
                   .least = 0,
                   .most = 1'000'000,
                   .kind = Kind::file},
    .examples = tuned_export_examples,
};

int tuned_export(Context& context) {
  const std::string& format = context.text("format");
  const bool searches = context.flag("all") || !context.arguments().empty();
  if (context.flag("all") && !context.arguments().empty())
    throw Error(Errc::bad_input,
                fmt::format("tuned export: found both --all and {}, expected one of them",
                            one_line(context.arguments().front())));
  if (format == "sqlite" || format == "kdb") required_output(context);
  if (searches && format == "kdb")
    throw Error(Errc::bad_input,
                "--format kdb writes the records of the store, not a search: leave out JOURNAL");
  if (!searches && format == "t4")
    throw Error(Errc::bad_input, "--format t4 requires the JOURNAL of a search");
  if (context.has("output") && context.flag("all")) {
    std::vector<NamedFile> journals;
    for (const auto& path : all_journals()) journals.push_back({"a journal", path.string()});
    check_written_files({{"--output", context.text("output")}}, journals);
  }
  if (format == "kdb") return write_records(context, "v3");
  searches ? export_searches(context, format) : export_records(context, format);
  return 0;
}

}  // namespace kiln::cli
