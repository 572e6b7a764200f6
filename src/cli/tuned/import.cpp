// `kiln tuned import`: the tuning records of another machine.
#include <fmt/format.h>

#include "base/streams.hpp"
#include "base/text.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/store/open.hpp"
#include "cli/tuned/commands.hpp"
#include "kernel/related_records.hpp"
#include "store/trust.hpp"
#include "tune/report/exports.hpp"

namespace kiln::cli {
namespace {

constexpr std::uint64_t most_imported_bytes = std::uint64_t{256} << 20;
constexpr std::string_view imported = ", imported";

constexpr Option tuned_import_options[] = {
    options::store,
    options::store_size,
    {.name = "dry-run", .help = "Checks the files and says what they hold, and stores nothing."},
};
constexpr Example tuned_import_examples[] = {
    {"kiln tuned import records.json", "Use what a machine with the same device has found."},
};

/// JSON carries no signatures, so a machine that asks for them cannot take it.
void check_trust() {
  if (const Trust trust = default_trust(); trust.required)
    throw Error(Errc::refused,
                fmt::format("this machine takes only entries that are signed by a key of {}; "
                            "expected a signed pack (kiln store export, sign, import)",
                            one_line(trust.origin)));
}

}  // namespace

constinit const Command tuned_import_command{
    .name = "tuned import",
    .summary = "take the tuning records of another machine",
    .description =
        "Reads files that kiln tuned export --format json has written of a store's records, and "
        "puts what they hold on record here. The records are of the devices that they name, and "
        "are used on the same: platform, device, driver and number of units. Everything is "
        "checked first, and of files with a mistake nothing is stored. What this machine has "
        "measured itself stays as it is; parameters that a kernel cannot have are never used, "
        "wherever they come from.",
    .options = tuned_import_options,
    .positional = {.value_name = "FILE",
                   .help = "Files of tuning records.",
                   .least = 1,
                   .most = 1'000'000,
                   .kind = Kind::file},
    .examples = tuned_import_examples,
};

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

}  // namespace kiln::cli
