// Entries of the local store: which ones a command's words name; `kiln store ls`, `show`, `rm` and
// `clear`.
#include "cli/store/entries.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/store/commands.hpp"
#include "kernel/request/stored_record.hpp"
#include "kiln/json.hpp"

namespace kiln::cli {
namespace {

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

}  // namespace

std::unique_ptr<LocalStore> open_local(const Context& context) {
  const StoreSettings settings = store_settings_of(context);
  auto store = std::make_unique<LocalStore>(Store::open(settings).folder());
  store->set_limit(settings.limit);
  store->leave_failures_to_caller();
  return store;
}

Store store_of(const Context& context) { return Store::open(store_settings_of(context)); }

std::optional<EntryKind> kind_of(const Context& context) {
  return context.has("kind") ? kind_named(context.text("kind")) : std::nullopt;
}

EntryFilter filter_of(const Context& context, std::span<const std::string> words) {
  EntryFilter filter{kind_of(context), {}, {words.begin(), words.end()}};
  if (defines(context, "device")) filter.device = context.text("device");
  return filter;
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
  auto entries = store_of(context).entries(filter_of(context, context.arguments()));
  sort_by(context.text("sort"), entries);
  if (context.flag("json")) {
    for (const auto& entry : entries) print_json_line(json_of(entry));
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

void print_entry(const EntryInfo& entry, const std::string& facts) {
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
  print("what the key is made of\n" + indented(facts));
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
  const Store store = store_of(context);
  const EntryInfo entry = store.entry(context.arguments().front(), kind_of(context));
  const std::string facts = store.facts(entry);
  if (context.has("content"))
    value_or_throw(write_file(context.text("content"), store.content(entry)));
  if (context.flag("json")) {
    auto json = nlohmann::ordered_json::parse(json_of(entry));
    json["canonical"] = facts;
    print_json(json);
  } else {
    print_entry(entry, facts);
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
  const Store store = store_of(context);
  std::vector<EntryInfo> entries;
  for (const auto& word : context.arguments())
    entries.push_back(store.entry(word, kind_of(context)));
  for (const auto& entry : entries)
    if (store.remove(entry))
      print(fmt::format("removed {} {}\n", name_of(entry.kind), entry.key.hex()));
  return 0;
}

int store_clear(Context& context) {
  print(fmt::format("removed {}\n", entries_text(store_of(context).clear(filter_of(context, {})))));
  return 0;
}

}  // namespace kiln::cli
