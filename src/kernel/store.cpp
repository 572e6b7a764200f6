// The public Store: the local store's calls for people, over what a Runtime or settings name.
#include "kiln/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/clock.hpp"
#include "base/lifetime.hpp"
#include "kernel/runtime.hpp"
#include "store/default_store.hpp"
#include "store/filter.hpp"
#include "store/layer/layers.hpp"
#include "store/local/local_store.hpp"
#include "store/pack.hpp"

namespace kiln {

struct Store::State {
  std::shared_ptr<Runtime::State> runtime;  ///< null: of open()
  std::unique_ptr<LocalStore> own;
  StoreSettings settings;
  LocalStore* opened = nullptr;

  /// With all that the Runtime has made.
  LocalStore& local() const {
    if (runtime) runtime->resolver().finish();
    return *opened;
  }
};

namespace {

/// How many entries are compared to find the nearest relative.
constexpr std::size_t most_compared = 2000;
constexpr std::size_t most_named = 5;
/// For upkeep that is not to make the store smaller.
constexpr std::uint64_t any_size = std::numeric_limits<std::uint64_t>::max();

LocalStore& local_of(const Layer* layers) {
  auto* layer = const_cast<Layer*>(layers);
  if (auto* several = dynamic_cast<LayeredStore*>(layer)) layer = several->local();
  if (auto* local = dynamic_cast<LocalStore*>(layer)) return *local;
  throw Error(Errc::bad_input, "the Runtime has no local store: it is off");
}

Bytes canonical_of(LocalStore& store, const EntryInfo& entry) {
  return value_or_throw(store.canonical_of(entry.kind, entry.key));
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::optional<StoreExplanation::Relative> relative_of(LocalStore& store, const EntryInfo& entry,
                                                      ByteView canonical) {
  std::optional<StoreExplanation::Relative> best;
  std::size_t compared = 0;
  for (const auto& other : value_or_throw(store.list())) {
    if (other.kind != entry.kind || other.key == entry.key || compared == most_compared) continue;
    ++compared;
    const auto facts = store.canonical_of(other.kind, other.key);
    if (!facts) continue;
    std::string difference = compare_canonical(*facts, canonical);
    if (!best || lines_in(difference) < lines_in(best->difference))
      best = {other.key, other.metadata.label, std::move(difference)};
  }
  return best;
}

/// A layer's answer, and how long it took.
template <class Ask>
LayerAnswer timed_answer(std::string name, const Ask& ask) {
  LayerAnswer answer{std::move(name), false, "", now_ns(), 0};
  const Lookup found = ask();
  answer.end_ns = now_ns();
  answer.answered = found.entry.has_value();
  answer.reason = found.entry ? fmt::format("{} bytes", found.entry->content.size()) : found.reason;
  return answer;
}

StaleDevices stale_devices() {
  std::vector<std::string> fingerprints;
  // Without a driver nothing is known to be stale.
  if (const auto devices = all_devices())
    for (const auto& device : *devices) fingerprints.push_back(device->fingerprint());
  return StaleDevices(std::move(fingerprints));
}

}  // namespace

Store Store::open(const std::filesystem::path& folder) {
  StoreSettings settings;
  settings.local = folder.string();
  settings.limit = default_store_settings().limit;
  return open(settings);
}

Store Store::open(const StoreSettings& settings) {
  if (settings.local.empty())
    throw Error(Errc::bad_input,
                "no local store: it is off; expected --store=DIR, KILN_STORE or HOME");
  auto state = std::make_shared<State>();
  state->settings = settings;
  state->own = std::make_unique<LocalStore>(store_folder_for(settings.local));
  state->own->set_limit(settings.limit);
  state->own->leave_failures_to_caller();
  state->opened = state->own.get();
  return Store(std::move(state));
}

Store Runtime::store() const {
  auto state = std::make_shared<Store::State>();
  state->runtime = shared_state();
  state->opened = &local_of(this->state().resolver().store());
  if (!this->state().has_own_resolver()) state->settings = default_store_settings();
  return Store(std::move(state));
}

Store::State& Store::state() const { return held(state_, "Store"); }

const std::string& Store::folder() const { return state().opened->folder(); }

std::vector<EntryInfo> Store::entries(const EntryFilter& filter) const {
  const EntryFilter wanted = checked(filter);
  auto all = value_or_throw(state().local().list());
  std::erase_if(all, [&](const EntryInfo& entry) { return !fits(wanted, entry); });
  return all;
}

EntryInfo Store::entry(std::string_view key, std::optional<EntryKind> kind) const {
  LocalStore& store = state().local();
  const std::string word(key), prefix = prefixes_of({&word, 1}).front();
  auto found = value_or_throw(store.keys_like(prefix, most_named + 1));
  if (kind) std::erase_if(found, [&](const auto& place) { return place.first != *kind; });
  if (found.empty())
    throw Error(Errc::not_found, fmt::format("no entry's key begins with {}", prefix));
  if (found.size() == 1) return value_or_throw(store.info(found[0].first, found[0].second));
  std::string list;
  for (std::size_t i = 0; i < std::min(found.size(), most_named); ++i)
    list += fmt::format("\n  {} {}", found[i].second.hex(), name_of(found[i].first));
  if (found.size() > most_named) list += "\n  …";
  throw Error(
      Errc::bad_input,
      fmt::format("several keys begin with {}; expected more letters or --kind:{}", prefix, list));
}

Bytes Store::content(const EntryInfo& entry) const {
  LocalStore& store = state().local();
  Lookup found = store.look_up(entry.kind, entry.key, canonical_of(store, entry));
  if (!found.entry) throw Error(Errc::corrupt, entry.key.hex() + ": " + found.reason);
  return std::move(found.entry->content);
}

std::string Store::facts(const EntryInfo& entry) const {
  return describe_canonical(canonical_of(state().local(), entry));
}

std::string Store::difference(const EntryInfo& first, const EntryInfo& second) const {
  LocalStore& store = state().local();
  return compare_canonical(canonical_of(store, first), canonical_of(store, second));
}

StoreExplanation Store::explain(const EntryInfo& entry) const {
  LocalStore& store = state().local();
  const Bytes canonical = canonical_of(store, entry);
  StoreExplanation explanation{entry, {}, {}};
  explanation.layers.push_back(
      timed_answer(store.name(), [&] { return store.look_up(entry.kind, entry.key, canonical); }));
  StoreSettings below = state().settings;
  below.local.clear();
  const auto layers = value_or_throw(open_store(below));
  if (const auto* several = dynamic_cast<const LayeredStore*>(layers.get()))
    for (const auto& [layer, copied, written] : several->below())
      explanation.layers.push_back(timed_answer(
          layer->name(), [&] { return layer->get(entry.kind, entry.key, canonical); }));
  explanation.nearest = relative_of(store, entry, canonical);
  return explanation;
}

StoreStatistics Store::statistics() const { return value_or_throw(state().local().stats()); }

StoreCheck Store::verify() const { return value_or_throw(check_store(state().local())); }

StoreCheck Store::repair() const {
  StoreCheck check = verify();
  LocalStore& store = state().local();
  for (const auto& fault : check.faults) {
    if (fault.file)
      store.remove_file(*fault.file);
    else
      value_or_throw(store.remove(fault.kind, fault.key));
  }
  value_or_throw(store.gc({.max_bytes = any_size}));
  check.is_repaired = true;
  return check;
}

GcReport Store::gc(const GcOptions& options) const {
  return value_or_throw(state().local().gc(options, stale_devices()));
}

bool Store::remove(const EntryInfo& entry) const {
  return value_or_throw(state().local().remove(entry.kind, entry.key));
}

std::uint64_t Store::clear(const EntryFilter& filter) const {
  std::uint64_t removed = 0;
  for (const auto& entry : entries(filter)) removed += remove(entry) ? 1 : 0;
  // Removes unused files and free pages, too.
  value_or_throw(state().local().gc({.max_bytes = any_size}));
  return removed;
}

ExportedPack Store::export_pack(const EntryFilter& filter, const SigningKey* key) const {
  const EntryFilter wanted = checked(filter);
  return value_or_throw(kiln::export_pack(
      state().local(), [&](const EntryInfo& entry) { return fits(wanted, entry); }, key));
}

ExportedSystemStore Store::export_system(const std::filesystem::path& file,
                                         const EntryFilter& filter, const SystemPackage& package,
                                         const SigningKey* key) const {
  const EntryFilter of_devices = checked(filter);
  EntryFilter of_any = of_devices;
  of_any.devices.clear();
  LocalStore& local = state().local();
  // What names no device (plans, proofs, runs of searches) goes with the programs of each, not
  // alone.
  const auto all = value_or_throw(local.list());
  if (std::ranges::none_of(all, [&](const EntryInfo& entry) { return fits(of_devices, entry); }))
    throw Error(Errc::not_found, "no entry of the store fits; nothing is written");
  const auto wanted = [&](const EntryInfo& entry) {
    return fits(entry.metadata.fingerprint.empty() ? of_any : of_devices, entry);
  };
  return value_or_throw(write_system_package(local, wanted, package, key, file));
}

void Store::import_pack(const std::vector<PackEntry>& pack, ImportMode mode,
                        const ImportReport& report) const {
  const ImportReport silent = [](const auto&, ImportOutcome, const auto&) {};
  value_or_throw(
      kiln::import_pack(state().local(), pack, default_trust(), mode, report ? report : silent));
}

// To the shared store, and from it.

namespace {

/// For work that people wait for: each request may take five seconds, or longer where the settings
/// say so.
std::unique_ptr<SharedLayer> open_for_transfer(StoreSettings settings) {
  if (settings.shared.empty())
    throw Error(Errc::bad_input, "missing shared store: KILN_SHARED_STORE names it");
  settings.shared_timeout = std::max(settings.shared_timeout, std::chrono::milliseconds(5000));
  return value_or_throw(open_shared_store(settings, LogLevel::debug));  // each error is told
}

using Tried = Expected<std::optional<Transfer>>;

/// Counts and reports what becomes of entries. Once the server cannot be reached, trying the others
/// is useless.
class Transfers {
 public:
  Transfers(const TransferOptions& options, std::string where, std::size_t entries)
      : options_(options), entries_(entries) {
    summary_.where = std::move(where);
  }

