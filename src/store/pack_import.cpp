#include "store/pack_import.hpp"

#include <algorithm>

namespace kiln {
namespace {

struct Decision {
  Outcome outcome = Outcome::imported;
  std::string reason = {};
};

/// Equal but for where they came from.
bool same_entry(const Entry& present, const PackEntry& entry) {
  Metadata stored = present.metadata;
  stored.made_elsewhere = false;
  stored.signature.reset();
  return stored == entry.head.metadata && std::ranges::equal(present.content, entry.content);
}

Decision decide(const std::optional<Entry>& present, const PackEntry& entry) {
  if (!present) return {};
  const Metadata& stored = present->metadata;
  const bool gains_signature = stored.made_elsewhere && !stored.signature && entry.signature;
  if (same_entry(*present, entry)) return {gains_signature ? Outcome::imported : Outcome::present};
  if (!stored.made_elsewhere) return {Outcome::kept, "this machine made its own"};
  if (stored.signature && !entry.signature)
    return {Outcome::kept, "the one in the store is signed, this one is not"};
  return {};
}

/// Decides and stores as one step, so that an entry which another process makes meanwhile stays.
Expected<Decision> take(LocalStore& store, const PackEntry& entry, ImportMode mode) {
  const EntryHead& head = entry.head;
  if (mode == ImportMode::dry_run)
    return decide(store.look_up(head.kind, head.key, head.canonical).entry, entry);
  Decision decision;
  const auto change = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    decision = decide(present, entry);
    if (decision.outcome != Outcome::imported) return std::nullopt;
    return Entry{Bytes(entry.content.begin(), entry.content.end()),
                 metadata_from_elsewhere(head, entry.signature)};
  };
  if (auto done = store.update(head.kind, head.key, head.canonical, change); !done)
    return tl::unexpected(done.error());
  return decision;
}

}  // namespace

const char* name_of(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::imported:
      return "imported";
    case Outcome::present:
      return "present";
    case Outcome::kept:
      return "kept";
    case Outcome::refused:
      return "refused";
  }
  return "unknown";
}

Expected<void> import_pack(LocalStore& store, const std::vector<PackEntry>& pack,
                           const Trust& trust, ImportMode mode, const ImportReport& report) {
  for (const auto& entry : pack) {
    if (const auto why = trust.refusal(entry.signature, encode_head(entry.head)); !why.empty()) {
      report(entry, Outcome::refused, why);
      continue;
    }
    const auto decision = take(store, entry, mode);
    if (!decision) return tl::unexpected(decision.error());
    report(entry, decision->outcome, decision->reason);
  }
  return {};
}

}  // namespace kiln
