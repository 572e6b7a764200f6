// `kiln store ls`: what is kept.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/json_line.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/entry_json.hpp"
#include "cli/store/open.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view orders[] = {"key", "created", "used", "size", "cost", "hits"};
constexpr Option order{.name = "sort",
                       .kind = Kind::choice,
                       .value_name = "COLUMN",
                       .help =
                           "The order: by key, or the newest, last used, largest, dearest or "
                           "most used first.",
                       .fallback = "key",
                       .choices = orders};
constexpr Option store_ls_options[] = {options::store, options::kind, options::device_text, order,
                                       options::json};
constexpr Example store_ls_examples[] = {
    {"kiln store ls", "What is kept?"},
    {"kiln store ls --sort size --kind artifact", "Which programs take the most room?"},
    {"kiln store ls --json | jq -r .label", "The names, for a script."},
};

void sort_by(const std::string& column, std::vector<EntryInfo>& entries) {
  const auto by = [&](auto value) {
    std::stable_sort(entries.begin(), entries.end(),
                     [&](const EntryInfo& a, const EntryInfo& b) { return value(a) > value(b); });
  };
  if (column == "created") by([](const EntryInfo& entry) { return entry.created; });
  if (column == "used") by([](const EntryInfo& entry) { return entry.last_used; });
  if (column == "size") by([](const EntryInfo& entry) { return entry.size; });
  if (column == "cost") by([](const EntryInfo& entry) { return entry.metadata.cost_seconds; });
  if (column == "hits") by([](const EntryInfo& entry) { return entry.hits; });
}

/// The device's name, the third part of a fingerprint.
std::string device_name_in(const std::string& fingerprint) {
  std::string_view rest = fingerprint;
  for (int part = 0; part < 2 && rest.find('|') != rest.npos; ++part)
    rest.remove_prefix(rest.find('|') + 1);
  return std::string(rest.substr(0, rest.find('|')));
}

std::string cost_text(double seconds) { return seconds <= 0 ? "-" : duration(seconds * 1e9); }

}  // namespace

constinit const Command store_ls_command{
    .name = "store ls",
    .summary = "list what the store keeps",
    .description =
        "A line for each entry of the local store: the first letters of its key, its kind, the "
        "size of its content, what making it took (a hit saves that), how often it was used and "
        "when last, and what it is. A use inside one process counts once; uses are written when "
        "the process ends.\n\n"
        "With --json every entry is an object with all that is known of it.",
    .options = store_ls_options,
    .positional = key_prefixes,
    .examples = store_ls_examples,
};

int store_ls(Context& context) {
  const auto prefixes = prefixes_of(context.arguments());
  const auto store = open_local(context);
  auto entries = value_or_throw(store->list());
  std::erase_if(entries,
                [&](const EntryInfo& entry) { return !is_asked_for(entry, context, prefixes); });
  sort_by(context.text("sort"), entries);
  if (context.flag("json")) {
    for (const auto& entry : entries) print_json(json_of(entry));
    return 0;
  }
  Table table({"key", "kind", "size", "cost", "hits", "last used", "device", "label"});
  for (const auto& entry : entries)
    table.row({entry.key.digest.brief(), name_of(entry.kind), byte_count_text(entry.size),
               cost_text(entry.metadata.cost_seconds), std::to_string(entry.hits),
               date_text(entry.last_used), device_name_in(entry.metadata.fingerprint),
               entry.metadata.label});
  print(table.text());
  return 0;
}

}  // namespace kiln::cli
