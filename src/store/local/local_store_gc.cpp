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

namespace {

constexpr std::size_t rows_at_once = 512;
constexpr std::size_t removed_at_once = 64;
constexpr int pages_at_once = 256;
// Rows that a put() looks at to find the least useful of them.
constexpr std::size_t sample_size = 64;
constexpr int most_samples = 16;

// Files that are looked at in one transaction.
constexpr std::size_t files_at_once = 64;
// A writer that has not named its file after an hour is dead.
constexpr std::int64_t abandoned_seconds = 3600;

}  // namespace

Expected<std::uint64_t> LocalStore::size() {
  return guarded([&] {
    return on_database(Access::read, [](Database& database) { return database.size().total(); });
  });
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

LocalStore::Survey LocalStore::survey(const StaleDevices& devices) {
  Survey survey;
  const std::int64_t now = std::time(nullptr);
  const auto counted =
      on_database(Access::read, [](Database& database) { return database.size().files; });
  std::int64_t found = 0;
  const auto add = [&](const RowHead& row) {
    survey.candidates.emplace_back(row, now, devices);
    if (!row.blob) return;
    auto& file = survey.files[*row.blob];
    if (file.sharers++ == 0) found += static_cast<std::int64_t>(row.size);
    file.bytes = row.size;
  };
  Database::Place place;
  const auto scan_part = [&](Database& database) {
    return database.scan(place, rows_at_once, add,
                         [&](const Database::Place& at) { survey.damaged.push_back(at); });
  };
  while (on_database(Access::read, scan_part)) continue;
  // Killed writers leave the sum a little wrong; what others added meanwhile stays added.
  if (counted != found)
    in_transaction([&](Database& database) { database.add_file_bytes(found - counted); });
  return survey;
}

void LocalStore::evict(Survey& survey, const GcOptions& options, GcReport& report) {
  const std::span<const RemovalCandidate> candidates = survey.candidates;
  sort_for_removal(survey.candidates);
  std::size_t removed = 0;  // of the candidates, in their order
  const auto remove_up_to = [&](std::size_t end) {
    if (!options.dry_run) remove_rows(candidates.subspan(removed, end - removed));
    removed = end;
  };
  report.bytes_after = report.bytes_before;
  const std::uint64_t without_end = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t most = options.max_bytes.value_or(limit_ == 0 ? without_end : limit_.load());
  std::uint64_t remaining = 0;
  for (const auto& candidate : candidates) remaining += candidate.bytes;
  double scale = 1;
  std::size_t at = 0;
  for (; at < candidates.size(); ++at) {
    const auto& candidate = candidates[at];
    if (!candidate.stale && report.bytes_after <= most) {
      if (options.dry_run) break;
      // A page of the database is free when its last row has gone, so small rows free less than
      // they have: what is left is measured, and where it is too much more of them go, each for its
      // part of that.
      remove_up_to(at);
      report.bytes_after = value_or_throw(size());
      if (report.bytes_after <= most) break;
      scale =
          std::max(1.0, static_cast<double>(report.bytes_after) / static_cast<double>(remaining));
    }
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
    if (at + 1 - removed == removed_at_once) remove_up_to(at + 1);
  }
  remove_up_to(at);
}

Expected<GcReport> LocalStore::gc(const GcOptions& options, const StaleDevices& devices) {
  return guarded([&] {
    GcReport report;
    report.dry_run = options.dry_run;
    Survey found = survey(devices);
    report.bytes_before = value_or_throw(size());
    report.damaged = found.damaged.size();
    if (!options.dry_run) {
      if (!found.damaged.empty())
        in_transaction([&](Database& database) {
          for (const auto& row : found.damaged) database.remove(row);
        });
      const auto files = value_or_throw(collect());
      report.files = files.files;
      report.file_bytes = files.bytes;
    }
    evict(found, options, report);
    if (options.dry_run) return report;
    on_database(Access::write, [](Database& database) { database.forget_lost_uses(); });
    const auto shrink = [](Database& database) { return database.shrink(pages_at_once); };
    while (on_database(Access::write, shrink)) continue;
    report.bytes_after = value_or_throw(size());
    return report;
  });
}

void LocalStore::keep_within_limit() {
  const std::uint64_t limit = limit_;
  static thread_local std::minstd_rand random(static_cast<unsigned>(now_ns()));
  const std::int64_t now = std::time(nullptr);
  for (int sample = 0; sample < most_samples; ++sample) {
    const auto present = value_or_throw(size());
    if (present <= limit) return;
    // The least useful of a few, taken at random, are close to the least useful of all, and a put()
    // has no time to look at all.
    std::vector<RemovalCandidate> few;
    Database::Place place{static_cast<std::int64_t>(1 + random() % 3), Bytes(32)};
    for (auto& byte : place.key) byte = static_cast<std::byte>(random() >> 8);
    on_database(Access::read, [&](Database& database) {
      for (int half = 0; half < 2 && few.size() < sample_size; ++half) {
        const bool more = database.scan(
            place, sample_size - few.size(),
            [&](const RowHead& row) { few.emplace_back(row, now, StaleDevices()); },
            [](const Database::Place&) {});
        if (!more) place = {};  // over the end: on from the beginning
      }
    });
    if (few.empty()) return;
    sort_for_removal(few);
    std::size_t chosen = 0;
    for (std::uint64_t excess = present - limit; chosen < (few.size() + 3) / 4 && excess > 0;
         ++chosen)
      excess -= std::min(excess, few[chosen].bytes);
    remove_rows(std::span(few).first(chosen));
  }
}

// Removing rows and files from a local store, a few in a transaction.

/// Removes what is there of these, in one transaction, and files that nothing refers to then.
void LocalStore::remove_rows(std::span<const RemovalCandidate> rows) {
  if (rows.empty()) return;
  in_transaction([&](Database& database) {
    for (const auto& row : rows) {
      const auto found = database.find(row.kind, row.key);
      // Replaced meanwhile: another process needs it.
      if (found.state == Database::State::sound && found.row.head.created != row.created) continue;
      database.remove(row.kind, row.key);
    }
  });
  // After the rows: killed in between, files stay that nothing uses, and the next gc finds them.
  std::vector<Digest> blobs;
  for (const auto& row : rows)
    if (row.blob) blobs.push_back(*row.blob);
  drop_unused(blobs, Counted::yes);
}

BlobFolder::Total LocalStore::drop_unused(std::span<const Digest> blobs, Counted counted) {
  if (blobs.empty()) return {};
  // Files get their names inside write transactions, too, so none can come into use meanwhile.
  return in_transaction([&](Database& database) {
    BlobFolder::Total removed;
    for (const auto& blob : blobs) {
      if (database.refers_to(blob)) continue;
      const auto bytes = blobs_.remove(blob);
      removed.files += bytes > 0;
      removed.bytes += bytes;
    }
    if (counted == Counted::yes) database.add_file_bytes(-static_cast<std::int64_t>(removed.bytes));
    return removed;
  });
}

Expected<BlobFolder::Total> LocalStore::collect() {
  return guarded([&] {
    BlobFolder::Total removed;
    std::vector<Digest> unused;
    const auto drop = [&] {
      const auto dropped = drop_unused(unused, Counted::no);
      removed.files += dropped.files;
      removed.bytes += dropped.bytes;
      unused.clear();
    };
    blobs_.each([&](const Digest* digest, const std::string& path) {
      if (digest != nullptr) {
        unused.push_back(*digest);  // perhaps: drop_unused() looks
        if (unused.size() == files_at_once) drop();
        return;
      }
      struct stat status {};
      if (::lstat(path.c_str(), &status) != 0 ||
          std::time(nullptr) - status.st_mtim.tv_sec <= abandoned_seconds ||
          ::unlink(path.c_str()) != 0)
        return;
      ++removed.files;
      removed.bytes += static_cast<std::uint64_t>(status.st_size);
    });
    drop();
    removed.files += Reservation::collect(folder_);
    return removed;
  });
}

}  // namespace kiln
