// `kiln store info`: where the store is, and how much it keeps.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/layer_names.hpp"
#include "cli/store/open.hpp"
#include "cli/store_settings.hpp"
#include "store/machine_key.hpp"
#include "store/trust.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option store_info_options[] = {options::store, options::store_size, options::system_store,
                                         options::shared_store, options::json};
constexpr Example store_info_examples[] = {
    {"kiln store info", "Where is the store, and how large is it?"}};

Json json_of(const StoreStats::PerKind& kind) {
  return {{"entries", kind.entries}, {"bytes", kind.bytes}};
}

}  // namespace

constinit const Command store_info_command{
    .name = "store info",
    .summary = "show where the store is and how much it keeps",
    .description =
        "The layers in the order in which they are asked, where each was named, what the local "
        "one holds, how large it may become, and whose entries this machine takes.",
    .options = store_info_options,
    .examples = store_info_examples,
};

int store_info(Context& context) {
  const StoreSettings settings = store_settings_of(context);
  const Trust trust = default_trust();
  StoreStats stats;
  std::uint64_t size = 0;
  std::string folder = store_folder_for(settings.local);
  if (!folder.empty()) {
    LocalStore store(folder);
    store.leave_failures_to_caller();
    stats = value_or_throw(store.stats());
    size = value_or_throw(store.size());
  }
  const auto layers = layers_of(context, settings, folder);
  if (context.flag("json")) {
    Json json;
    for (const auto& layer : layers)
      json["layers"].push_back(
          {{"name", layer.name}, {"place", layer.place}, {"origin", layer.origin}});
    json["bytes"] = size;
    json["limit"] = settings.limit;
    json["artifacts"] = json_of(stats.artifacts);
    json["plans"] = json_of(stats.plans);
    json["records"] = json_of(stats.records);
    json["damaged_rows"] = stats.damaged_rows;
    json["files"] = stats.files;
    json["set_aside"] = stats.set_aside;
    json["signatures_required"] = trust.required;
    json["trusted_keys"] = trust.keys.size();
    json["machine_key"] = trust.required ? machine_key_path() : "";
    print_json(json);
    return 0;
  }
  for (const auto& layer : layers)
    print(fmt::format("{:<8} {} ({})\n", layer.name, layer.place, layer.origin));
  if (!folder.empty()) {
    print(fmt::format(
        "size     {} of {}\n", byte_count_text(size),
        settings.limit == 0 ? "any size" : "at most " + byte_count_text(settings.limit)));
    const auto line = [](const char* name, const StoreStats::PerKind& kind) {
      print(fmt::format("{:<8} {}, {}\n", name, kind.entries, byte_count_text(kind.bytes)));
    };
    line("programs", stats.artifacts);
    line("plans", stats.plans);
    line("records", stats.records);
    if (stats.damaged_rows > 0)
      print(fmt::format("damaged  {} rows: kiln store verify\n", stats.damaged_rows));
    if (stats.set_aside > 0)
      print(fmt::format("aside    {} damaged databases (store.db.damaged-N)\n", stats.set_aside));
  }
  print(trust.required
            ? fmt::format("trust    signatures of {} keys, listed in {}\n", trust.keys.size(),
                          trust.origin)
            : "trust    entries made elsewhere may be unsigned (no list of trusted keys)\n");
  if (trust.required) {
    const std::string key = machine_key_path();
    print(key.empty() ? "own key  none: what is made here is not used (KILN_MACHINE_KEY)\n"
                      : fmt::format("own key  {}, which signs what is made here\n", key));
  }
  return 0;
}

}  // namespace kiln::cli
