// Entries of the local store: which ones a command's words name; `kiln store ls`, `show`, `rm` and
// `clear`.
#include "cli/store/entries.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/store/commands.hpp"
#include "kernel/request/stored_record.hpp"

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

/// Whether the command has an option of this name: only then may it be asked for.
bool defines(const Context& context, std::string_view name) {
  const auto& options = context.command().options;
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return option.name == name; });
}

/// A word as the first letters of a key, in lower case. Throws Error (bad input).
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

/// "artifact", "plan", "record"; Throws Error (bad input).
EntryKind kind_of(std::string_view name) {
  for (const auto kind : {EntryKind::artifact, EntryKind::plan, EntryKind::record})
    if (name == name_of(kind)) return kind;
  throw Error(Errc::bad_input, fmt::format("found '{}', expected artifact, plan or record", name));
}

/// For JSON: "2026-11-21T08:14:05Z"; "" for 0.
std::string iso_date(std::int64_t seconds) {
  return seconds <= 0 ? "" : fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc(seconds));
}

/// All that is known of an entry but its content, as --json prints it.
nlohmann::ordered_json json_of(const EntryInfo& entry) {
  const Metadata& metadata = entry.metadata;
  nlohmann::ordered_json json{{"key", entry.key.hex()},
                              {"kind", name_of(entry.kind)},
                              {"label", metadata.label},
                              {"size", entry.size},
                              {"cost_seconds", metadata.cost_seconds},
                              {"hits", entry.hits},
                              {"created", iso_date(entry.created)},
                              {"last_used", iso_date(entry.last_used)},
                              {"fingerprint", metadata.fingerprint},
                              {"schema", metadata.schema},
                              {"options", metadata.options},
                              {"build_log", metadata.build_log},
                              {"in_file", entry.in_file},
                              {"made_elsewhere", metadata.made_elsewhere}};
  json["source"] = metadata.source ? metadata.source->hex() : "";
  json["signer"] = metadata.signature ? metadata.signature->signer.hex() : "";
  return json;
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

std::vector<std::string> prefixes_of(std::span<const std::string> words) {
  std::vector<std::string> prefixes;
  for (const auto& word : words) prefixes.push_back(key_prefix(word));
  return prefixes;
}

bool matches_prefix(const Key& key, std::span<const std::string> prefixes) {
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
  return matches_prefix(entry.key, prefixes);
}

std::string date_text(std::int64_t seconds) {
  return seconds <= 0 ? "-" : fmt::format("{:%Y-%m-%d %H:%M}", utc(seconds));
}

std::string entries_text(std::uint64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
}

namespace {

// `kiln store ls`: what is kept.

constexpr std::string_view orders[] = {"key", "created", "used", "size", "cost", "hits"};
constexpr Option sort_order{.name = "sort",
                            .kind = Kind::choice,
                            .value_name = "COLUMN",
                            .help =
                                "The order: by key, or the newest, last used, largest, dearest or "
                                "most used first.",
                            .fallback = "key",
                            .choices = orders};
constexpr Option store_ls_options[] = {options::store, options::kind, options::device_text,
                                       sort_order, options::json};
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
               date_text(entry.last_used), model_of(entry.metadata.fingerprint),
               entry.metadata.label});
  print(table.text());
  return 0;
}

