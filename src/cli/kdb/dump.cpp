// `kiln kdb dump` and `kiln kdb build`: a database as text, and back.
#include <fmt/format.h>

#include "base/streams.hpp"
#include "cli/file_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/kdb/commands.hpp"
#include "cli/kdb/files.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"

namespace kiln::cli {
namespace {

constexpr Option dump_options[] = {
    {.name = "json",
     .help = "Prints one JSON document, from which `kdb build` makes the same file."},
    {.name = "tuned", .help = "Leaves out untuned records (of the text; JSON has all)."},
};
constexpr Example dump_examples[] = {
    {"kiln kdb dump --tuned Tahiti.kdb", "Shows what the tuner found."},
    {"kiln kdb dump --json Tahiti.kdb > tahiti.json", "For editing, or for another program."},
};

constexpr Option build_options[] = {options::output, options::complete, options::doubles};
constexpr Example build_examples[] = {
    {"kiln kdb build tahiti.json -o Tahiti.kdb", "Makes the file that was dumped."},
    {"kiln kdb build --complete mine.json -o Tahiti.kdb",
     "Makes a file that clBLAS takes from a few records written by hand."},
};

/// A dump of a real database has 3 MB.
constexpr std::uint64_t most_json = std::uint64_t{1} << 30;

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

constinit const Command kdb_build_command{
    .name = "kdb build",
    .summary = "make a kernel database from JSON",
    .description =
        "Makes a database from JSON as `kdb dump --json` prints it. Kernel binaries of "
        "layout v1 stand in their record (kernels: up to three texts of hexadecimal "
        "digits) or all together as dumped (binaries).",
    .options = build_options,
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

}  // namespace kiln::cli
