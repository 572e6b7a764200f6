#include <sys/stat.h>

#include <filesystem>

#include "store/local/local_store.hpp"

// What the command shows of the local store, and its upkeep.

namespace kiln {
namespace {

StoreStatistics::PerKind& part(StoreStatistics& stats, Kind kind) {
  if (kind == Kind::artifact) return stats.artifacts;
  return kind == Kind::plan ? stats.plans : stats.records;
}

EntryInfo info_of(const RowHead& head, std::uint64_t canonical_size) {
  return {head.kind,
          head.key,
          head.metadata,
          head.size,
          head.created,
          head.blob.has_value(),
          canonical_size,
          0,
          0};
}

bool differ_in_device_alone(ByteView first, ByteView second) {
  const std::string text = compare_canonical(first, second);
  std::string_view difference = text;
  while (!difference.empty()) {
    const auto line = difference.substr(0, difference.find('\n'));
    if (line.size() < 2 || !line.substr(2).starts_with("device:")) return false;
    difference.remove_prefix(std::min(line.size() + 1, difference.size()));
  }
  return !text.empty();
}

std::uint64_t count_set_aside(const std::string& folder) {
  std::uint64_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    // Their journals go by the same name with an ending: they are not counted.
    count += name.starts_with("store.db.damaged-") && name.find('-', 17) == std::string::npos;
  }
  return count;
}

}  // namespace