  void begin_one() const {
    if (options_.check) options_.check();
  }
  /// `call` says what became of the entry (nothing: it is gone or stays where it is, as if it had
  /// not been listed), or
  /// what the server failed with.
  template <class Call>
  void one(EntryKind kind, const Key& key, const Call& call) {
    if (is_lost_) {
      ++summary_.not_tried;
      return tell(
          {Transfer::State::not_tried, kind, key, 0, "not tried: the server is out of reach"});
    }
    Tried result = call();
    if (!result) {
      is_lost_ = result.error().code() == Errc::io || result.error().code() == Errc::timeout;
      result = Transfer{Transfer::State::failed, kind, key, 0, result.error().message()};
    }
    if (*result) tell(**result);
  }
  TransferSummary summary() const { return summary_; }

  void tell(const Transfer& transfer) {
    using enum Transfer::State;
    summary_.done += transfer.state == done;
    summary_.bytes += transfer.bytes;
    summary_.present += transfer.state == present;
    summary_.refused += transfer.state == refused;
    summary_.failed += transfer.state == failed || transfer.state == not_tried;
    if (options_.report) options_.report(transfer, entries_);
  }

 private:
  const TransferOptions& options_;
  const std::size_t entries_;
  TransferSummary summary_;
  bool is_lost_ = false;
};

Tried push_one(LocalStore& store, SharedLayer& shared, const EntryInfo& entry) {
  Transfer transfer{Transfer::State::failed, entry.kind, entry.key};
  const auto canonical = store.canonical_of(entry.kind, entry.key);
  if (canonical && are_of_findings(*canonical)) return std::nullopt;
  // Not get(), which counts as a use: sending an entry does not make it more useful here.
  auto found = canonical ? store.look_up(entry.kind, entry.key, *canonical)
                         : Lookup{{}, canonical.error().message()};
  if (!found.entry) {
    transfer.reason = found.reason;
    return transfer;
  }
  auto sent =
      shared.send(entry.kind, entry.key, *canonical, found.entry->content, found.entry->metadata);
  if (!sent) return tl::unexpected(sent.error());
  transfer.state = Transfer::State::done;
  transfer.bytes = found.entry->content.size();
  return transfer;
}

Tried pull_one(LocalStore& store, SharedLayer& shared, EntryKind kind, const Key& key) {
  Transfer transfer{Transfer::State::done, kind, key};
  auto found = shared.fetch(kind, key);
  if (!found) {
    const Errc code = found.error().code();
    if (code == Errc::not_found) return std::nullopt;  // evicted since it was listed
    if (code == Errc::io || code == Errc::timeout) return tl::unexpected(found.error());
    transfer.state = Transfer::State::refused;
    transfer.reason = found.error().message();
    return transfer;
  }
  if (are_of_findings(found->canonical)) {
    transfer.state = Transfer::State::refused;
    transfer.reason = findings_refusal;
    return transfer;
  }
  const Entry& entry = found->entry;
  if (auto kept = store.put(kind, key, found->canonical, entry.content, entry.metadata); !kept) {
    transfer.state = Transfer::State::failed;
    transfer.reason = kept.error().message();
    return transfer;
  }
  transfer.bytes = entry.content.size();
  return transfer;
}

}  // namespace

TransferSummary Store::push(const TransferOptions& options) const {
  const auto shared = open_for_transfer(state().settings);
  const auto entries = this->entries(options.filter);
  Transfers transfers(options, shared->where(), entries.size());
  for (const auto& entry : entries) {
    transfers.begin_one();
    transfers.one(entry.kind, entry.key, [&] { return push_one(state().local(), *shared, entry); });
  }
  return transfers.summary();
}

TransferSummary Store::pull(const TransferOptions& options) const {
  const auto shared = open_for_transfer(state().settings);
  const EntryFilter wanted = checked(options.filter);
  LocalStore& store = state().local();
  std::set<SharedLayer::Place> here;
  for (const auto& entry : value_or_throw(store.list())) here.insert({entry.kind, entry.key});
  auto places =
      value_or_throw(list_all(*shared, options.check ? options.check : std::function([] {})));
  std::erase_if(places, [&](const SharedLayer::Place& place) {
    return (wanted.kind && place.kind != *wanted.kind) || !matches_prefix(place.key, wanted.keys);
  });
  Transfers transfers(options, shared->where(), places.size());
  for (const auto& place : places) {
    transfers.begin_one();
    if (here.contains(place))
      transfers.tell({Transfer::State::present, place.kind, place.key});
    else
      transfers.one(place.kind, place.key,
                    [&] { return pull_one(store, *shared, place.kind, place.key); });
  }
  return transfers.summary();
}

}  // namespace kiln
