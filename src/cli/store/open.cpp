#include "cli/store/open.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace kiln::cli {
namespace {

constexpr std::size_t most_shown = 5;

std::tm utc(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return parts;
}

bool defines(const Context& context, std::string_view name) {
  const auto& options = context.command().options;
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return option.name == name; });
}

}  // namespace

std::unique_ptr<LocalStore> open_local(const Context& context) {
  return open_local(store_settings_of(context));
}

std::unique_ptr<LocalStore> open_local(const StoreSettings& settings) {
  if (settings.local.empty())
    throw Error(Errc::bad_input,
                "no local store: it is off; expected --store=DIR, KILN_STORE or HOME");
  auto store = std::make_unique<LocalStore>(store_folder_for(settings.local));
  store->set_limit(settings.limit);
  return store;
}

EntryKind kind_of(std::string_view name) {
  for (const auto kind : {EntryKind::artifact, EntryKind::plan, EntryKind::record})
    if (name == name_of(kind)) return kind;
  throw Error(Errc::bad_input, fmt::format("found '{}', expected artifact, plan or record", name));
}

std::pair<EntryKind, Key> entry_of(LocalStore& store, std::string_view prefix,
                                   const Context& context) {
  auto found = value_or_throw(store.keys_like(prefix, most_shown + 1));
  if (context.has("kind"))
    std::erase_if(found, [kind = kind_of(context.text("kind"))](const auto& entry) {
      return entry.first != kind;
    });
  if (found.empty())
    throw Error(Errc::not_found, fmt::format("no entry's key begins with {}", prefix));
  if (found.size() == 1) return found.front();
  std::string list;
  for (std::size_t i = 0; i < std::min(found.size(), most_shown); ++i)
    list += fmt::format("\n  {} {}", found[i].second.hex(), name_of(found[i].first));
  if (found.size() > most_shown) list += "\n  …";
  throw Error(
      Errc::bad_input,
      fmt::format("several keys begin with {}; expected more letters or --kind:{}", prefix, list));
}

bool is_asked_for(const EntryInfo& entry, const Context& context) {
  return is_asked_for(entry, context, context.arguments());
}

bool is_asked_for(const EntryInfo& entry, const Context& context,
                  std::span<const std::string> prefixes) {
  if (context.has("kind") && entry.kind != kind_of(context.text("kind"))) return false;
  if (defines(context, "device") && context.has("device") &&
      entry.metadata.fingerprint.find(context.text("device")) == std::string::npos)
    return false;
  const std::string key = entry.key.hex();
  return prefixes.empty() || std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& prefix) {
           return key.starts_with(prefix);
         });
}

std::string date_text(std::int64_t seconds) {
  return seconds <= 0 ? "-" : fmt::format("{:%Y-%m-%d %H:%M}", utc(seconds));
}

std::string iso_date(std::int64_t seconds) {
  return seconds <= 0 ? "" : fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc(seconds));
}

}  // namespace kiln::cli
