#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/clock.hpp"
#include "store/local/database.hpp"

// The statements of a store's database over many rows, on the uses of entries and on its size.
namespace kiln {
namespace {

using sqlite::Rows;

// A part of a sound store takes far less; one that goes in circles in a damaged tree ends here.
constexpr std::int64_t scan_patience_ns = 20'000'000'000;
// Rows that each() reads at a time.
constexpr std::size_t scanned_at_once = 1024;
// The first column after those of the row: hits, then the last use.
constexpr int uses_column = 17;

}  // namespace

/// No checksum covers them.
void Database::read_uses(const Rows& from, int column, EntryInfo& into) {
  into.hits = static_cast<std::uint64_t>(std::max<std::int64_t>(from.integer(column), 0));
  into.last_used = std::max<std::int64_t>(from.integer(column + 1), 0);
}

void Database::read_uses(EntryInfo& into) {
  if (layout_ < 2) return;
  Rows rows(read_uses_, into.kind, into.key.digest);
  if (rows.next()) read_uses(rows, 0, into);
}

bool Database::scan(Place& from, std::size_t limit,
                    const std::function<void(const RowHead&)>& sound,
                    const std::function<void(const Place&)>& damaged) {
  if (empty()) return false;
  connection_.set_deadline(now_ns() + scan_patience_ns);
  const Place start = from;  // what is bound must stay as it is
  Rows rows(layout_ == 1 ? scan_in_1_ : scan_, start.kind, start.key, limit);
  for (std::size_t count = 0;; ++count) {
    if (!rows.next()) return count == limit;
    Place here;
    rows.read(0, here.kind);
    rows.read(1, here.key);
    // A damaged tree may lead back to where we were: this way through it has an end.
    if (here <= from) {
      damaged(here);
      return false;
    }
    Row row;
    if (read_row(rows, row)) {
      read_uses(rows, uses_column, row.head);
      sound(row.head);
    } else {
      damaged(here);
    }
    from = std::move(here);
  }
}

std::uint64_t Database::each(const std::function<void(const RowHead&)>& call) {
  std::uint64_t damaged = 0;
  Place place;
  while (scan(place, scanned_at_once, call, [&](const Place&) { ++damaged; })) continue;
  return damaged;
}

std::vector<Key> Database::between(Kind kind, const Digest& first, const Digest& last,
                                   std::size_t limit) {
  std::vector<Key> keys;
  if (empty()) return keys;
  Rows rows(between_, kind, first, last, limit);
  Key key;
  while (rows.next())
    if (rows.read(0, key.digest)) keys.push_back(key);
  return keys;
}

void Database::add(std::span<const Use> uses) {
  for (const Use& use : uses) add_use_.run(use.kind, use.key.digest, use.hits, use.last_used);
}

void Database::forget_lost_uses() {
  connection_.run(
      "DELETE FROM use WHERE NOT EXISTS"
      " (SELECT 1 FROM entry WHERE entry.kind=use.kind AND entry.key=use.key)");
}

// Uses that are not written yet.

namespace {

// So many uses are worth a transaction of their own; fewer wait so many seconds for one.
constexpr std::size_t uses_worth_writing = 256;
constexpr std::int64_t longest_wait_seconds = 60;

}  // namespace

void UseLog::forget_the_parents() {
  if (process_ == ::getpid()) return;
  counters_.clear();
  process_ = ::getpid();
}

void UseLog::note(Kind kind, const Key& key, std::int64_t now) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    forget_the_parents();
    if (counters_.empty()) since_ = now;
    auto found = counters_.find({kind, key});
    if (found == counters_.end()) {
      if (counters_.size() == most) return;
      found = counters_.try_emplace({kind, key}).first;
    }
    ++found->second.hits;
    found->second.last_used = std::max(found->second.last_used, now);
  } catch (...) {
    // No memory for a statistic: it is one hit short.
  }
}

bool UseLog::due(std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  return counters_.size() >= uses_worth_writing ||
         (!counters_.empty() && now - since_ >= longest_wait_seconds);
}

std::vector<Use> UseLog::take() {
  const std::lock_guard lock(mutex_);
  forget_the_parents();
  std::vector<Use> uses;
  uses.reserve(counters_.size());
  for (const auto& [place, counter] : counters_)
    uses.push_back({place.first, place.second, counter.hits, counter.last_used});
  counters_.clear();
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
    return std::tie(a.kind, a.key) < std::tie(b.kind, b.key);
  });
  return uses;
}

// How large a store is, and making its file smaller.

namespace {

// Several entries may share a file.
constexpr const char* sum_of_files =
    "SELECT coalesce(sum(size), 0) FROM"
    " (SELECT max(size) AS size FROM entry WHERE blob IS NOT NULL GROUP BY blob)";

}  // namespace

Database::Size Database::size() {
  if (empty()) return {};
  const auto used = connection_.integer("PRAGMA page_count") - free_pages();
  Size size{used * connection_.integer("PRAGMA page_size"), 0};
  if (layout_ > 1) {
    Rows rows(read_total_);
    // No checksum covers this table, and a sum that is too large would evict what has its place.
    if (rows.next() && rows.integer(0) >= 0 && rows.integer(0) == ~rows.integer(1)) {
      size.files = rows.integer(0);
      return size;
    }
  }
  size.files = connection_.integer(sum_of_files);
  return size;
}

void Database::add_file_bytes(std::int64_t change) {
  const std::int64_t bytes = std::max<std::int64_t>(size().files + change, 0);
  write_total_.run(bytes, ~bytes);
}

std::int64_t Database::free_pages() { return connection_.integer("PRAGMA freelist_count"); }

bool Database::shrink(int pages) {
  const auto before = free_pages();
  connection_.run(("PRAGMA incremental_vacuum(" + std::to_string(pages) + ")").c_str());
  const auto after = free_pages();
  return after > 0 && after < before;
}

}  // namespace kiln
