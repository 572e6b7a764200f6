// Kernel databases made of databases, of JSON and of the tuning records of Kiln's store, and kernel
// binaries taken out of them: `kiln kdb merge`, `convert`, `build` and `extract`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/data/text.hpp"
#include "base/os/extract_tree.hpp"
#include "base/os/file.hpp"
#include "blas/kdb_records/kdb_records.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/kdb/commands.hpp"
#include "cli/kdb/database_file.hpp"
#include "cli/output/output.hpp"

namespace kiln::cli {
namespace {

// `kiln kdb merge`.

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

namespace {

// `kiln kdb convert`: other layouts, and the tuning records of the store (--to store, --from
// store).

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

/// A Resolver that only reads and writes records.
Resolver resolver_of(const Context& context) {
  auto store = value_or_throw(open_store(store_settings_of(context)));
  if (!store)
    throw Error(Errc::bad_input, fmt::format("{}: found --store off, expected a store for records",
                                             context.command().name));
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
  if (context.arguments().empty())
    throw Error(Errc::bad_input, "kdb convert: missing FILE, a kernel database");
  const DatabaseFile file = read_database(context.arguments().front());
  Resolver resolver = resolver_of(context);
  const DevicePtr device = device_of_records(context, file.path);
  const auto name = std::filesystem::path(file.path).filename().string();
  const auto put = value_or_throw(blas::put_on_record(file.database, name, resolver, *device));
  print_text(fmt::format("{} records of {} problem classes are on record for {}\n", put.taken,
                         put.by_class.size(), device->name));
  if (put.unsound > 0)
    complain(fmt::format("note: {}: {} records break clBLAS's rules (kiln kdb verify); left out",
                         file.path, put.unsound));
  if (put.unreached > 0)
    complain(fmt::format("note: {}: {} records have flags that no look-up has; left out", file.path,
                         put.unreached));
  return 0;
}

/// `kiln kdb convert --from store`: writes a database of what the store has on record.
int records_from_store(Context& context) {
  required_output(context);
  if (!context.arguments().empty())
    throw Error(Errc::bad_input, fmt::format("kdb convert: found the file {}, but --from store "
                                             "reads the store",
                                             one_line(context.arguments().front())));
  return write_records(context, context.has("to") ? context.text("to") : "v3");
}

}  // namespace

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

int write_records(Context& context, std::string_view layout) {
  const std::string& output = required_output(context);
  const Resolver resolver = resolver_of(context);
  const DevicePtr device = device_of_records(context, output);
  auto made = blas::database_of_store(resolver, *device, doubles_of(context));
  print_notes(made.notes);
  if (layout != "v3") {
    auto converted = value_or_throw(kdb::convert(made.database, *kdb::layout_named(layout)));
    for (const std::string& loss : converted.losses) complain("lost: " + loss);
    made.database = std::move(converted.database);
  }
  write_database(context, made.database);
  print_text(fmt::format("{} tuned records for {}{}\n", made.written, device->name,
                         made.inferred == 0
                             ? ""
                             : fmt::format(", and {} more of the nearest sizes: clBLAS reads none "
                                           "behind an untuned one",
                                           made.inferred)));
  return 0;
}

namespace {

// `kiln kdb build`: a database of JSON.

constexpr Option kdb_build_options[] = {options::output, options::complete, options::doubles};
constexpr Example build_examples[] = {
    {"kiln kdb build tahiti.json -o Tahiti.kdb", "Makes the file that was dumped."},
    {"kiln kdb build --complete mine.json -o Tahiti.kdb",
     "Makes a file that clBLAS takes from a few records written by hand."},
};

/// The largest JSON that is read; a dump of a real database has 3 MB.
constexpr std::uint64_t most_json = std::uint64_t{1} << 30;

}  // namespace

constinit const Command kdb_build_command{
    .name = "kdb build",
    .summary = "make a kernel database from JSON",
    .description =
        "Makes a database from JSON as `kdb dump --json` prints it. Kernel binaries of "
        "layout v1 stand in their record (kernels: up to three texts of hexadecimal "
        "digits) or all together as dumped (binaries).",
    .options = kdb_build_options,
    .positional = {.value_name = "FILE.json",
                   .help = "The JSON; - is standard input.",
                   .least = 1,
                   .most = 1,
                   .kind = Kind::file},
    .examples = build_examples,
};

int kdb_build(Context& context) {
  required_output(context);
  const std::string& path = context.arguments().front();
  auto database = [&] {
    const EndsAtOnce reading;
    const Bytes json = value_or_throw(read_input(path, most_json));
    return kdb::from_json(as_text(json));
  }();
  if (!database)
    throw Error(Errc::bad_input, fmt::format("{}: {}", path, database.error().message()));
  if (context.flag("complete")) database = completed(context, *database);
  write_database(context, *database);
  return 0;
}

namespace {

// `kiln kdb extract`: the kernel binaries of a published database as files.

constexpr Option kdb_extract_options[] = {options::directory};
constexpr Example kdb_extract_examples[] = {
    {"kiln kdb extract published.kdb -C kernels",
     "Writes kernels/PATTERN/SETTING/0-0.bin and so on."},
};

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

}  // namespace

constinit const Command kdb_extract_command{
    .name = "kdb extract",
    .summary = "write the kernel binaries of a database to files",
    .description =
        "Writes each kernel binary of a database in the published layout to a file of its own, "
        "DIR/PATTERN/SETTING/RECORD-KERNEL.bin, and prints its name and size. Kernel 0 computes, 1 "
        "and 2 prepare the matrices A and B. Databases of version 3 hold none.",
    .options = kdb_extract_options,
    .positional = one_database,
    .examples = kdb_extract_examples,
};

int kdb_extract(Context& context) {
  const DatabaseFile file = read_database(context.arguments().front());
  const auto slots = kdb::kernels(file.database);
  if (slots.empty()) {
    print(fmt::format("{} holds no kernel binaries\n", file.path));
    return 0;
  }
  auto tree = value_or_throw(ExtractTree::open(context.text("directory")));
  for (const kdb::KernelSlot& slot : slots) {
    const std::string path = path_of(file.database, slot);
    value_or_throw(tree.write(path, slot.content));
    print(fmt::format("{} {}\n", path, slot.content.size()));
  }
  return 0;
}

}  // namespace kiln::cli
