// `kiln kdb diff`: what differs between two databases.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/interrupt.hpp"
#include "cli/json_line.hpp"
#include "cli/kdb/commands.hpp"
#include "cli/kdb/files.hpp"
#include "cli/output.hpp"

namespace kiln::cli {
namespace {

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
