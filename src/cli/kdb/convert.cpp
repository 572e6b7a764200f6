// Kernel databases as files: reading, completing and writing them; databases made of databases, of
// JSON and of the tuning records of Kiln's store, and kernel binaries taken out of them: `kiln kdb
// merge`, `convert`, `build` and `extract`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/data/text.hpp"
#include "base/os/extract_tree.hpp"
#include "base/os/file.hpp"
#include "blas/kdb_records/kdb_records.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/kdb/database_file.hpp"
#include "cli/output/output.hpp"

namespace kiln::cli {
namespace {

/// The largest file that is read. Real databases have less than 2 MB, but those in the published
/// layouts may hold kernels.
constexpr std::uint64_t most_database_bytes = std::uint64_t{1} << 30;

}  // namespace

Bytes read_database_bytes(const std::string& path) {
  return value_or_throw(read_input(path, most_database_bytes));
}

DatabaseFile read_database(const std::string& path) {
  const EndsAtOnce reading;
  DatabaseFile file{path, read_database_bytes(path), {}};
  file.database = value_or_bad_input(path, kdb::parse(file.bytes));
  return file;
}

namespace {

/// Writes the database to the file that --output names. Throws Error.
void write_database(const Context& context, const kdb::Database& database) {
  // The bytes are complete before the file is opened: a model that cannot be written must not
  // replace an existing file.
  const auto bytes = kdb::write(database);
  if (!bytes) throw Error(Errc::bad_input, bytes.error().message());
  value_or_throw(write_file(required_output(context), *bytes));
}

/// What --double says.
kdb::Doubles doubles_of(const Context& context) {
  const std::string& answer = context.text("double");
  if (answer == "auto") return kdb::Doubles::detect;
  return answer == "yes" ? kdb::Doubles::yes : kdb::Doubles::no;
}

/// The complete form of a version-3 database (--complete); what has no place in it is printed as a
/// note.
kdb::Database completed(const Context& context, const kdb::Database& database) {
  if (database.layout != kdb::Layout::v3)
    throw bad_input("{}: --complete requires layout v3, found {}", context.command().name,
                    kdb::name_of(database.layout));
  auto whole = kdb::complete(database, doubles_of(context));
  print_notes(whole.losses);
  return std::move(whole.database);
}

constexpr Option complete =
    Option::flag("complete",
                 "Adds what clBLAS 2.12 demands of a file and this one lacks, as untuned records, "
                 "and puts all in clBLAS's order (version 3 only).");

// `kiln kdb merge`.

constexpr std::string_view preferences[] = {"faster", "first", "last"};

/// Reads one input; with --repair a damaged one is salvaged, with a note on what was lost.
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
    throw bad_input("{}: {}; no record can be saved", path, database.error().message());
  complain("note: {}: {}; {} records saved, {} now untuned", path, database.error().message(),
           salvaged.saved, salvaged.lost);
  file.database = std::move(salvaged.database);
  return file;
}

kdb::Prefer preference_of(const Context& context) {
  const std::string& name = context.text("prefer");
  if (name == "first") return kdb::Prefer::first;
  return name == "last" ? kdb::Prefer::last : kdb::Prefer::faster;
}

int kdb_merge(Context& context) {
  // Checked first: a missing option must not be found after the work.
  required_output(context);
  // The databases view the bytes of their files, which must live as long.
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

// `kiln kdb convert`: other layouts, and the tuning records of the store (--to store, --from
// store).

constexpr std::string_view layouts[] = {"v3", "v1", "v1-wide", "store"}, sources[] = {"store"};

/// A Resolver that only reads and writes records.
Resolver resolver_of(const Context& context) {
  auto store = value_or_throw(open_store(store_settings_of(context)));
  if (!store)
    throw bad_input("{}: found --store off, expected a store for records", context.command().name);
  return Resolver(std::move(store), CompilePolicy::here);
}

/// The device of --device; else the one that a file is named after, as clBLAS names them; else the
/// first.
DevicePtr device_of_records(const Context& context, const std::string& file) {
  if (context.has("device")) return value_or_throw(select_devices(context.text("device"))).front();
  const auto all = value_or_throw(all_devices());
  const std::string name = std::filesystem::path(file).stem().string();
  const auto named = std::find_if(all.begin(), all.end(),
                                  [&](const DevicePtr& device) { return device->name == name; });
  return named == all.end() ? all.front() : *named;
}

/// `kiln kdb convert --to store`: puts a database's tuned records on record in the store.
int records_to_store(Context& context) {
  if (context.arguments().empty()) throw bad_input("kdb convert: missing FILE, a kernel database");
  const DatabaseFile file = read_database(context.arguments().front());
  Resolver resolver = resolver_of(context);
  const DevicePtr device = device_of_records(context, file.path);
  const auto name = std::filesystem::path(file.path).filename().string();
  const auto put = value_or_throw(blas::put_on_record(file.database, name, resolver, *device));
  print_text("{} records of {} problem classes are on record for {}\n", put.taken,
             put.by_class.size(), device->name);
  if (put.unsound > 0)
    complain("note: {}: {} records break clBLAS's rules (kiln kdb verify); left out", file.path,
             put.unsound);
  if (put.unreached > 0)
    complain("note: {}: {} records have flags that no look-up has; left out", file.path,
             put.unreached);
  return 0;
}

/// `kiln kdb convert --from store`: writes a database of what the store has on record.
int records_from_store(Context& context) {
  required_output(context);
  if (!context.arguments().empty())
    throw bad_input("kdb convert: found the file {}, but --from store reads the store",
                    one_line(context.arguments().front()));
  return write_records(context, context.has("to") ? context.text("to") : "v3");
}

}  // namespace

int kdb_convert(Context& context) {
  if (context.has("from")) return records_from_store(context);
  if (context.text("to") == "store") return records_to_store(context);
  required_output(context);
  const auto to = kdb::layout_named(context.text("to"));
  if (!to) throw bad_input("kdb convert: missing --to, expected one of v3, v1, v1-wide, store");
  if (context.arguments().empty()) throw bad_input("kdb convert: missing FILE, a kernel database");
  const DatabaseFile file = read_database(context.arguments().front());
  auto converted = value_or_throw(kdb::convert(file.database, *to));
  print_notes(converted.losses, "lost");
  if (*to == kdb::Layout::v3) converted.database = completed(context, converted.database);
  write_database(context, converted.database);
  return 0;
}

int write_records(const Context& context, std::string_view layout) {
  const std::string& output = required_output(context);
  const Resolver resolver = resolver_of(context);
  const DevicePtr device = device_of_records(context, output);
  auto made = blas::database_of_store(resolver, *device, doubles_of(context));
  print_notes(made.notes);
  if (layout != "v3") {
    auto converted = value_or_throw(kdb::convert(made.database, *kdb::layout_named(layout)));
    print_notes(converted.losses, "lost");
    made.database = std::move(converted.database);
  }
  write_database(context, made.database);
  print_text("{} tuned records for {}{}\n", made.written, device->name,
             made.inferred == 0
                 ? ""
                 : fmt::format(", and {} more of the nearest sizes: clBLAS reads none "
                               "behind an untuned one",
                               made.inferred));
  return 0;
}

namespace {

// `kiln kdb build`: a database of JSON.

/// The largest JSON that is read; a dump of a real database has 3 MB.
constexpr std::uint64_t most_json = std::uint64_t{1} << 30;

int kdb_build(Context& context) {
  required_output(context);
  const std::string& path = context.arguments().front();
  auto database = [&] {
    const EndsAtOnce reading;
    const Bytes json = value_or_throw(read_input(path, most_json));
    return value_or_bad_input(path, kdb::from_json(as_text(json)));
  }();
  if (context.flag("complete")) database = completed(context, database);
  write_database(context, database);
  return 0;
}

// `kiln kdb extract`: the kernel binaries of a published database as files.

/// A folder's name: a number, which makes it unique, and a readable name without characters that
/// mean something to a file system or a shell.
std::string folder_name(std::size_t index, int digits, std::string_view from) {
  constexpr std::size_t longest = 100;
  std::string name = fmt::format("{:0{}}-", index, digits);
  for (const char c : from.substr(0, longest)) {
    const bool harmless = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '+';
    name += harmless ? c : '_';
  }
  return name;
}

std::string path_of(const kdb::Database& database, const kdb::KernelSlot& slot) {
  const kdb::Pattern& pattern = database.patterns[slot.pattern];
  const kdb::Setting& setting = pattern.settings[slot.setting];
  const auto type = kdb::type_name(setting.type);
  const std::string key =
      fmt::format("{} {}", type ? std::string(*type) : std::to_string(setting.type),
                  fmt::join(kdb::flag_names(setting.flags, database.layout), "+"));
  return fmt::format("{}/{}/{}-{}.bin", folder_name(slot.pattern, 2, pattern.name),
                     folder_name(slot.setting, 3, key), slot.record, slot.slot);
}

int kdb_extract(Context& context) {
  const DatabaseFile file = read_database(context.arguments().front());
  const auto slots = kdb::kernels(file.database);
  if (slots.empty()) {
    print("{} holds no kernel binaries\n", file.path);
    return 0;
  }
  auto tree = value_or_throw(ExtractTree::open(context.text("directory")));
  for (const kdb::KernelSlot& slot : slots) {
    const std::string path = path_of(file.database, slot);
    value_or_throw(tree.write(path, slot.content));
    print("{} {}\n", path, slot.content.size());
  }
  return 0;
}

}  // namespace

const Command kdb_merge_command{
    .name = "kdb merge",
    .summary = "make one kernel database of several",
    .description =
        "Writes the union of databases, in the layout and the order of the first. A tuned record "
        "beats an untuned one; of two tuned ones the faster wins unless --prefer says otherwise, "
        "and each such conflict is named on standard error. Patterns that clBLAS does not know are "
        "kept. Times of two machines say little about each other: merge what was tuned on one kind "
        "of device.",
    .options =
        {{options::output,
          Option::choice(
              "prefer", "WHICH", preferences,
              "Which of two tuned records that differ is taken; each such conflict is named.",
              "faster"),
          Option::flag(
              "repair",
              "Takes damaged files, too: every record that can be told apart from damage is "
              "saved from where clBLAS puts it, the others count as untuned."),
          complete, options::doubles}},
    .positional = Positional::files("FILE", "Kernel databases."),
    .examples = {{"kiln kdb merge mine.kdb yours.kdb -o both.kdb",
                  "Brings together what two tuners found."},
                 {"kiln kdb merge --repair broken.kdb -o good.kdb", "Saves what is whole."}},
    .in_place = true,
    .body = kdb_merge,
};

const Command kdb_convert_command{
    .name = "kdb convert",
    .summary = "write a kernel database in another layout",
    .description =
        "Writes the same records in another layout and says on standard error what is lost: "
        "version 3 holds no kernel binaries, version 1 no largest work-group, and one flag means "
        "two things. A file of version 3 comes out complete: what clBLAS demands of a file and "
        "this one lacks is untuned.\n\n"
        "With --to store the tuned records are put next to the tuning records of Kiln's store, for "
        "one device; Kiln's own measurements stay first. With --from store it is the way back: "
        "what came from a database is written as it was, and what Kiln has measured where clBLAS's "
        "rules have words for it.",
    .options =
        {{Option::choice("to", "LAYOUT", layouts,
                         "v3, which clBLAS 2.12 reads; v1 or v1-wide, two readings of the "
                         "published page; store: the tuning records of Kiln's own store."),
          Option::choice(
              "from", "WHAT", sources,
              "store: writes what Kiln's store has on record, in place of a file's records."),
          Option::text("device", "DEVICE",
                       "With store: whose records (gpu, an index, ~ and a part of a name). "
                       "Default: the device that the file is named after, else the first."),
          options::store, options::output, options::doubles}},
    .positional = Positional::files(
        "FILE", "A kernel database; - is standard input. None with --from store.", 0, 1),
    .examples = {{"kiln kdb convert --to v1 Tahiti.kdb -o published.kdb",
                  "Writes the published layout."},
                 {"kiln kdb convert --to store Tahiti.kdb",
                  "Lets Kiln's BLAS use what clBLAS's tuner found."},
                 {"kiln kdb convert --from store -o Tahiti.kdb",
                  "Writes what is on record for clBLAS."}},
    .body = kdb_convert,
};

const Command kdb_build_command{
    .name = "kdb build",
    .summary = "make a kernel database from JSON",
    .description =
        "Makes a database from JSON as `kdb dump --json` prints it. Kernel binaries of layout v1 "
        "stand in their record (kernels: up to three texts of hexadecimal digits) or all together "
        "as dumped (binaries).",
    .options = {{options::output, complete, options::doubles}},
    .positional = Positional::file("FILE.json", "The JSON; - is standard input."),
    .examples = {{"kiln kdb build tahiti.json -o Tahiti.kdb", "Makes the file that was dumped."},
                 {"kiln kdb build --complete mine.json -o Tahiti.kdb",
                  "Makes a file that clBLAS takes from a few records written by hand."}},
    .body = kdb_build,
};

const Command kdb_extract_command{
    .name = "kdb extract",
    .summary = "write the kernel binaries of a database to files",
    .description =
        "Writes each kernel binary of a database in the published layout to a file of its own, "
        "DIR/PATTERN/SETTING/RECORD-KERNEL.bin, and prints its name and size. Kernel 0 computes, 1 "
        "and 2 prepare the matrices A and B. Databases of version 3 hold none.",
    .options = {{options::directory}},
    .positional = one_database,
    .examples = {{"kiln kdb extract published.kdb -C kernels",
                  "Writes kernels/PATTERN/SETTING/0-0.bin and so on."}},
    .body = kdb_extract,
};

}  // namespace kiln::cli
