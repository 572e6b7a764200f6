// The statements over many rows, and those on the uses.

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "store/database.hpp"

namespace kiln {
namespace {

using sqlite::StatementUse;

// A part of a sound store takes far less; one that goes in circles in a damaged tree ends here.
constexpr std::int64_t patience_ns = 20'000'000'000;
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
  connection_.set_deadline(now_ns() + patience_ns);
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

}  // namespace kiln
