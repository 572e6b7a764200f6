// `kiln kdb merge` and `kiln kdb convert`: databases made of databases.
#include <fmt/format.h>

#include "cli/file_options.hpp"
#include "cli/kdb/commands.hpp"
#include "cli/kdb/files.hpp"
#include "cli/kdb/store_records.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view preferences[] = {"faster", "first", "last"};
constexpr Option merge_options[] = {
    options::output,
    {.name = "prefer",
     .kind = Kind::choice,
     .value_name = "WHICH",
     .help = "Which of two tuned records that differ is taken; each such conflict is named.",
     .fallback = "faster",
     .choices = preferences},
    {.name = "repair",
     .help = "Takes damaged files, too: every record that can be told apart from damage is saved "
             "from where clBLAS puts it, the others count as untuned."},
    options::complete,
    options::doubles,
};
constexpr Example merge_examples[] = {
    {"kiln kdb merge mine.kdb yours.kdb -o both.kdb", "Brings together what two tuners found."},
    {"kiln kdb merge --repair broken.kdb -o good.kdb", "Saves what is whole."},
};

constexpr std::string_view layouts[] = {"v3", "v1", "v1-wide", "store"}, sources[] = {"store"};
constexpr Option convert_options[] = {
    {.name = "to",
     .kind = Kind::choice,
     .value_name = "LAYOUT",
     .help = "v3, which clBLAS 2.12 reads; v1 or v1-wide, two readings of the published page; "
             "store: the tuning records of Kiln's own store.",
     .choices = layouts},
    {.name = "from",
     .kind = Kind::choice,
     .value_name = "WHAT",
     .help = "store: writes what Kiln's store has on record, in place of a file's records.",
     .choices = sources},
    {.name = "device",
     .kind = Kind::text,
     .value_name = "DEVICE",
     .help = "With store: whose records (gpu, an index, ~ and a part of a name). Default: the "
             "device that the file is named after, else the first."},
    options::store,
    options::output,
    options::doubles,
};
constexpr Example convert_examples[] = {
    {"kiln kdb convert --to v1 Tahiti.kdb -o published.kdb", "Writes the published layout."},
    {"kiln kdb convert --to store Tahiti.kdb", "Lets Kiln's BLAS use what clBLAS's tuner found."},
    {"kiln kdb convert --from store -o Tahiti.kdb", "Writes what is on record for clBLAS."},
};

/// Reads one input; with --repair a damaged one is salvaged, and it is said what that cost.
DatabaseFile read_or_repair(const std::string& path, bool repair) {
  if (!repair) return read_database(path);
  DatabaseFile file{path, read_database_bytes(path), {}};
  auto database = kdb::parse(file.bytes);
  if (database) {
    file.database = std::move(*database);
    return file;
  }
  auto salvaged = kdb::salvage(file.bytes);
  if (salvaged.saved == 0)
    throw Error(Errc::bad_input,
                fmt::format("{}: {}; no record can be saved", path, database.error().message()));
  complain(fmt::format("note: {}: {}; {} records saved, {} now untuned", path,
                       database.error().message(), salvaged.saved, salvaged.lost));
  file.database = std::move(salvaged.database);
  return file;
}

kdb::Prefer preference_of(const Context& context) {
  const std::string& name = context.text("prefer");
  if (name == "first") return kdb::Prefer::first;
  return name == "last" ? kdb::Prefer::last : kdb::Prefer::faster;
}

}  // namespace

constinit const Command kdb_merge_command{
    .name = "kdb merge",
    .summary = "make one kernel database of several",
    .description =
        "Writes the union of databases, in the layout and the order of the first. A tuned record "
        "beats an untuned one; of two tuned ones the faster wins unless --prefer says otherwise, "
        "and each such conflict is named on standard error. Patterns that clBLAS does not know are "
        "kept. Times of two machines say little about each other: merge what was tuned on one kind "
        "of device.",
    .options = merge_options,
    .positional = {.value_name = "FILE",
                   .help = "Kernel databases.",
                   .least = 1,
                   .most = 1'000'000,
                   .kind = Kind::file},
    .examples = merge_examples,
    .in_place = true,
};

int kdb_merge(Context& context) {
  // Asked first: nobody wants to hear of a missing option after the work.
  required_output(context);
  // The databases view the bytes of their files, which live as long.
  std::vector<DatabaseFile> files;
  std::vector<kdb::Database> databases;
  for (const std::string& path : context.arguments()) {
    files.push_back(read_or_repair(path, context.flag("repair")));
    databases.push_back(files.back().database);
  }
  auto merged = value_or_throw(kdb::merge(databases, preference_of(context)));
  print_notes(merged.notes);
  if (context.flag("complete")) merged.database = completed(context, merged.database);
  write_database(context, merged.database);
  return 0;
}

constinit const Command kdb_convert_command{
    .name = "kdb convert",
    .summary = "write a kernel database in another layout",
    .description =
        "Writes the same records in another layout and says on standard error what is lost: "
        "version 3 holds no kernel binaries, version 1 no largest work-group, and one flag means "
        "two things. A file of version 3 comes out complete: what clBLAS demands of a file and "
        "this one lacks is untuned.\n\n"
        "With --to store the tuned records are put beside the tuning records of Kiln's store, for "
        "one device; Kiln's own measurements stay first. With --from store it is the way back: "
        "what came from a database is written as it was, and what Kiln has measured where "
        "clBLAS's rules have words for it.",
    .options = convert_options,
    .positional = {.value_name = "FILE",
                   .help = "A kernel database; - is standard input. None with --from store.",
                   .least = 0,
                   .most = 1,
                   .kind = Kind::file},
    .examples = convert_examples,
};

int kdb_convert(Context& context) {
  if (context.has("from")) return records_from_store(context);
  if (context.text("to") == "store") return records_to_store(context);
  required_output(context);
  const auto to = kdb::layout_named(context.text("to"));
  if (!to)
    throw Error(Errc::bad_input,
                "kdb convert: missing --to, expected one of v3, v1, v1-wide, store");
  if (context.arguments().empty())
    throw Error(Errc::bad_input, "kdb convert: missing FILE, a kernel database");
  const DatabaseFile file = read_database(context.arguments().front());
  auto converted = value_or_throw(kdb::convert(file.database, *to));
  for (const std::string& loss : converted.losses) complain("lost: " + loss);
  if (*to == kdb::Layout::v3) converted.database = completed(context, converted.database);
  write_database(context, converted.database);
  return 0;
}

}  // namespace kiln::cli
