// `kiln tuned show`: the history of a record.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/common_options.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/store/open.hpp"
#include "cli/tuned/commands.hpp"
#include "cli/tuned/records.hpp"
#include "cli/tuned/searches.hpp"
#include "tune/report/exports.hpp"

namespace kiln::cli {
namespace {

constexpr Option tuned_show_options[] = {options::store, options::json};
constexpr Example tuned_show_examples[] = {
    {"kiln tuned show 3f2a", "What was measured for the record whose key begins with 3f2a?"},
};

void print_record(const StoredRecord& stored) {
  const auto line = [](std::string_view name, const std::string& value) {
    print(fmt::format("{:<14} {}\n", name, one_line(value)));
  };
  line("key", stored.key.hex());
  line("family", fmt::format("{}, version {}", stored.subject.family, stored.subject.version));
  line("problem class", stored.subject.problem_class);
  line("device", stored.subject.device);
  line("written", date_text(stored.created));
  if (stored.made_elsewhere) line("made by", "elsewhere");
  Table table({"size", "parameters", "time", "built in", "kernels", "from"});
  for (const auto& one : stored.record.history)
    table.row({one.size > 0 ? std::to_string(one.size) : "-", parameters_text(one.parameters),
               milliseconds_text(one.milliseconds), milliseconds_text(one.standard_milliseconds),
               one.of == Measurement::Of::kiln ? "Kiln's" : "others'",
               one.from.empty() ? "-" : one.from});
  print(table.text());
}

}  // namespace

constinit const Command tuned_show_command{
    .name = "tuned show",
    .summary = "show all that was measured for a tuning record, or a search",
    .description =
        "The whole history of a record, the latest last: parameters, problem size, time, whose "
        "kernels were measured and where it comes from; or of a search its surroundings, "
        "failures and ten fastest configurations. KEY is the first letters of a record's key as "
        "kiln tuned ls prints it, or of a search as kiln tuned ls --searches does.",
    .options = tuned_show_options,
    .positional = {.value_name = "KEY",
                   .help = "The first letters of a record's key, at least four.",
                   .least = 1,
                   .most = 1},
    .examples = tuned_show_examples,
};

int tuned_show(Context& context) {
  const auto prefixes = prefixes_of(context.arguments());
  if (const auto kept = kept_search(context, prefixes.front())) {
    context.flag("json") ? print(tune::kept_json_of(*kept) + "\n") : print_search(*kept);
    return 0;
  }
  auto records = all_records(context);
  std::erase_if(records,
                [&](const StoredRecord& record) { return !is_one_of(record.key, prefixes); });
  if (records.empty())
    throw Error(Errc::not_found,
                fmt::format("no tuning record's key begins with {}", prefixes.front()));
  if (records.size() > 1)
    throw Error(Errc::bad_input, fmt::format("{} tuning records' keys begin with {}; expected more "
                                             "letters",
                                             records.size(), prefixes.front()));
  if (context.flag("json"))
    print(tune::json_line_of(records.front()) + "\n");
  else
    print_record(records.front());
  return 0;
}

}  // namespace kiln::cli
