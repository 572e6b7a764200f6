#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/clock.hpp"
#include "store/local/database.hpp"

// The statements of a store's database over many rows, on the uses of entries and on its size.
namespace kiln {
namespace {

using sqlite::StatementUse;

// A part of a sound store takes far less; one that goes in circles in a damaged tree ends here.
constexpr std::int64_t scan_patience_ns = 20'000'000'000;
// Rows that each() reads at a time.
constexpr std::size_t scanned_at_once = 1024;
// Columns after those of the row.
constexpr int hits_column = 17, last_used_column = 18;

std::int64_t not_negative(std::int64_t value) { return std::max<std::int64_t>(value, 0); }

}  // namespace

Database::Attempt<bool> Database::scan(Place& from, std::size_t limit,
                                       const std::function<void(const ListedRow&)>& sound,
                                       const std::function<void(const Place&)>& damaged) {
  if (empty()) return false;
  connection_.set_deadline(now_ns() + scan_patience_ns);
  auto& statement = layout_ == 1 ? scan_in_1_ : scan_;
  const StatementUse use(statement);
  if (auto ready = statement.prepare(connection_); !ready) return tl::unexpected(ready.error());
  const Place start = from;  // what is bound must stay as it is
  statement.bind(start.kind).bind(start.key).bind(static_cast<std::int64_t>(limit));
  for (std::size_t count = 0;; ++count) {
    const auto row = statement.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return count == limit;
    const ByteView key = statement.bytes(1);
    Place here{statement.integer(0), Bytes(key.begin(), key.end())};
    // A damaged tree may lead back to where we were: this way through it has an end.
    if (here <= from) {
      damaged(here);
      return false;
    }
    Row next;
    if (read_row(statement, next)) {
      const auto hits = static_cast<std::uint64_t>(not_negative(statement.integer(hits_column)));
      sound({std::move(next.head), next.canonical.size(), hits,
             not_negative(statement.integer(last_used_column))});
    } else {
      damaged(here);
    }
    from = std::move(here);
  }
}

Database::Attempt<std::uint64_t> Database::each(const std::function<void(const ListedRow&)>& call) {
  std::uint64_t damaged = 0;
  Place place;
  for (;;) {
    const auto more = scan(place, scanned_at_once, call, [&](const Place&) { ++damaged; });
    if (!more) return tl::unexpected(more.error());
    if (!*more) return damaged;
  }
}

Database::Attempt<std::vector<Key>> Database::between(Kind kind, const Digest& first,
                                                      const Digest& last, std::size_t limit) {
  std::vector<Key> keys;
  if (empty()) return keys;
  const StatementUse use(between_);
  if (auto ready = between_.prepare(connection_); !ready) return tl::unexpected(ready.error());
  between_.bind(static_cast<std::int64_t>(kind))
      .bind(first.bytes)
      .bind(last.bytes)
      .bind(static_cast<std::int64_t>(limit));
  for (;;) {
    const auto row = between_.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return keys;
    const ByteView key = between_.bytes(0);
    if (key.size() != first.bytes.size()) continue;
    std::memcpy(keys.emplace_back().digest.bytes.data(), key.data(), key.size());
  }
}

Database::Attempt<Database::Uses> Database::uses(Kind kind, const Key& key) {
  Uses uses;
  if (layout_ < 2) return uses;
  const StatementUse use(read_uses_);
  if (auto ready = read_uses_.prepare(connection_); !ready) return tl::unexpected(ready.error());
  const auto row = read_uses_.bind(static_cast<std::int64_t>(kind)).bind(key.digest.bytes).step();
  if (!row) return tl::unexpected(row.error());
  if (*row)
    uses = {static_cast<std::uint64_t>(not_negative(read_uses_.integer(0))),
            not_negative(read_uses_.integer(1))};
  return uses;
}

Database::Attempt<void> Database::add(std::span<const Use> uses) {
  for (const Use& used : uses) {
    const StatementUse use(add_use_);
    if (auto ready = add_use_.prepare(connection_); !ready) return ready;
    const auto done = add_use_.bind(static_cast<std::int64_t>(used.kind))
                          .bind(used.key.digest.bytes)
                          .bind(static_cast<std::int64_t>(used.hits))
                          .bind(used.last_used)
                          .step();
    if (!done) return tl::unexpected(done.error());
  }
  return {};
}

Database::Attempt<void> Database::forget_lost_uses() {
  return connection_.run(
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
  for (auto& counters : counters_) counters.clear();
  size_ = 0;
  process_ = ::getpid();
}

void UseLog::note(Kind kind, const Key& key, std::int64_t now) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    forget_the_parents();
    if (size_ == 0) since_ = now;
    auto& counters = counters_[static_cast<std::size_t>(kind) % kinds];
    auto found = counters.find(key);
    if (found == counters.end()) {
      if (size_ == most) return;
      found = counters.emplace(key, Counter{}).first;
      ++size_;
    }
    ++found->second.hits;
    found->second.last_used = std::max(found->second.last_used, now);
  } catch (...) {
    // No memory for a statistic: it is one hit short.
  }
}

