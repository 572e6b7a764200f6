#include "store/store_check.hpp"

namespace kiln {
namespace {

/// Why an entry is not what it should be; "" where it is, or is gone by now.
std::string fault_of(LocalStore& store, const EntryInfo& entry, StoreCheck& check) {
  const auto canonical = store.canonical_of(entry.kind, entry.key);
  if (!canonical)
    return canonical.error().code() == Errc::not_found ? "" : canonical.error().message();
  if (key_of(*canonical) != entry.key) return "its key is not the digest of what it is made of";
  const Lookup found = store.look_up(entry.kind, entry.key, *canonical);
  if (!found.entry) return found.reason == "no entry" ? "" : found.reason;
  ++check.entries;
  check.bytes += found.entry->content.size();
  return {};
}

}  // namespace

Expected<StoreCheck> check_store(LocalStore& store,
                                 const std::function<void(const StoreFault&)>& fault) {
  StoreCheck check;
  const auto before = store.stats();
  if (!before) return tl::unexpected(before.error());
  check.damaged_rows = before->damaged_rows;
  check.faults = before->damaged_rows;
  const auto entries = store.list();
  if (!entries) return tl::unexpected(entries.error());
  for (const auto& entry : *entries) {
    const std::string reason = fault_of(store, entry, check);
    if (reason.empty()) continue;
    ++check.faults;
    fault({entry.kind, entry.key, {}, entry.metadata.label, reason});
  }
  const auto files = store.check_files([&](const Digest& name) {
    ++check.faults;
    fault({Kind::artifact, {}, name, "", "a file's content is not what its name says"});
  });
  if (!files) return tl::unexpected(files.error());
  check.unused_files = *files;
  return check;
}

}  // namespace kiln
