// `kiln store show`: all that is known of an entry.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/file_options.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/entry_json.hpp"
#include "cli/store/open.hpp"

namespace kiln::cli {
namespace {

constexpr Option content{.name = "content",
                         .kind = Kind::file,
                         .access = Access::write,
                         .value_name = "FILE",
                         .help = "Writes the content, checked, to this file."};
constexpr Option store_show_options[] = {options::store, options::kind, content, options::json};
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

}  // namespace kiln::cli