namespace {

// `kiln store show`: all that is known of an entry.

constexpr Option content_file{.name = "content",
                              .kind = Kind::file,
                              .access = Access::write,
                              .value_name = "FILE",
                              .help = "Writes the content, checked, to this file."};
constexpr Option store_show_options[] = {options::store, options::kind, content_file,
                                         options::json};
constexpr Example store_show_examples[] = {
    {"kiln store show 3f2a", "What is the entry whose key begins with 3f2a?"},
};

std::string indented(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines += "  " + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string maker_of(const Metadata& metadata) {
  if (!metadata.made_elsewhere) return "this machine";
  return metadata.signature ? "elsewhere, signed by " + metadata.signature->signer.hex()
                            : "elsewhere, unsigned";
}

void print_entry(const EntryInfo& entry, ByteView canonical) {
  const Metadata& metadata = entry.metadata;
  const auto line = [](std::string_view name, const std::string& value) {
    if (!value.empty()) print(fmt::format("{:<12} {}\n", name, one_line(value)));
  };
  line("key", entry.key.hex());
  line("kind", fmt::format("{}, schema {}", name_of(entry.kind), metadata.schema));
  line("label", metadata.label);
  line("device", metadata.fingerprint);
  line("content", byte_count_text(entry.size) + (entry.in_file ? ", a file" : ""));
  if (metadata.cost_seconds > 0) line("cost", duration(metadata.cost_seconds * 1e9));
  line("created", date_text(entry.created));
  line("used", entry.hits == 0
                   ? "never"
                   : fmt::format("{} times, last {}", entry.hits, date_text(entry.last_used)));
  line("made by", maker_of(metadata));
  if (metadata.source) line("source", metadata.source->hex());
  line("options", metadata.options);
  if (!metadata.build_log.empty()) cli::print_text("build log\n" + indented(metadata.build_log));
  print("what the key is made of\n" + indented(describe_canonical(canonical)));
}

}  // namespace

constinit const Command store_show_command{
    .name = "store show",
    .summary = "show all that is known of an entry",
    .description =
        "What an entry is, what it was made of, what the compiler said, how often it was used, "
        "and every fact that its key is made of: two runs share an entry if and only if these are "
        "equal. KEY is the first letters of a key, as many as tell it from others.",
    .options = store_show_options,
    .positional = {.value_name = "KEY",
                   .help = "The first letters of a key.",
                   .least = 1,
                   .most = 1},
    .examples = store_show_examples,
};

int store_show(Context& context) {
  const auto store = open_local(context);
  const auto [kind, key] = entry_of(*store, context.arguments().front(), context);
  const EntryInfo entry = value_or_throw(store->info(kind, key));
  const Bytes canonical = value_or_throw(store->canonical_of(kind, key));
  if (context.has("content")) {
    const Lookup found = store->look_up(kind, key, canonical);
    if (!found.entry) throw Error(Errc::corrupt, key.hex() + ": " + found.reason);
    value_or_throw(write_file(context.text("content"), found.entry->content));
  }
  if (context.flag("json")) {
    auto json = json_of(entry);
    json["canonical"] = describe_canonical(canonical);
    print_json(json);
  } else {
    print_entry(entry, canonical);
  }
  return 0;
}

namespace {

// `kiln store rm` and `kiln store clear`: entries go.

constexpr Option rm_options[] = {options::store, options::kind};
constexpr Option clear_options[] = {options::store, options::kind, options::device_text};
constexpr Example rm_examples[] = {{"kiln store rm 3f2a 91c0", "These two entries go."}};
constexpr Example clear_examples[] = {
    {"kiln store clear", "The store is empty; everything is made anew when it is needed."},
    {"kiln store clear --kind artifact", "All programs go; what was tuned stays."},
};

}  // namespace

constinit const Command store_rm_command{
    .name = "store rm",
    .summary = "remove entries",
    .description =
        "Each KEY is the first letters of a key, as many as tell it from others, at least four. "
        "Nothing is removed unless every KEY names one entry.",
    .options = rm_options,
    .positional = {.value_name = "KEY",
                   .help = "The first letters of a key.",
                   .least = 1,
                   .most = 1'000'000},
    .examples = rm_examples,
};

constinit const Command store_clear_command{
    .name = "store clear",
    .summary = "remove all entries",
    .description =
        "All entries of the local store, or those of a kind or device, and the files "
        "that nothing refers to. Programs that run meanwhile go on.",
    .options = clear_options,
    .examples = clear_examples,
};

int store_rm(Context& context) {
  const auto store = open_local(context);
  std::vector<std::pair<EntryKind, Key>> entries;
  for (const auto& prefix : context.arguments())
    entries.push_back(entry_of(*store, prefix, context));
  for (const auto& [kind, key] : entries) {
    if (value_or_throw(store->remove(kind, key)))
      print(fmt::format("removed {} {}\n", name_of(kind), key.hex()));
  }
  return 0;
}

int store_clear(Context& context) {
  const auto store = open_local(context);
  std::uint64_t removed = 0;
  for (const auto& entry : value_or_throw(store->list()))
    if (is_asked_for(entry, context, {}))
      removed += value_or_throw(store->remove(entry.kind, entry.key));
  // Removes unused files and free pages, too.
  value_or_throw(store->gc({}));
  print(fmt::format("removed {}\n", entries_text(removed)));
  return 0;
}

}  // namespace kiln::cli