Expected<std::vector<EntryInfo>> LocalStore::list() {
  std::vector<EntryInfo> entries;
  auto done = on_database(Access::read, [&](Database& database) -> Attempt<void> {
    entries.clear();
    const auto damaged = database.each([&](const ListedRow& row) {
      entries.push_back(info_of(row.head, row.canonical_size));
      entries.back().hits = row.hits;
      entries.back().last_used = row.last_used;
    });
    if (!damaged) return tl::unexpected(damaged.error());
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return entries;
}

Expected<Database::Found> LocalStore::find(Kind kind, const Key& key, Database::Uses* uses) {
  Database::Found found;
  auto done = on_database(Access::read, [&](Database& database) -> Attempt<void> {
    auto result = database.find(kind, key);
    if (!result) return tl::unexpected(result.error());
    found = *std::move(result);
    if (uses == nullptr) return {};
    const auto noted = database.uses(kind, key);
    if (!noted) return tl::unexpected(noted.error());
    *uses = *noted;
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  if (found.state == Database::State::absent)
    return fail(Errc::not_found, std::string("no ") + name_of(kind) + " has the key " + key.hex());
  if (found.state == Database::State::damaged)
    return fail(Errc::corrupt, "checksum of the row differs");
  return found;
}

Expected<EntryInfo> LocalStore::info(Kind kind, const Key& key) {
  Database::Uses uses;
  const auto found = find(kind, key, &uses);
  if (!found) return tl::unexpected(found.error());
  EntryInfo info = info_of(found->row.head, found->row.canonical.size());
  info.hits = uses.hits;
  info.last_used = uses.last_used;
  return info;
}

Expected<Bytes> LocalStore::canonical_of(Kind kind, const Key& key) {
  auto found = find(kind, key, nullptr);
  if (!found) return tl::unexpected(found.error());
  return std::move(found->row.canonical);
}

Expected<std::vector<std::pair<Kind, Key>>> LocalStore::keys_like(std::string_view prefix,
                                                                  std::size_t limit) {
  // All keys with a prefix lie between it followed by zeros and it followed by f's.
  Digest first, last;
  const auto filled = [&](char with) { return std::string(prefix) + std::string(64, with); };
  if (prefix.size() > 64 || !parse_digest(filled('0').substr(0, 64), first) ||
      !parse_digest(filled('f').substr(0, 64), last))
    return fail(Errc::bad_input, "found '" + std::string(prefix) +
                                     "', expected the first letters of a key (0-9, a-f)");
  std::vector<std::pair<Kind, Key>> keys;
  auto done = on_database(Access::read, [&](Database& database) -> Attempt<void> {
    keys.clear();
    for (const Kind kind : {Kind::artifact, Kind::plan, Kind::record}) {
      const auto some = database.between(kind, first, last, limit);
      if (!some) return tl::unexpected(some.error());
      for (const Key& key : *some) keys.emplace_back(kind, key);
    }
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return keys;
}

Expected<bool> LocalStore::remove(Kind kind, const Key& key) {
  bool removed = false;
  std::optional<Digest> blob;
  auto done = on_database(Access::write, [&](Database& database) -> Attempt<void> {
    if (auto begun = database.begin(); !begun) return begun;
    const auto found = database.find(kind, key);
    if (!found) return tl::unexpected(found.error());
    if (found->state == Database::State::sound) blob = found->row.head.blob;
    const auto gone = database.remove(kind, key);
    if (!gone) return tl::unexpected(gone.error());
    removed = *gone;
    return database.commit();
  });
  if (!done) return tl::unexpected(done.error());
  drop_if_unused(blob);
  return removed;
}

Expected<StoreStatistics> LocalStore::stats() {
  StoreStatistics stats;
  auto done = on_database(Access::read, [&](Database& database) -> Attempt<void> {
    stats = {};
    const auto damaged = database.each([&](const ListedRow& row) {
      auto& kind = part(stats, row.head.kind);
      ++kind.entries;
      kind.bytes += row.head.size;
    });
    if (!damaged) return tl::unexpected(damaged.error());
    stats.damaged_rows = *damaged;
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  const auto total = blobs_.each([](const Digest*, const std::string&) {});
  stats.files = total.files;
  stats.file_bytes = total.bytes;
  struct stat status {};
  if (::stat(database_path().c_str(), &status) == 0)
    stats.database_bytes = static_cast<std::uint64_t>(status.st_size);
  stats.set_aside = count_set_aside(folder_);
  stats.limit = limit_;
  const auto all = size();
  if (!all) return tl::unexpected(all.error());
  stats.bytes = *all;
  return stats;
}

Expected<std::uint64_t> LocalStore::check_files(const std::function<void(const Digest&)>& differs) {
  std::uint64_t unused = 0;
  Expected<void> failed;
  blobs_.each([&](const Digest* digest, const std::string& path) {
    if (!failed) return;
    bool used = false;
    if (digest != nullptr) {
      failed = on_database(Access::read, [&](Database& database) -> Attempt<void> {
        const auto known = database.refers_to(*digest);
        if (!known) return tl::unexpected(known.error());
        used = *known;
        return {};
      });
    }
    if (!used) return void(++unused);
    const auto content = read_file(path);
    if (content && blake2b(*content) != *digest) differs(*digest);
  });
  if (!failed) return tl::unexpected(failed.error());
  return unused;
}

std::string LocalStore::near_miss(Kind kind, ByteView canonical) {
  constexpr std::size_t most_compared = 1000;
  Digest first, last;
  last.bytes.fill(std::byte{0xff});
  std::string found;
  (void)on_database(Access::read, [&](Database& database) -> Attempt<void> {
    const auto keys = database.between(kind, first, last, most_compared);
    if (!keys) return tl::unexpected(keys.error());
    for (const Key& key : *keys) {
      const auto other = database.find(kind, key);
      if (!other) return tl::unexpected(other.error());
      if (other->state != Database::State::sound ||
          !differ_in_device_alone(other->row.canonical, canonical))
        continue;
      found = "stale driver: it is there for " + other->row.head.metadata.fingerprint;
      break;
    }
    return {};
  });
  return found;
}

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

Expected<StoreCheck> check_store(LocalStore& store) {
  StoreCheck check;
  const auto before = store.stats();
  if (!before) return tl::unexpected(before.error());
  check.damaged_rows = before->damaged_rows;
  const auto entries = store.list();
  if (!entries) return tl::unexpected(entries.error());
  for (const auto& entry : *entries) {
    const std::string reason = fault_of(store, entry, check);
    if (reason.empty()) continue;
    check.faults.push_back({entry.kind, entry.key, {}, entry.metadata.label, reason});
  }
  const auto files = store.check_files([&](const Digest& name) {
    check.faults.push_back(
        {Kind::artifact, {}, name, "", "a file's content is not what its name says"});
  });
  if (!files) return tl::unexpected(files.error());
  check.unused_files = *files;
  return check;
}

}  // namespace kiln
