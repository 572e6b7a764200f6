// Between this machine's store and the fleet's shared one: `kiln store push` and `kiln store pull`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/entries.hpp"
#include "store/layer/layer.hpp"

namespace kiln::cli {
namespace {

/// Prints what happens to the entries of a push or a pull: a line for each that did not arrive
/// (with
/// --json for each entry), and the counts at the end.
class Transfer {
 public:
  /// `verb` is "push" or "pull"; `total` entries are looked at.
  Transfer(const Context& context, std::string_view verb, std::string where, std::size_t total);

  void done(kiln::Kind kind, const Key& key, std::uint64_t bytes);
  /// The entry is there already, and stays.
  void present(kiln::Kind kind, const Key& key);
  /// Not accepted here: untrusted or damaged. That is no failure of the command.
  void refused(kiln::Kind kind, const Key& key, const std::string& reason);
  void failed(kiln::Kind kind, const Key& key, const std::string& reason);
  /// The server is out of reach, as another entry's failure has said.
  void not_tried(kiln::Kind kind, const Key& key);

  /// Prints the counts. Returns the exit code: 1 where an entry failed.
  int finish();

 private:
  void tell(std::string_view state, kiln::Kind kind, const Key& key, const std::string& reason);
  const bool json_;
  const std::string done_word_, where_;
  Progress progress_;
  std::uint64_t done_ = 0, bytes_ = 0, present_ = 0, refused_ = 0, failed_ = 0, not_tried_ = 0;
};

Transfer::Transfer(const Context& context, std::string_view verb, std::string where,
                   std::size_t total)
    : json_(context.flag("json")),
      done_word_(fmt::format("{}ed", verb)),
      where_(std::move(where)),
      progress_(std::string(verb), total) {}

void Transfer::done(kiln::Kind kind, const Key& key, std::uint64_t bytes) {
  ++done_;
  bytes_ += bytes;
  if (json_) tell(done_word_, kind, key, "");
  progress_.advance(1, key.hex());
}

void Transfer::present(kiln::Kind kind, const Key& key) {
  ++present_;
  if (json_) tell("present", kind, key, "");
  progress_.advance();
}

void Transfer::refused(kiln::Kind kind, const Key& key, const std::string& reason) {
  ++refused_;
  tell("refused", kind, key, reason);
}

void Transfer::failed(kiln::Kind kind, const Key& key, const std::string& reason) {
  ++failed_;
  tell("failed", kind, key, reason);
}

void Transfer::not_tried(kiln::Kind kind, const Key& key) {
  ++failed_;
  ++not_tried_;
  // For people one line that the server is out of reach is enough; programs get a line an entry.
  if (json_) tell("failed", kind, key, "not tried: the server is out of reach");
}

void Transfer::tell(std::string_view state, kiln::Kind kind, const Key& key,
                    const std::string& reason) {
  progress_.hide();
  if (json_)
    print_json({{"state", state}, {"kind", name_of(kind)}, {"key", key.hex()}, {"reason", reason}});
  else
    complain(fmt::format("{} {} {}: {}", name_of(kind), key.hex(), state, reason));
}

int Transfer::finish() {
  progress_.hide();
  if (json_) {
    print_json({{"shared_store", where_},
                {done_word_, done_},
                {"bytes", bytes_},
                {"present", present_},
                {"refused", refused_},
                {"failed", failed_},
                {"not_tried", not_tried_}});
  } else {
    std::string text =
        fmt::format("{} {}, {}", done_word_, entries_text(done_), byte_count_text(bytes_));
    if (present_ > 0) text += fmt::format("; {} here already", present_);
    if (refused_ > 0) text += fmt::format("; {} refused", refused_);
    if (failed_ > 0) text += fmt::format("; {} failed", failed_);
    if (not_tried_ > 0)
      text += fmt::format(", of which {} not tried: the server is out of reach", not_tried_);
    print(fmt::format("{} ({})\n", text, where_));
  }
  return failed_ == 0 ? 0 : 1;
}

/// The fleet's store of these settings, for work that people wait for: each request may take five
/// seconds, or longer where --shared-timeout says so. Throws Error (bad input) where there is none.
std::unique_ptr<SharedLayer> open_shared(const Context& context, StoreSettings settings) {
  if (settings.shared.empty())
    throw Error(Errc::bad_input, fmt::format("{}: missing shared store: --shared-store URL or "
                                             "KILN_SHARED_STORE names it",
                                             context.command().name));
  settings.shared_failures = LogLevel::debug;  // each error is shown
  settings.shared_timeout = std::max(settings.shared_timeout, std::chrono::milliseconds(5000));
  return value_or_throw(open_shared_store(settings));
}

/// Whether an error says that the server cannot be reached: then trying other entries is useless.
bool is_out_of_reach(const Error& error) {
  return error.code() == Errc::io || error.code() == Errc::timeout;
}

// `kiln store push`: this machine's entries to the fleet's store.

constexpr Option store_push_options[] = {options::store,          options::shared_store,
                                         options::shared_timeout, options::kind,
                                         options::device_text,    options::json};
constexpr Example store_push_examples[] = {
    {"kiln store push", "All that this machine has, for the others."},
    {"kiln store push 3f2a --kind artifact", "One program."},
};

/// Sends one entry; an error where trying others is useless.
Expected<void> push(LocalStore& store, SharedLayer& shared, const EntryInfo& entry,
                    Transfer& transfer) {
  const auto canonical = store.canonical_of(entry.kind, entry.key);
  // Not get(), which counts as a use: sending an entry does not make it more useful here.
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

namespace {

// `kiln store pull`: the fleet's entries to this machine.

using SharedPlace = SharedLayer::Place;

constexpr Option store_pull_options[] = {options::store,        options::store_size,
                                         options::shared_store, options::shared_timeout,
                                         options::kind,         options::json};
constexpr Example store_pull_examples[] = {
    {"kiln store pull --kind artifact", "Every program of the fleet, before the network goes."},
};

bool is_of_kind(const SharedPlace& place, const Context& context) {
  return !context.has("kind") || name_of(place.kind) == context.text("kind");
}

/// The server's entries that the command's words and options name.
std::vector<SharedPlace> places_in(SharedLayer& shared, const Context& context) {
  const auto prefixes = prefixes_of(context.arguments());
  auto places = value_or_throw(list_all(shared, stop_if_interrupted));
  std::erase_if(places, [&](const SharedPlace& place) {
    return !is_of_kind(place, context) || !matches_prefix(place.key, prefixes);
  });
  return places;
}

/// Fetches one entry; an error where trying others is useless.
Expected<void> pull(LocalStore& store, SharedLayer& shared, const SharedPlace& place,
                    Transfer& transfer) {
  const auto& [kind, key] = place;
  auto found = shared.fetch(kind, key);
  if (!found) {
    // Evicted since it was listed: treated as if it had not been listed.
    if (found.error().code() == Errc::not_found) return {};
    if (!is_out_of_reach(found.error())) {
      transfer.refused(kind, key, found.error().message());
      return {};
    }
    transfer.failed(kind, key, found.error().message());
    return tl::unexpected(found.error());
  }
  const kiln::Entry& entry = found->entry;
  auto kept = store.put(kind, key, found->canonical, entry.content, entry.metadata);
  if (kept)
    transfer.done(kind, key, entry.content.size());
  else
    transfer.failed(kind, key, kept.error().message());
  return {};
}

}  // namespace

constinit const Command store_pull_command{
    .name = "store pull",
    .summary = "bring entries from the shared store",
    .description =
        "Brings the entries of the fleet's store that the local one lacks, as far as this machine "
        "trusts them (KILN_TRUSTED_KEYS); the others are named with the reason, which is no "
        "failure. The exit code is 1 where the server could not be reached or the local store did "
        "not take an entry.",
    .options = store_pull_options,
    .positional = key_prefixes,
    .examples = store_pull_examples,
};

int store_pull(Context& context) {
  const StoreSettings settings = store_settings_of(context);
  const auto shared = open_shared(context, settings);
  const auto store = open_local(settings);
  std::set<SharedPlace> here;
  for (const auto& entry : value_or_throw(store->list())) here.insert({entry.kind, entry.key});
  const auto places = places_in(*shared, context);
  Transfer transfer(context, "pull", shared->where(), places.size());
  Expected<void> reached;
  for (const auto& place : places) {
    stop_if_interrupted();
    if (here.count(place) > 0)
      transfer.present(place.kind, place.key);
    else if (reached)
      reached = pull(*store, *shared, place, transfer);
    else
      transfer.not_tried(place.kind, place.key);
  }
  return transfer.finish();
}

}  // namespace kiln::cli
