// Tuning records and searches as files: `kiln tuned export`, `import` and `report`.
#include <fmt/format.h>

#include <algorithm>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/kdb/database_file.hpp"
#include "cli/output/output.hpp"
#include "cli/store/entries.hpp"
#include "cli/tune/search.hpp"
#include "cli/tuned/records.hpp"
#include "kernel/request/shipped_file.hpp"
#include "kernel/request/stored_record.hpp"
#include "kernel/resolver/tuning_records.hpp"
#include "kiln/store/trust.hpp"
#include "kiln/version.hpp"
#include "tune/conduct/conduct.hpp"
#include "tune/report/run.hpp"

namespace kiln::cli {
namespace {

// `kiln tuned export`: searches and records for other programs.

constexpr std::string_view formats[] = {"json", "csv", "sqlite", "t4", "kdb", "shipped"};

/// To --output, or to standard output.
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
    for (const auto& path : tune::all_journals()) runs.push_back(tune::read_journal(path));
    // The store may be off. Where it has the same search as a journal, the journal has more.
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
    throw bad_input("a t4 file holds one search: found {}, expected one JOURNAL", runs.size());
  deliver(context, tune::t4_of(runs.front()));
}

void export_records(const Context& context, const std::string& format) {
  const auto records = records_of(context);
  if (format == "csv") return deliver(context, tune::csv_of(records));
  if (format == "sqlite") return deliver(context, tune::sqlite_of(records));
  deliver(context, tune::json_of(records));
}

/// What the store has on record of one device that is here, for other machines that are like it.
int export_shipped(const Context& context) {
  const auto device =
      value_or_throw(select_devices(context.has("device") ? context.text("device") : "")).front();
  auto records = value_or_throw(stored_records(*open_local(context)));
  std::erase_if(records, [&](const StoredRecord& record) {
    return record.subject.device != device->speed_identity() ||
           (context.has("family") &&
            record.subject.family.find(context.text("family")) == std::string::npos);
  });
  ShippedFile file{DeviceFacts::of(*device), {}, {}};
  file.made = context.has("note")
                  ? context.text("note")
                  : fmt::format("kiln tuned export --format shipped, Kiln {}, {} {}", version(),
                                device->platform_version, device->driver_version);
  file.records = records_to_ship(records);
  const auto gaining =
      std::count_if(file.records.begin(), file.records.end(), [](const ShippedRecord& record) {
        const auto& measured = record.record.history;
        return std::any_of(measured.begin(), measured.end(), [](const Measurement& one) {
          return one.gain() >= TuningRecords::shipped_gain;
        });
      });
  // What a reader would refuse, a note that is too long for one, is not written.
  const std::string text = text_of(file);
  if (text.size() > most_shipped_bytes)
    throw bad_input("tuned export: found {} bytes of records, expected {} at most: give --family",
                    text.size(), most_shipped_bytes);
  value_or_throw(read_shipped_file(text, "tuned export"));
  deliver(context, text);
  if (context.has("output"))
    print_text(
        "{} records of {}, {} of them faster than the built-in parameters by {:.0f} % or more\n",
        file.records.size(), text_of(file.device), gaining,
        100 * (TuningRecords::shipped_gain - 1));
  return 0;
}

int tuned_export(Context& context) {
  const std::string& format = context.text("format");
  const bool searches = context.flag("all") || !context.arguments().empty();
  if (context.flag("all") && !context.arguments().empty())
    throw bad_input("tuned export: found both --all and {}, expected one of them",
                    one_line(context.arguments().front()));
  if (format == "sqlite" || format == "kdb") required_output(context);
  if (searches && (format == "kdb" || format == "shipped"))
    throw bad_input("--format {} writes the records of the store, not a search: leave out JOURNAL",
                    format);
  if (context.has("note") && format != "shipped")
    throw bad_input("tuned export: found --note with --format {}, expected shipped", format);
  if (!searches && format == "t4") throw bad_input("--format t4 requires the JOURNAL of a search");
  if (context.has("output") && context.flag("all")) {
    std::vector<NamedFile> journals;
    for (const auto& path : tune::all_journals()) journals.push_back({"a journal", path.string()});
    check_written_files({{"--output", context.text("output")}}, journals);
  }
  if (format == "kdb") return write_records(context, "v3");
  if (format == "shipped") return export_shipped(context);
  searches ? export_searches(context, format) : export_records(context, format);
  return 0;
}

// `kiln tuned import`: the tuning records of another machine.

constexpr std::uint64_t most_imported_bytes = std::uint64_t{256} << 20;
constexpr std::string_view imported = ", imported";

/// JSON carries no signatures, so a machine that asks for them cannot take it.
void check_trust() {
  if (const Trust trust = default_trust(); trust.required)
    throw Error(Errc::refused,
                fmt::format("this machine takes only entries that are signed by a key of {}; "
                            "expected a signed pack (kiln store export, sign, import)",
                            one_line(trust.origin)));
}

int tuned_import(Context& context) {
  check_trust();
  std::vector<StoredRecord> records;
  for (const auto& path : context.arguments()) {
    const EndsAtOnce reading;
    const Bytes bytes = value_or_throw(read_input(path, most_imported_bytes));
    for (auto& record : value_or_throw(tune::read_records(bytes, path)))
      records.push_back(std::move(record));
  }
  std::size_t measurements = 0, added = 0;
  const bool dry = context.flag("dry-run");
  const auto store = dry ? nullptr : open_local(context);
  for (auto& [key, subject, record, created, elsewhere] : records) {
    for (auto& one : record.history)
      if (!one.from.ends_with(imported))
        one.from += one.from.empty() ? imported.substr(2) : imported;
    measurements += record.history.size();
    if (dry) continue;
    added += value_or_throw(add_to_record(*store, subject, record.history));
    value_or_throw(add_to_related(*store, subject, record.history));
  }
  print(dry ? fmt::format("dry run: {} measurements in {} records\n", measurements, records.size())
            : fmt::format("{} of {} measurements in {} records are new here\n", added, measurements,
                          records.size()));
  return 0;
}

// `kiln tuned report`: a search as a page.

int tuned_report(Context& context) {
  const std::string& page = required_output(context);
  const auto run = search_named(context, context.arguments().front());
  value_or_throw(write_file(page, as_bytes(report_page(run))));
  return 0;
}

}  // namespace

