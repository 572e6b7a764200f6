// `kiln store rm` and `kiln store clear`: entries go.
#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/open.hpp"

namespace kiln::cli {
namespace {

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
  // Unused files and free pages, too.
  value_or_throw(store->gc({}));
  print(fmt::format("removed {} {}\n", removed, removed == 1 ? "entry" : "entries"));
  return 0;
}

}  // namespace kiln::cli
