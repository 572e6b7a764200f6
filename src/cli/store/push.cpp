// `kiln store push`: this machine's entries to the fleet's store.
#include <fmt/format.h>

#include <algorithm>

#include "cli/interrupt.hpp"
#include "cli/store/open.hpp"
#include "cli/store/shared_commands.hpp"
#include "cli/store/transfer.hpp"
#include "cli/store_settings.hpp"

namespace kiln::cli {
namespace {

constexpr Option store_push_options[] = {options::store,          options::shared_store,
                                         options::shared_timeout, options::kind,
                                         options::device_text,    options::json};
constexpr Example store_push_examples[] = {
    {"kiln store push", "All that this machine has, for the others."},
    {"kiln store push 3f2a --kind artifact", "One program."},
};

/// Sends one; an error where there is no use in trying another.
Expected<void> push(LocalStore& store, SharedLayer& shared, const EntryInfo& entry,
                    Transfer& transfer) {
  const auto canonical = store.canonical_of(entry.kind, entry.key);
  // Not get(): that an entry is sent says nothing of how useful it is here.
  auto found = canonical ? store.look_up(entry.kind, entry.key, *canonical)
                         : Lookup{{}, canonical.error().message()};
  if (!found.entry) {
    transfer.failed(entry.kind, entry.key, found.reason);
    return {};
  }
  auto sent =
      shared.send(entry.kind, entry.key, *canonical, found.entry->content, found.entry->metadata);
  if (sent) {
    transfer.done(entry.kind, entry.key, found.entry->content.size());
    return {};
  }
  transfer.failed(entry.kind, entry.key, sent.error().message());
  if (is_out_of_reach(sent.error())) return sent;
  return {};
}

}  // namespace

constinit const Command store_push_command{
    .name = "store push",
    .summary = "send entries to the shared store",
    .description =
        "Sends the entries of the local store to the fleet's, in place of what is there under the "
        "same keys. What was made here is signed, if there is a signing key; what came from "
        "elsewhere keeps the signature that it came with. Once the server cannot be reached the "
        "rest is not tried, and counted. Each other entry that did not arrive is named. The exit "
        "code is 1 where one did not.",
    .options = store_push_options,
    .positional = key_prefixes,
    .examples = store_push_examples,
};

int store_push(Context& context) {
  const StoreSettings settings = store_settings_of(context);
  const auto shared = open_shared(context, settings);
  const auto store = open_local(settings);
  const auto prefixes = prefixes_of(context.arguments());
  auto entries = value_or_throw(store->list());
  std::erase_if(entries,
                [&](const EntryInfo& entry) { return !is_asked_for(entry, context, prefixes); });
  Transfer transfer(context, "push", shared->where(), entries.size());
  Expected<void> reached;
  for (const auto& entry : entries) {
    stop_if_interrupted();
    if (reached)
      reached = push(*store, *shared, entry, transfer);
    else
      transfer.not_tried(entry.kind, entry.key);
  }
  return transfer.finish();
}

std::unique_ptr<SharedLayer> open_shared(const Context& context, StoreSettings settings) {
  if (settings.shared.empty())
    throw Error(Errc::bad_input, fmt::format("{}: missing shared store: --shared-store URL or "
                                             "KILN_SHARED_STORE names it",
                                             context.command().name));
  settings.shared_failures = LogLevel::debug;  // each error is shown
  settings.shared_timeout = std::max(settings.shared_timeout, std::chrono::milliseconds(5000));
  return value_or_throw(open_shared_store(settings));
}

bool is_out_of_reach(const Error& error) {
  return error.code() == Errc::io || error.code() == Errc::timeout;
}

}  // namespace kiln::cli
