// `kiln store pull`: the fleet's entries to this machine.
#include <fmt/format.h>

#include <set>

#include "cli/interrupt.hpp"
#include "cli/store/open.hpp"
#include "cli/store/shared_commands.hpp"
#include "cli/store/transfer.hpp"

namespace kiln::cli {
namespace {

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

/// What the server has of what was asked for.
std::vector<SharedPlace> places_in(SharedLayer& shared, const Context& context) {
  const auto prefixes = prefixes_of(context.arguments());
  auto places = value_or_throw(list_all(shared, stop_if_interrupted));
  std::erase_if(places, [&](const SharedPlace& place) {
    return !is_of_kind(place, context) || !is_one_of(place.key, prefixes);
  });
  return places;
}

/// Brings one; an error where there is no use in trying another.
Expected<void> pull(LocalStore& store, SharedLayer& shared, const SharedPlace& place,
                    Transfer& transfer) {
  const auto& [kind, key] = place;
  auto found = shared.fetch(kind, key);
  if (!found) {
    // Evicted since it was listed: it is as if it had never been there.
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
