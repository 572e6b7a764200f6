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

/// The row, if it is sound.
Row sound_row(Database::Found found, Kind kind, const Key& key) {
  if (found.state == Database::State::absent)
    throw Error(Errc::not_found, std::string("no ") + name_of(kind) + " has the key " + key.hex());
  if (found.state == Database::State::damaged)
    throw Error(Errc::corrupt, "checksum of the row differs");
  return std::move(found.row);
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
  return guarded([&] {
    return on_database(Access::read, [](Database& database) {
      std::vector<EntryInfo> entries;
      database.each([&](const RowHead& row) { entries.push_back(row); });
      return entries;
    });
  });
}

Expected<EntryInfo> LocalStore::info(Kind kind, const Key& key) {
  return guarded([&] {
    auto found = on_database(Access::read, [&](Database& database) {
      auto row = database.find(kind, key);
      if (row.state == Database::State::sound) database.read_uses(row.row.head);
      return row;
    });
    return EntryInfo(sound_row(std::move(found), kind, key).head);
  });
}

Expected<Bytes> LocalStore::canonical_of(Kind kind, const Key& key) {
  return guarded([&] {
    auto found =
        on_database(Access::read, [&](Database& database) { return database.find(kind, key); });
    return sound_row(std::move(found), kind, key).canonical;
  });
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
  return guarded([&] {
    return on_database(Access::read, [&](Database& database) {
      std::vector<std::pair<Kind, Key>> keys;
      for (const Kind kind : {Kind::artifact, Kind::plan, Kind::record})
        for (const Key& key : database.between(kind, first, last, limit))
          keys.emplace_back(kind, key);
      return keys;
    });
  });
}

Expected<bool> LocalStore::remove(Kind kind, const Key& key) {
  return guarded([&] {
    std::optional<Digest> blob;
    const bool removed = in_transaction([&](Database& database) {
      blob = database.find(kind, key).blob();
      return database.remove(kind, key);
    });
    if (blob) (void)guarded([&] { drop_unused({&*blob, 1}, Counted::yes); });
    return removed;
  });
}

Expected<StoreStatistics> LocalStore::stats() {
  return guarded([&] {
    auto stats = on_database(Access::read, [](Database& database) {
      StoreStatistics counted;
      counted.damaged_rows = database.each([&](const RowHead& row) {
        auto& kind = part(counted, row.kind);
        ++kind.entries;
        kind.bytes += row.size;
      });
      return counted;
    });
    const auto total = blobs_.each([](const Digest*, const std::string&) {});
    stats.files = total.files;
    stats.file_bytes = total.bytes;
    struct stat status {};
    if (::stat(database_path().c_str(), &status) == 0)
      stats.database_bytes = static_cast<std::uint64_t>(status.st_size);
    stats.set_aside = count_set_aside(folder_);
    stats.limit = limit_;
    stats.bytes = value_or_throw(size());
    return stats;
  });
}

Expected<std::uint64_t> LocalStore::check_files(const std::function<void(const Digest&)>& differs) {
  return guarded([&] {
    std::uint64_t unused = 0;
    blobs_.each([&](const Digest* digest, const std::string& path) {
      const bool used = digest != nullptr && on_database(Access::read, [&](Database& database) {
                          return database.refers_to(*digest);
                        });
      if (!used) return void(++unused);
      const auto content = read_file(path);
      if (content && blake2b(*content) != *digest) differs(*digest);
    });
    return unused;
  });
}

std::string LocalStore::near_miss(Kind kind, ByteView canonical) {
  constexpr std::size_t most_compared = 1000;
  Digest first, last;
  last.bytes.fill(std::byte{0xff});
  const auto nearly = guarded([&] {
    return on_database(Access::read, [&](Database& database) -> std::string {
      for (const Key& key : database.between(kind, first, last, most_compared))
        if (const auto other = database.find(kind, key);
            other.state == Database::State::sound &&
            differ_in_device_alone(other.row.canonical, canonical))
          return "stale driver: it is there for " + other.row.head.metadata.fingerprint;
      return {};
    });
  });
  return nearly.value_or("");
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
  return guarded([&] {
    StoreCheck check;
    check.damaged_rows = value_or_throw(store.stats()).damaged_rows;
    for (const auto& entry : value_or_throw(store.list()))
      if (auto reason = fault_of(store, entry, check); !reason.empty())
        check.faults.push_back(
            {entry.kind, entry.key, {}, entry.metadata.label, std::move(reason)});
    check.unused_files = value_or_throw(store.check_files([&](const Digest& name) {
      check.faults.push_back(
          {Kind::artifact, {}, name, "", "a file's content is not what its name says"});
    }));
    return check;
  });
}

}  // namespace kiln
