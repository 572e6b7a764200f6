// `kiln store gc`: what nobody needs goes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/open.hpp"
#include "device/device.hpp"

namespace kiln::cli {
namespace {

constexpr Option max_size{.name = "max-size",
                          .kind = Kind::text,
                          .value_name = "BYTES",
                          .help =
                              "How large the store may be afterwards (500M, 2G). Default: what "
                              "--store-size says."};
constexpr Option gc_dry_run{.name = "dry-run", .help = "Only tells what would be removed."};
constexpr Option store_gc_options[] = {options::store, options::store_size, max_size, gc_dry_run,
                                       options::json};
constexpr Example store_gc_examples[] = {
    {"kiln store gc --max-size 2G", "What saves the least time a byte goes, until 2 GB are left."},
    {"kiln store gc --dry-run", "What would go?"},
};

StaleDevices stale_devices() {
  std::vector<std::string> fingerprints;
  // No driver at all: nothing is known to be stale.
  if (const auto devices = all_devices())
    for (const auto& device : *devices) fingerprints.push_back(device->fingerprint());
  return StaleDevices(std::move(fingerprints));
}

}  // namespace

constinit const Command store_gc_command{
    .name = "store gc",
    .summary = "remove stale, damaged and least useful entries",
    .description =
        "First go the entries of devices whose driver has changed since (they can never be used "
        "again), damaged rows, and files that no entry refers to. If the store is larger than it "
        "may be, then those entries that save the least time a byte: the seconds that making one "
        "took, times its uses, halved for every two weeks without one, divided by its size.\n\n"
        "Programs may use the store meanwhile.",
    .options = store_gc_options,
    .examples = store_gc_examples,
};

int store_gc(Context& context) {
  const auto store = open_local(context);
  GcOptions wanted;
  wanted.devices = stale_devices();
  wanted.dry_run = context.flag("dry-run");
  if (store->limit() != 0) wanted.max_bytes = store->limit();
  if (context.has("max-size")) {
    const auto bytes = parse_byte_count(context.text("max-size"));
    if (!bytes) throw Error(Errc::bad_input, "--max-size: " + bytes.error().message());
    wanted.max_bytes = *bytes;
  }
  const GcReport report = value_or_throw(store->gc(wanted));
  if (context.flag("json")) {
    print_json({{"stale", report.stale},
                {"evicted", report.evicted},
                {"damaged", report.damaged},
                {"files", report.files},
                {"file_bytes", report.file_bytes},
                {"bytes_before", report.bytes_before},
                {"bytes_after", report.bytes_after},
                {"dry_run", wanted.dry_run}});
    return 0;
  }
  print(fmt::format(
      "{}{} entries of other driver versions, {}{} least useful entries, {} damaged entries, {} "
      "unused files; "
      "{} before, {} after\n",
      wanted.dry_run ? "would remove: " : "removed: ", report.stale,
      wanted.dry_run ? "at least " : "", report.evicted, report.damaged, report.files,
      byte_count_text(report.bytes_before), byte_count_text(report.bytes_after)));
  return 0;
}

}  // namespace kiln::cli
