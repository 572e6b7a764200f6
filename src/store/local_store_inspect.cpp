// What the command shows of the local store, and its upkeep.

#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <unordered_set>

#include "store/local_store.hpp"

namespace kiln {
namespace {

// A writer that has not named its file after an hour is dead.
constexpr std::int64_t stale_seconds = 3600;

bool is_stale(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 &&
         std::time(nullptr) - status.st_mtim.tv_sec > stale_seconds;
}

StoreStats::PerKind& part(StoreStats& stats, Kind kind) {
  if (kind == Kind::artifact) return stats.artifacts;
  return kind == Kind::plan ? stats.plans : stats.records;
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
      const RowHead& head = row.head;
      entries.push_back({head.kind, head.key, head.metadata, head.size, head.created,
                         head.blob.has_value(), row.canonical_size, row.hits, row.last_used});
    });
    if (!damaged) return tl::unexpected(damaged.error());
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return entries;
}

Expected<Bytes> LocalStore::canonical_of(Kind kind, const Key& key) {
  Database::Found found;
  auto done = on_database(Access::read, [&](Database& database) -> Attempt<void> {
    auto result = database.find(kind, key);
    if (!result) return tl::unexpected(result.error());
    found = *std::move(result);
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  if (found.state == Database::State::absent)
    return fail(Errc::not_found, std::string("no ") + name_of(kind) + " has the key " + key.hex());
  if (found.state == Database::State::damaged)
    return fail(Errc::corrupt, "checksum of the row differs");
  return std::move(found.row.canonical);
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

Expected<StoreStats> LocalStore::stats() {
  StoreStats stats;
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
  return stats;
}

Expected<BlobFolder::Total> LocalStore::collect() {
  BlobFolder::Total removed;
  auto done = on_database(Access::write, [&](Database& database) -> Attempt<void> {
    // Other writers wait: a file that gets its name while we look would seem to be unused.
    if (auto begun = database.begin(); !begun) return begun;
    std::unordered_set<Digest, DigestHash> used;
    const auto damaged = database.each([&](const ListedRow& row) {
      if (row.head.blob) used.insert(*row.head.blob);
    });
    if (!damaged) return tl::unexpected(damaged.error());
    blobs_.each([&](const Digest* digest, const std::string& path) {
      const bool rubbish = digest != nullptr ? !used.contains(*digest) : is_stale(path);
      struct stat status {};
      if (!rubbish || ::lstat(path.c_str(), &status) != 0 || ::unlink(path.c_str()) != 0) return;
      ++removed.files;
      removed.bytes += static_cast<std::uint64_t>(status.st_size);
    });
    return database.commit();
  });
  if (!done) return tl::unexpected(done.error());
  return removed;
}

}  // namespace kiln