bool UseLog::due(std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  return size_ >= uses_worth_writing || (size_ > 0 && now - since_ >= longest_wait_seconds);
}

std::vector<Use> UseLog::take() {
  const std::lock_guard lock(mutex_);
  forget_the_parents();
  std::vector<Use> uses;
  uses.reserve(size_);
  for (std::size_t kind = 0; kind < kinds; ++kind)
    for (const auto& [key, counter] : counters_[kind])
      uses.push_back({static_cast<Kind>(kind), key, counter.hits, counter.last_used});
  for (auto& counters : counters_) counters.clear();
  size_ = 0;
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
    return std::tie(a.kind, a.key) < std::tie(b.kind, b.key);
  });
  return uses;
}

// How large a store is, and making its file smaller.

namespace {

using sqlite::StatementUse;

// Several entries may share a file.
constexpr const char* sum_of_files =
    "SELECT coalesce(sum(size), 0) FROM"
    " (SELECT max(size) AS size FROM entry WHERE blob IS NOT NULL GROUP BY blob)";

}  // namespace

Database::Attempt<Database::Size> Database::size() {
  Size size;
  if (empty()) return size;
  const auto pages = connection_.integer("PRAGMA page_count", 0);
  if (!pages) return tl::unexpected(pages.error());
  const auto unused = connection_.integer("PRAGMA freelist_count", 0);
  if (!unused) return tl::unexpected(unused.error());
  const auto page = connection_.integer("PRAGMA page_size", 0);
  if (!page) return tl::unexpected(page.error());
  size.database = (*pages - *unused) * *page;
  if (layout_ > 1) {
    const StatementUse use(read_total_);
    if (auto ready = read_total_.prepare(connection_); !ready) return tl::unexpected(ready.error());
    const auto row = read_total_.step();
    if (!row) return tl::unexpected(row.error());
    size.files = *row ? read_total_.integer(0) : -1;
    // No checksum covers this table, and a sum that is too large would evict what has its place.
    if (*row && size.files >= 0 && size.files == ~read_total_.integer(1)) return size;
  }
  const auto counted = connection_.integer(sum_of_files, 0);
  if (!counted) return tl::unexpected(counted.error());
  size.files = *counted;
  return size;
}

Database::Attempt<void> Database::add_file_bytes(std::int64_t change) {
  const auto present = size();
  if (!present) return tl::unexpected(present.error());
  const std::int64_t bytes = std::max<std::int64_t>(present->files + change, 0);
  const StatementUse use(write_total_);
  if (auto ready = write_total_.prepare(connection_); !ready) return ready;
  if (const auto done = write_total_.bind(bytes).bind(~bytes).step(); !done)
    return tl::unexpected(done.error());
  return {};
}

Database::Attempt<bool> Database::shrink(int pages) {
  const auto before = connection_.integer("PRAGMA freelist_count", 0);
  if (!before) return tl::unexpected(before.error());
  const std::string sql = "PRAGMA incremental_vacuum(" + std::to_string(pages) + ")";
  if (auto done = connection_.run(sql.c_str()); !done) return tl::unexpected(done.error());
  const auto after = connection_.integer("PRAGMA freelist_count", 0);
  if (!after) return tl::unexpected(after.error());
  return *after > 0 && *after < *before;
}

}  // namespace kiln
