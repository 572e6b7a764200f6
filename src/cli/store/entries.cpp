// Entries of the local store: which ones a command's words name; `kiln store ls`, `show`,
// `explain`, `rm` and `clear`.
#include "cli/store/entries.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "kernel/request/stored_record.hpp"
#include "kiln/json.hpp"
#include "kiln/prebuild.hpp"

namespace kiln::cli {
namespace {

std::tm utc(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return parts;
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

namespace {

/// The keys of what a program uses on the devices, in place of the words that begin some of them.
void limit_to_used(const Context& context, EntryFilter& filter) {
  const std::string& program = context.text("used-by");
  const auto prefixes = prefixes_of(filter.keys);
  filter.keys = keys_used_by(store_of(context), program, filter.devices);
  // Records of use and texts are of no device.
  filter.devices.clear();
  std::erase_if(filter.keys, [&](const std::string& key) {
    return !prefixes.empty() &&
           std::ranges::none_of(prefixes, [&](const auto& one) { return key.starts_with(one); });
  });
  if (filter.keys.empty())
    throw Error(Errc::not_found,
                fmt::format("{} uses no entry with such a key", one_line(program)));
}

}  // namespace

EntryFilter filter_of(const Context& context, std::span<const std::string> words) {
  EntryFilter filter{kind_of(context), {}, {words.begin(), words.end()}};
  if (context.defines("device")) filter.devices = context.list("device");
  if (context.defines("used-by") && context.has("used-by")) limit_to_used(context, filter);
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
constexpr Option sort_order = Option::choice(
    "sort", "COLUMN", orders,
    "The order: by key, or the newest, last used, largest, dearest or most used first.", "key");

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

int store_ls(Context& context) {
  auto entries = store_of(context).entries(filter_of(context, context.arguments()));
  sort_by(context.text("sort"), entries);
  if (context.flag("json")) {
    for (const auto& entry : entries) print_json_line(json_of(entry));
    return 0;
  }
  Table table({"key", "kind", "size", "cost", "hits", "last used", "device", "label"});
  for (const auto& entry : entries)
    table.row(entry.key.digest.brief(), name_of(entry.kind), byte_count_text(entry.size),
              cost_text(entry.metadata.cost_seconds), entry.hits, date_text(entry.last_used),
              model_of(entry.metadata.fingerprint), entry.metadata.label);
  print(table.text());
  return 0;
}

// `kiln store show`: all that is known of an entry.

constexpr Option content_file =
    Option::file("content", "FILE", "Writes the content, checked, to this file.", Access::write);

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
    if (!value.empty()) print("{:<12} {}\n", name, one_line(value));
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

// `kiln store rm` and `kiln store clear`: entries go.

int store_rm(Context& context) {
  const Store store = store_of(context);
  std::vector<EntryInfo> entries;
  for (const auto& word : context.arguments())
    entries.push_back(store.entry(word, kind_of(context)));
  for (const auto& entry : entries)
    if (store.remove(entry)) print("removed {} {}\n", name_of(entry.kind), entry.key.hex());
  return 0;
}

int store_clear(Context& context) {
  print("removed {}\n", entries_text(store_of(context).clear(filter_of(context, {}))));
  return 0;
}

/// Whose the lines are that begin with the mark.
std::string heading(std::string_view mark, const EntryInfo& entry) {
  return fmt::format("{} {} {} ({})\n", mark, name_of(entry.kind), entry.key.hex(),
                     one_line(entry.metadata.label));
}

int explain_two(Context& context, const Store& store) {
  const EntryInfo first = store.entry(context.arguments()[0], kind_of(context));
  const EntryInfo second = store.entry(context.arguments()[1], kind_of(context));
  const std::string difference = store.difference(first, second);
  print_either(
      context.flag("json"),
      {{"first", first.key.hex()}, {"second", second.key.hex()}, {"difference", difference}},
      difference.empty() ? "the same\n" : heading("-", first) + heading("+", second) + difference);
  return 0;
}

int store_explain(Context& context) {
  const Store store = store_of(context);
  if (context.arguments().size() == 2) return explain_two(context, store);
  const StoreExplanation explanation =
      store.explain(store.entry(context.arguments().front(), kind_of(context)));
  if (context.flag("json")) {
    print_json_line(json_of(explanation));
    return 0;
  }
  for (const auto& answer : explanation.layers)
    print("{:<13} {:<4} {} ({})\n", answer.layer, answer.answered ? "hit" : "miss",
          one_line(answer.reason), duration(static_cast<double>(answer.end_ns - answer.start_ns)));
  if (const auto& relative = explanation.nearest)
    print("nearest       {} {}, which differs in\n{}", relative->key.digest.brief(),
          one_line(relative->label), relative->difference);
  return 0;
}

}  // namespace

const Command store_ls_command{
    .name = "store ls",
    .summary = "list what the store keeps",
    .description =
        "A line for each entry of the local store: the first letters of its key, its kind, the "
        "size of its content, what making it took (a hit saves that), how often it was used and "
        "when last, and what it is. A use inside one process counts once; uses are written when "
        "the process ends.\n\n"
        "With --json every entry is an object with all that is known of it.",
    .options = {{options::store, options::kind, options::device_text, options::used_by, sort_order,
                 options::json}},
    .positional = key_prefixes,
    .examples = {{"kiln store ls", "What is kept?"},
                 {"kiln store ls --sort size --kind artifact",
                  "Which programs take the most room?"},
                 {"kiln store ls --used-by darktable-cli", "What has this program built?"},
                 {"kiln store ls --json | jq -r .label", "The names, for a script."}},
    .body = store_ls,
};

const Command store_show_command{
    .name = "store show",
    .summary = "show all that is known of an entry",
    .description =
        "What an entry is, what it was made of, what the compiler said, how often it was used, and "
        "every fact that its key is made of: two runs share an entry if and only if these are "
        "equal. KEY is the first letters of a key, as many as tell it from others.",
    .options = {{options::store, options::kind, content_file, options::json}},
    .positional = Positional::word("KEY", "The first letters of a key."),
    .examples = {{"kiln store show 3f2a", "What is the entry whose key begins with 3f2a?"}},
    .body = store_show,
};

const Command store_rm_command{
    .name = "store rm",
    .summary = "remove entries",
    .description =
        "Each KEY is the first letters of a key, as many as tell it from others, at least four. "
        "Nothing is removed unless every KEY names one entry.",
    .options = {{options::store, options::kind}},
    .positional = Positional::words("KEY", "The first letters of a key."),
    .examples = {{"kiln store rm 3f2a 91c0", "These two entries go."}},
    .body = store_rm,
};

const Command store_clear_command{
    .name = "store clear",
    .summary = "remove all entries",
    .description =
        "All entries of the local store, or those of a kind or device, and the files that nothing "
        "refers to. Programs that run meanwhile go on.",
    .options = {{options::store, options::kind, options::device_text}},
    .examples = {{"kiln store clear",
                  "The store is empty; everything is made anew when it is needed."},
                 {"kiln store clear --kind artifact", "All programs go; what was tuned stays."}},
    .body = store_clear,
};

const Command store_explain_command{
    .name = "store explain",
    .summary = "show which layers have an entry, and what tells it from others",
    .description =
        "With one KEY: what each layer of the store says to it, with the time that took, and the "
        "entry that differs in the fewest facts: what changed, and so why this one was made. With "
        "two: the facts in which they differ, \"-\" of the first and \"+\" of the second.",
    .options = {{options::store, options::kind, options::system_store, options::shared_store,
                 options::json}},
    .positional = Positional::words("KEY", "The first letters of a key.", 1, 2),
    .examples = {{"kiln store explain 3f2a",
                  "Which layers have it, and what is its nearest relative?"},
                 {"kiln store explain 3f2a 91c0", "Why are these two not one?"}},
    .body = store_explain,
};

}  // namespace kiln::cli