const Command tuned_export_command{
    .name = "tuned export",
    .summary = "write searches or tuning records for other programs",
    .description =
        "Without JOURNAL, writes what the local store has on record: as JSON that kiln tuned "
        "import takes on another machine, as CSV, as a SQLite database, or as a kernel database "
        "that clBLAS reads.\n\n"
        "With journals of searches (or --all), writes every evaluation of them, failures too: as "
        "JSON, CSV, a SQLite database, or one search in the T4 format, which kiln tune --replay "
        "and other tuners read. JSON, CSV and T4 go to standard output where no file is named.",
    .options =
        {{Option::choice("format", "FORMAT", formats,
                         "json; csv; sqlite (a database); t4 (of one search: the results format of "
                         "the autotuning community); kdb (of the store's records: clBLAS's kernel "
                         "database, as kiln kdb convert --from store); shipped (of them what was "
                         "compared with the built-in parameters, for share/kiln/tuned).",
                         "json"),
          Option::flag("all",
                       "All searches whose journals are where kiln tune puts them, and those that "
                       "the store has on record, in place of JOURNAL."),
          options::record_family,
          Option::text("device", "TEXT",
                       "Only records of devices whose identity (platform, name, driver version, "
                       "units) holds "
                       "this text. With kdb and shipped: the one device, as kiln kdb convert names "
                       "it."),
          Option::text(
              "note", "TEXT",
              "With shipped: how the records were found, for people. Default: the versions "
              "of Kiln and of the driver."),
          options::store, options::doubles, options::output}},
    .positional = Positional::files("JOURNAL",
                                    "Journals of searches, or the first letters of searches on "
                                    "record (kiln tuned ls --searches).",
                                    0, any_number),
    .examples = {{"kiln tuned export -o records.json",
                  "What this machine knows, for kiln tuned import."},
                 {"kiln tuned export --format kdb -o Tahiti.kdb", "The same for clBLAS."},
                 {"kiln tuned export --format shipped -o my-device.jsonl",
                  "For machines with such devices: a file for their KILN_TUNED."},
                 {"kiln tuned export gemm.jsonl --format t4 -o gemm.json",
                  "A search for other tuners."},
                 {"kiln tuned export --all --format sqlite -o searches.db",
                  "Every search, to be queried."}},
    .body = tuned_export,
};

const Command tuned_import_command{
    .name = "tuned import",
    .summary = "take the tuning records of another machine",
    .description =
        "Reads files that kiln tuned export --format json has written of a store's records, and "
        "puts what they hold on record here. The records are of the devices that they name, and "
        "are used on the same: platform, device, driver and number of units. Everything is checked "
        "first, and of files with a mistake nothing is stored. What this machine has measured "
        "itself stays as it is; parameters that a kernel cannot have are never used, wherever they "
        "come from.",
    .options = {{options::store, options::store_size,
                 Option::flag("dry-run",
                              "Checks the files and says what they hold, and stores nothing.")}},
    .positional = Positional::files("FILE", "Files of tuning records."),
    .examples = {{"kiln tuned import records.json",
                  "Use what a machine with the same device has found."}},
    .body = tuned_import,
};

const Command tuned_report_command{
    .name = "tuned report",
    .summary = "draw a search as a page for a browser",
    .description =
        "Makes one HTML page of a search's journal, whether it has ended or not, or of a search "
        "that the store has on record (kiln tuned ls --searches): the best time so far by "
        "evaluation and by time, how much each parameter matters, the times by each parameter's "
        "value, failures by reason, the ten fastest configurations. The page needs nothing outside "
        "itself.",
    .options = {{options::output, options::store}},
    .positional = Positional::file("JOURNAL",
                                   "The journal of a search, which kiln tune prints, or the first "
                                   "letters of a search on record."),
    .examples = {{"kiln tuned report gemm.jsonl -o gemm.html",
                  "How did the search go, and what matters?"}},
    .body = tuned_report,
};

}  // namespace kiln::cli
