// `kiln tuned ls`: what is on record.
#include <set>

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

constexpr Option tuned_ls_options[] = {
    options::store,
    options::record_family,
    options::record_device,
    {.name = "searches", .help = "Lists the searches that are on record instead."},
    options::json};
constexpr Example tuned_ls_examples[] = {
    {"kiln tuned ls", "What has been tuned, and what came of it?"},
    {"kiln tuned ls --family gemm --json", "The same of one family, for a script."},
};

/// What is used for a problem of each size that was measured.
void add_rows(Table& table, const StoredRecord& stored) {
  std::set<std::int64_t> sizes;
  for (const auto& one : stored.record.history) sizes.insert(one.size);
  for (const auto size : sizes) {
    const auto* best =
        stored.record.best(size, [&](const Measurement& one) { return one.size == size; });
    if (best == nullptr) continue;  // of others, without a time: never used
    table.row({stored.key.digest.brief(), stored.subject.family, stored.subject.problem_class,
               size > 0 ? std::to_string(size) : "-", parameters_text(best->parameters),
               milliseconds_text(best->milliseconds),
               milliseconds_text(best->standard_milliseconds),
               best->from.empty() ? "-" : best->from, date_text(stored.created),
               device_name(stored.subject)});
  }
}

int list_searches(const Context& context) {
  auto searches = kept_searches(context);
  std::erase_if(searches, [&](const tune::KeptRun& kept) {
    return (context.has("family") &&
            kept.problem.family.find(context.text("family")) == std::string::npos) ||
           (context.has("device") &&
            kept.run.device.find(context.text("device")) == std::string::npos);
  });
  if (!context.flag("json")) {
    print_searches(searches);
    return 0;
  }
  for (const auto& kept : searches) print(tune::kept_json_of(kept) + "\n");
  return 0;
}

}  // namespace

constinit const Command tuned_ls_command{
    .name = "tuned ls",
    .summary = "list what is on record of tuning",
    .description =
        "A line for each problem class and size that the local store has a tuning record of, "
        "whatever has written it (kiln tune, a kernel database, an import, a library that measured "
        "its device): the parameters that are used there, their time, where they come from, when "
        "the record was last written, and the device. Sizes in between take the nearest, unless it "
        "is more than some times as large or small; where the built-in parameters were faster in "
        "the same search, they are used.\n\n"
        "With --json every record is an object with all that was measured. --searches lists the "
        "searches that were kept whole.",
    .options = tuned_ls_options,
    .examples = tuned_ls_examples,
};

int tuned_ls(Context& context) {
  if (context.flag("searches")) return list_searches(context);
  const auto records = records_of(context);
  if (context.flag("json")) {
    for (const auto& record : records) print(tune::json_line_of(record) + "\n");
    return 0;
  }
  Table table({"key", "family", "problem class", "size", "parameters", "time", "built in", "from",
               "written", "device"});
  for (const auto& record : records) add_rows(table, record);
  print(table.text());
  return 0;
}

}  // namespace kiln::cli
