// The local store as a whole: `kiln store info`, `kiln store verify` and `kiln store gc`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/data/text.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/store/entries.hpp"
#include "kiln/json.hpp"
#include "store/default_store.hpp"

namespace kiln::cli {
namespace {

// `kiln store info`: where the store is, and how much it keeps.

using Json = nlohmann::ordered_json;

/// A layer of the store, for people.
struct LayerName {
  std::string name;    ///< "local", "system", "shared"
  std::string place;   ///< a folder, a URL without its password, or "off"
  std::string origin;  ///< "command line", "KILN_STORE", "default", …
};

std::string origin_of(const Context& context, std::string_view option, std::string otherwise) {
  return context.text(option).empty() ? std::move(otherwise) : context.origin(option).text();
}

/// A URL that may be shown to others: without user and password, between // and @.
std::string without_password(const std::string& url) {
  const auto start = url.find("://");
  const auto at = url.rfind('@');
  if (start == url.npos || at == url.npos || at < start) return url;
  return url.substr(0, start + 3) + "…" + url.substr(at);
}

std::string or_off(const std::string& place) { return place.empty() ? "off" : place; }

/// The layers in the order in which they are asked. `local_folder`: the folder in use, which is not
/// the one of the settings where that is on a network file system.
std::vector<LayerName> layers_of(const Context& context, const StoreSettings& settings,
                                 const std::string& local_folder) {
  std::string local_origin = origin_of(context, "store", default_store_location().origin);
  if (local_folder != settings.local)
    local_origin += ": " + settings.local + " is on a network file system";
  return {{"local", or_off(local_folder), local_origin},
          {"system", or_off(settings.system), origin_of(context, "system-store", "default")},
          {"shared", or_off(without_password(settings.shared)),
           origin_of(context, "shared-store", "default")}};
}

int store_info(Context& context) {
  const StoreSettings settings = store_settings_of(context);
  const Trust trust = default_trust();
  StoreStatistics stats;
  StoreSettings opened = settings;
  const std::string& folder = opened.local = store_folder_for(settings.local);
  if (!folder.empty()) stats = Store::open(opened).statistics();
  const auto layers = layers_of(context, settings, folder);
  if (context.flag("json")) {
    Json json;
    for (const auto& layer : layers)
      json["layers"].push_back(
          {{"name", layer.name}, {"place", layer.place}, {"origin", layer.origin}});
    json.update(Json::parse(json_of(stats)));
    json["limit"] = settings.limit;
    json["signatures_required"] = trust.required;
    json["trusted_keys"] = trust.keys.size();
    json["machine_key"] = trust.required ? machine_key_path() : "";
    print_json(json);
    return 0;
  }
  for (const auto& layer : layers) print("{:<8} {} ({})\n", layer.name, layer.place, layer.origin);
  if (!folder.empty()) {
    print("size     {} of {}\n", byte_count_text(stats.bytes),
          settings.limit == 0 ? "any size" : "at most " + byte_count_text(settings.limit));
    const auto line = [](const char* name, const StoreStatistics::PerKind& kind) {
      print("{:<8} {}, {}\n", name, kind.entries, byte_count_text(kind.bytes));
    };
    line("programs", stats.artifacts);
    line("plans", stats.plans);
    line("records", stats.records);
    if (stats.damaged_rows > 0) print("damaged  {} rows: kiln store verify\n", stats.damaged_rows);
    if (stats.set_aside > 0)
      print("aside    {} damaged databases (store.db.damaged-N)\n", stats.set_aside);
  }
  print(trust.required
            ? fmt::format("trust    signatures of {} {}, listed in {}\n", trust.keys.size(),
                          trust.keys.size() == 1 ? "key" : "keys", trust.origin)
            : "trust    entries made elsewhere may be unsigned (no list of trusted keys)\n");
  if (trust.required) {
    const std::string key = machine_key_path();
    print(key.empty() ? "own key  none: what is made here is not used (KILN_MACHINE_KEY)\n"
                      : fmt::format("own key  {}, which signs what is made here\n", key));
  }
  return 0;
}

// `kiln store verify`: is every entry whole?

constexpr Option repair_faults =
    Option::flag("repair", "Removes what is not whole: it is made anew when it is needed.");

std::string fault_name(const StoreFault& fault) {
  return fault.file ? fault.file->hex() : fault.key.hex();
}

int store_verify(Context& context) {
  const Store store = store_of(context);
  const StoreCheck check = context.flag("repair") ? store.repair() : store.verify();
  if (context.flag("json")) {
    for (const auto& fault : check.faults) print_json_line(json_of(fault));
    print_json_line(json_of(check));
  } else {
    for (const auto& fault : check.faults)
      print("{} {} {}: {}\n", name_of(fault.kind), fault_name(fault), one_line(fault.label),
            one_line(fault.reason));
    if (check.damaged_rows > 0) print("{} rows whose checksum differs\n", check.damaged_rows);
    const auto faults = check.fault_count();
    print("{} entries, {}: {}{}\n", check.entries, byte_count_text(check.bytes),
          faults == 0 ? "all whole" : fmt::format("{} faults", faults),
          check.is_repaired && faults > 0 ? ", removed" : "");
    if (check.unused_files > 0 && !check.is_repaired)
      print("{} files that no entry uses: kiln store gc removes them\n", check.unused_files);
  }
  return check.fault_count() == 0 || check.is_repaired ? 0 : 1;
}

// `kiln store gc`: stale, damaged and least useful entries go.

constexpr Option max_size = Option::text(
    "max-size", "BYTES",
    "How large the store may be afterwards (500M, 2G). Default: what --store-size says.");
constexpr Option gc_dry_run = Option::flag("dry-run", "Only tells what would be removed.");

int store_gc(Context& context) {
  GcOptions wanted;
  wanted.dry_run = context.flag("dry-run");
  if (context.has("max-size")) wanted.max_bytes = bytes_option(context, "max-size");
  const GcReport report = store_of(context).gc(wanted);
  if (context.flag("json")) {
    print_json_line(json_of(report));
    return 0;
  }
  print(
      "{}{} entries of other driver versions, {}{} least useful entries, {} damaged entries, {} "
      "unused files; {} before, {} after\n",
      wanted.dry_run ? "would remove: " : "removed: ", report.stale,
      wanted.dry_run ? "at least " : "", report.evicted, report.damaged, report.files,
      byte_count_text(report.bytes_before), byte_count_text(report.bytes_after));
  return 0;
}

}  // namespace

const Command store_info_command{
    .name = "store info",
    .summary = "show where the store is and how much it keeps",
    .description =
        "The layers in the order in which they are asked, where each was named, what the local one "
        "holds, how large it may become, and whose entries this machine takes.",
    .options = {{options::store, options::store_size, options::system_store, options::shared_store,
                 options::json}},
    .examples = {{"kiln store info", "Where is the store, and how large is it?"}},
    .body = store_info,
};

const Command store_verify_command{
    .name = "store verify",
    .summary = "check every entry of the store",
    .description =
        "Reads every entry and checks what a hit checks (row, length and checksum of the content, "
        "signature where this machine asks for one), and that keys and file names are the digests "
        "of what they name. A fault is never dangerous, since a hit would find it, too: it is a "
        "miss then. The exit code is 1 where there is one that --repair has not removed.",
    .options = {{options::store, repair_faults, options::json}},
    .examples = {{"kiln store verify", "Is every entry whole?"}},
    .body = store_verify,
};

const Command store_gc_command{
    .name = "store gc",
    .summary = "remove stale, damaged and least useful entries",
    .description =
        "First go the entries of devices whose driver has changed since (they can never be used "
        "again), damaged rows, and files that no entry refers to. If the store is larger than it "
        "may be, then those entries that save the least time a byte: the seconds that making one "
        "took, times its uses, halved for every two weeks without one, divided by its size.\n\n"
        "Programs may use the store meanwhile.",
    .options = {{options::store, options::store_size, max_size, gc_dry_run, options::json}},
    .examples = {{"kiln store gc --max-size 2G",
                  "What saves the least time a byte goes, until 2 GB are left."},
                 {"kiln store gc --dry-run", "What would go?"}},
    .body = store_gc,
};

}  // namespace kiln::cli
