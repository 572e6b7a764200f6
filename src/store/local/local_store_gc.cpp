#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <random>
#include <unordered_map>

#include "base/clock.hpp"
#include "store/local/local_store.hpp"

// What is removed from a local store: entries when it is too large, and what is not used.
//
// Users go on meanwhile: rows are read a part at a time and removed a few at a time, each few in a
// transaction of their own, so that other processes wait no longer than such a few take.

namespace kiln {

/// What is remembered of a row that may be removed. Not in a namespace of this file: LocalStore's
/// Survey, which the header names, has some.
struct RemovalCandidate {
  Kind kind{};
  Key key;
  std::optional<Digest> blob;
  std::int64_t created = 0;
  std::uint64_t bytes = 0;
  double usefulness = 0;
  bool stale = false;
};

namespace {

template <class T>
using Attempt = sqlite::Attempt<T>;

constexpr std::size_t rows_at_once = 512;
constexpr std::size_t removed_at_once = 64;
constexpr int pages_at_once = 256;
// Rows that a put() looks at to find the least useful of them.
constexpr std::size_t sample_size = 64;
constexpr int most_samples = 16;

/// Remembers when the row was written: a row that was replaced since is not removed.
RemovalCandidate candidate_of(const ListedRow& row, std::int64_t now, const StaleDevices& devices) {
  return {row.head.kind,
          row.head.key,
          row.head.blob,
          row.head.created,
          footprint(row),
          usefulness(row, now),
          devices.stale(row.head.metadata.fingerprint)};
}

bool goes_before(const RemovalCandidate& a, const RemovalCandidate& b) {
  return a.stale != b.stale ? a.stale : a.usefulness < b.usefulness;
}

// Files that are looked at in one transaction.
constexpr std::size_t files_at_once = 64;
// A writer that has not named its file after an hour is dead.
constexpr std::int64_t abandoned_seconds = 3600;

bool is_abandoned(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 &&
         std::time(nullptr) - status.st_mtim.tv_sec > abandoned_seconds;
}

}  // namespace

Expected<std::uint64_t> LocalStore::size() {
  Database::Size size;
  auto done = on_database(Access::read, [&](Database& database) -> Attempt<void> {
    const auto present = database.size();
    if (!present) return tl::unexpected(present.error());
    size = *present;
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return static_cast<std::uint64_t>(size.total());
}

/// What gc knows of a store.
struct LocalStore::Survey {
  struct File {
    std::uint64_t bytes = 0, sharers = 0;
  };
  std::vector<RemovalCandidate> candidates;
  std::unordered_map<Digest, File, DigestHash> files;
  std::vector<Database::Place> damaged;
};

Expected<LocalStore::Survey> LocalStore::survey(const StaleDevices& devices) {
  Survey survey;
  const std::int64_t now = std::time(nullptr);
  std::int64_t counted = 0, found = 0;
  Database::Place place;
  for (bool more = true, first = true; more; first = false) {
    auto done = on_database(Access::read, [&](Database& database) -> Attempt<void> {
      if (first) {
        const auto size = database.size();
        if (!size) return tl::unexpected(size.error());
        counted = size->files;
      }
      const auto part = database.scan(
          place, rows_at_once,
          [&](const ListedRow& row) {
            survey.candidates.push_back(candidate_of(row, now, devices));
            if (!row.head.blob) return;
            auto& file = survey.files[*row.head.blob];
            if (file.sharers++ == 0) found += static_cast<std::int64_t>(row.head.size);
            file.bytes = row.head.size;
          },
          [&](const Database::Place& at) { survey.damaged.push_back(at); });
      if (!part) return tl::unexpected(part.error());
      more = *part;
      return {};
    });
    if (!done) return tl::unexpected(done.error());
  }
  // Killed writers leave the sum a little wrong; what others added meanwhile stays added.
  if (counted == found) return survey;
  auto mended = on_database(Access::write, [&](Database& database) -> Attempt<void> {
    if (auto begun = database.begin(); !begun) return begun;
    auto noted = database.add_file_bytes(found - counted);
    return noted ? database.commit() : noted;
  });
  if (!mended) return tl::unexpected(mended.error());
  return survey;
}

Expected<void> LocalStore::remove_damaged(const std::vector<Database::Place>& rows) {
  if (rows.empty()) return {};
  return on_database(Access::write, [&](Database& database) -> Attempt<void> {
    if (auto begun = database.begin(); !begun) return begun;
    for (const auto& row : rows)
      if (auto gone = database.remove(row); !gone) return gone;
    return database.commit();
  });
}

Expected<void> LocalStore::evict(Survey& survey, const GcOptions& options, GcReport& report) {
  auto& candidates = survey.candidates;
  std::sort(candidates.begin(), candidates.end(), goes_before);
  std::vector<Removal> chosen;
  const auto remove_chosen = [&]() -> Expected<void> {
    if (chosen.empty() || options.dry_run) return chosen.clear(), Expected<void>();
    auto removed = remove_rows(chosen);
    chosen.clear();
    if (!removed) return tl::unexpected(removed.error());
    return {};
  };
  report.bytes_after = report.bytes_before;
  const std::uint64_t without_end = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t most = options.max_bytes.value_or(limit_ == 0 ? without_end : limit_.load());
  std::uint64_t remaining = 0;
  for (const auto& candidate : candidates) remaining += candidate.bytes;
  double scale = 1;
  for (const auto& candidate : candidates) {
    if (!candidate.stale && report.bytes_after <= most) {
      if (options.dry_run) break;
      // A page of the database is free when its last row has gone, so small rows free less than
      // they have: what is left is measured, and where it is too much more of them go, each for its
      // part of that.
      if (auto done = remove_chosen(); !done) return done;
      const auto left = size();
      if (!left) return tl::unexpected(left.error());
      report.bytes_after = *left;
      if (*left <= most) break;
      scale = std::max(1.0, static_cast<double>(*left) / static_cast<double>(remaining));
    }
    chosen.push_back({candidate.kind, candidate.key, candidate.blob, candidate.created});
    ++(candidate.stale ? report.stale : report.evicted);
    // A shared file goes with the last entry that refers to it.
    std::uint64_t freed = candidate.bytes;
    if (candidate.blob) {
      auto& file = survey.files[*candidate.blob];
      if (--file.sharers > 0) freed -= file.bytes;
    }
    remaining -= candidate.bytes;
    freed = static_cast<std::uint64_t>(static_cast<double>(freed) * scale);
    report.bytes_after -= std::min(report.bytes_after, freed);
    if (chosen.size() < removed_at_once) continue;
    if (auto done = remove_chosen(); !done) return done;
  }
  return remove_chosen();
}

Expected<GcReport> LocalStore::gc(const GcOptions& options, const StaleDevices& devices) {
  GcReport report;
  report.dry_run = options.dry_run;
  auto found = survey(devices);
  if (!found) return tl::unexpected(found.error());
  const auto before = size();
  if (!before) return tl::unexpected(before.error());
  report.bytes_before = *before;
  report.damaged = found->damaged.size();
  if (!options.dry_run) {
    if (auto gone = remove_damaged(found->damaged); !gone) return tl::unexpected(gone.error());
    const auto files = collect();
    if (!files) return tl::unexpected(files.error());
    report.files = files->files;
    report.file_bytes = files->bytes;
  }
  if (auto done = evict(*found, options, report); !done) return tl::unexpected(done.error());
  if (options.dry_run) return report;
  if (auto shrunk = shrink(); !shrunk) return tl::unexpected(shrunk.error());
  const auto after = size();
  if (!after) return tl::unexpected(after.error());
  report.bytes_after = *after;
  return report;
}

Expected<void> LocalStore::shrink() {
  for (bool more = true, first = true; more; first = false) {
    auto done = on_database(Access::write, [&](Database& database) -> Attempt<void> {
      if (first) {
        if (auto forgotten = database.forget_lost_uses(); !forgotten) return forgotten;
      }
      const auto part = database.shrink(pages_at_once);
      if (!part) return tl::unexpected(part.error());
      more = *part;
      return {};
    });
    if (!done) return done;
  }
  return {};
}

void LocalStore::keep_within_limit() {
  const std::uint64_t limit = limit_;
  static thread_local std::minstd_rand random(static_cast<unsigned>(now_ns()));
  const std::int64_t now = std::time(nullptr);
  for (int sample = 0; sample < most_samples; ++sample) {
    const auto present = size();
    if (!present || *present <= limit) return;
    // The least useful of a few, taken at random, are close to the least useful of all, and a put()
    // has no time to look at all.
    std::vector<RemovalCandidate> few;
    Database::Place place{static_cast<std::int64_t>(1 + random() % 3), Bytes(32)};
    for (auto& byte : place.key) byte = static_cast<std::byte>(random() >> 8);
    (void)on_database(Access::read, [&](Database& database) -> Attempt<void> {
      for (int half = 0; half < 2 && few.size() < sample_size; ++half) {
        const auto more = database.scan(
            place, sample_size - few.size(),
            [&](const ListedRow& row) { few.push_back(candidate_of(row, now, {})); },
            [](const Database::Place&) {});
        if (!more) return tl::unexpected(more.error());
        if (!*more) place = {};  // over the end: on from the beginning
      }
      return {};
    });
    if (few.empty()) return;
    std::sort(few.begin(), few.end(), goes_before);
    std::vector<Removal> chosen;
    std::uint64_t excess = *present - limit;
    for (std::size_t i = 0; i < (few.size() + 3) / 4 && excess > 0; ++i) {
      chosen.push_back({few[i].kind, few[i].key, few[i].blob, few[i].created});
      excess -= std::min(excess, few[i].bytes);
    }
    if (!remove_rows(chosen)) return;
  }
}

// Removing rows and files from a local store, a few in a transaction.

/// Removes what is there of these, in one transaction, and files that nothing refers to then.
Expected<std::uint64_t> LocalStore::remove_rows(std::span<const Removal> rows) {
  std::uint64_t removed = 0;
  auto done = on_database(Access::write, [&](Database& database) -> Attempt<void> {
    removed = 0;
    if (auto begun = database.begin(); !begun) return begun;
    for (const auto& row : rows) {
      const auto found = database.find(row.kind, row.key);
      if (!found) return tl::unexpected(found.error());
      // Replaced meanwhile: another process needs it.
      if (found->state == Database::State::sound && found->row.head.created != row.created)
        continue;
      const auto gone = database.remove(row.kind, row.key);
      if (!gone) return tl::unexpected(gone.error());
      removed += *gone;
    }
    return database.commit();
  });
  if (!done) return tl::unexpected(done.error());
  // After the rows: killed in between, files stay that nothing uses, and the next gc finds them.
  std::vector<Digest> blobs;
  for (const auto& row : rows)
    if (row.blob) blobs.push_back(*row.blob);
  if (auto dropped = drop_unused(blobs, Counted::yes); !dropped)
    return tl::unexpected(dropped.error());
  return removed;
}

Expected<BlobFolder::Total> LocalStore::drop_unused(std::span<const Digest> blobs,
                                                    Counted counted) {
  BlobFolder::Total removed;
  if (blobs.empty()) return removed;
  auto done = on_database(Access::write, [&](Database& database) -> Attempt<void> {
    removed = {};
    // Files get their names inside write transactions, too, so none can come into use meanwhile.
    if (auto begun = database.begin(); !begun) return begun;
    for (const auto& blob : blobs) {
      const auto used = database.refers_to(blob);
      if (!used) return tl::unexpected(used.error());
      if (*used) continue;
      const auto bytes = blobs_.remove(blob);
      removed.files += bytes > 0;
      removed.bytes += bytes;
    }
    if (counted == Counted::yes) {
      const auto bytes = static_cast<std::int64_t>(removed.bytes);
      if (auto noted = database.add_file_bytes(-bytes); !noted) return noted;
    }
    return database.commit();
  });
  if (!done) return tl::unexpected(done.error());
  return removed;
}

void LocalStore::drop_if_unused(const std::optional<Digest>& blob) {
  if (blob) (void)drop_unused({&*blob, 1}, Counted::yes);
}

Expected<BlobFolder::Total> LocalStore::collect() {
  BlobFolder::Total removed;
  std::vector<Digest> unused;
  Expected<void> failed;
  const auto drop = [&] {
    const auto total = drop_unused(unused, Counted::no);
    unused.clear();
    if (!total) return void(failed = tl::unexpected(total.error()));
    removed.files += total->files;
    removed.bytes += total->bytes;
  };
  blobs_.each([&](const Digest* digest, const std::string& path) {
    if (!failed) return;
    if (digest != nullptr) {
      unused.push_back(*digest);  // perhaps: drop_unused() looks
      if (unused.size() == files_at_once) drop();
      return;
    }
    struct stat status {};
    if (!is_abandoned(path) || ::lstat(path.c_str(), &status) != 0 || ::unlink(path.c_str()) != 0)
      return;
    ++removed.files;
    removed.bytes += static_cast<std::uint64_t>(status.st_size);
  });
  if (failed) drop();
  if (!failed) return tl::unexpected(failed.error());
  removed.files += Reservation::collect(folder_);
  return removed;
}

}  // namespace kiln
