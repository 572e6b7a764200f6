#include "cli/store/open.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/text.hpp"
namespace kiln::cli {
namespace {

constexpr std::size_t most_shown = 5;
constexpr std::size_t fewest_letters = 4, letters_of_key = 64;

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

std::string key_prefix(std::string_view word) {
  std::string letters(word);
  for (char& letter : letters)
    if (letter >= 'A' && letter <= 'F') letter = static_cast<char>(letter - 'A' + 'a');
  if (letters.size() < fewest_letters || letters.size() > letters_of_key ||
      letters.find_first_not_of("0123456789abcdef") != letters.npos)
    throw Error(
        Errc::bad_input,
        fmt::format("found '{}', expected the first letters of a key, at least {} (0-9, a-f)",
                    one_line(word), fewest_letters));
  return letters;
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
  store->leave_failures_to_caller();
  return store;
}

EntryKind kind_of(std::string_view name) {
  for (const auto kind : {EntryKind::artifact, EntryKind::plan, EntryKind::record})
    if (name == name_of(kind)) return kind;
  throw Error(Errc::bad_input, fmt::format("found '{}', expected artifact, plan or record", name));
}

std::vector<std::string> prefixes_of(std::span<const std::string> words) {
  std::vector<std::string> prefixes;
  for (const auto& word : words) prefixes.push_back(key_prefix(word));
  return prefixes;
}

bool is_one_of(const Key& key, std::span<const std::string> prefixes) {
  return prefixes.empty() ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [hex = key.hex()](const auto& prefix) { return hex.starts_with(prefix); });
}

std::pair<EntryKind, Key> entry_of(LocalStore& store, std::string_view word,
                                   const Context& context) {
  const std::string prefix = key_prefix(word);
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

bool is_asked_for(const EntryInfo& entry, const Context& context,
                  std::span<const std::string> prefixes) {
  if (context.has("kind") && entry.kind != kind_of(context.text("kind"))) return false;
  if (defines(context, "device") && context.has("device") &&
      entry.metadata.fingerprint.find(context.text("device")) == std::string::npos)
    return false;
  return is_one_of(entry.key, prefixes);
}

std::string date_text(std::int64_t seconds) {
  return seconds <= 0 ? "-" : fmt::format("{:%Y-%m-%d %H:%M}", utc(seconds));
}

std::string iso_date(std::int64_t seconds) {
  return seconds <= 0 ? "" : fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc(seconds));
}

}  // namespace kiln::cli
