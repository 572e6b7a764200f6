#include "store/local/database.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

// Opening a store's database, its layouts, and the statements on one row.
namespace kiln {
namespace {

using sqlite::Failure;
using sqlite::StatementUse;
using sqlite::Trouble;

// The step to each layout from the one before it. The version stands twice (PRAGMA user_version
// and the table "layout"), so that a damaged one is told from a newer program's.
constexpr std::array<const char*, Database::layout> steps = {
    R"(CREATE TABLE layout(version INTEGER NOT NULL);
       INSERT INTO layout VALUES(1);
       CREATE TABLE entry(
         kind INTEGER NOT NULL, key BLOB NOT NULL,
         schema INTEGER NOT NULL, label TEXT NOT NULL, fingerprint TEXT NOT NULL,
         cost REAL NOT NULL, created INTEGER NOT NULL,
         size INTEGER NOT NULL, checksum BLOB NOT NULL, blob BLOB,
         row_checksum BLOB NOT NULL, canonical BLOB NOT NULL, content BLOB NOT NULL,
         PRIMARY KEY(kind, key)) WITHOUT ROWID;
       CREATE INDEX entry_by_blob ON entry(blob) WHERE blob IS NOT NULL;
       PRAGMA application_id=0x4b494c4e;
       PRAGMA user_version=1)",
    // How often an entry was used stands in a table of its own: a hit is noted without writing the
    // entry's row anew, and what damage does there makes no entry a bad one. The total is no sum
    // yet: it is made at the first need.
    R"(ALTER TABLE entry ADD COLUMN source BLOB;
       ALTER TABLE entry ADD COLUMN options TEXT NOT NULL DEFAULT '';
       ALTER TABLE entry ADD COLUMN build_log TEXT NOT NULL DEFAULT '';
       ALTER TABLE entry ADD COLUMN made_elsewhere INTEGER NOT NULL DEFAULT 0;
       ALTER TABLE entry ADD COLUMN signature BLOB;
       CREATE TABLE use(kind INTEGER NOT NULL, key BLOB NOT NULL, hits INTEGER NOT NULL,
         last_used INTEGER NOT NULL, PRIMARY KEY(kind, key)) WITHOUT ROWID;
       CREATE TABLE total(file_bytes INTEGER NOT NULL, inverse INTEGER NOT NULL);
       INSERT INTO total VALUES(0, 0);
       UPDATE layout SET version=2;
       PRAGMA user_version=2)",
};

#define KILN_ROW_COLUMNS_1                                                                     \
  "kind, key, schema, label, fingerprint, cost, created, size, checksum, blob, row_checksum, " \
  "canonical"
#define KILN_ROW_COLUMNS \
  KILN_ROW_COLUMNS_1 ", source, options, build_log, made_elsewhere, signature"
// What stands in their place where layout 1 is read.
#define KILN_NO_DETAILS ", NULL, '', '', 0, NULL"
#define KILN_SCAN_RANGE " WHERE (kind, key) > (?1, ?2) ORDER BY kind, key LIMIT ?3"

// The column after those of the row.
constexpr int content_column = 17;

std::array<std::byte, 16> stored(const Checksum& checksum) {
  std::array<std::byte, 16> bytes;
  std::memcpy(bytes.data(), &checksum.low, 8);
  std::memcpy(bytes.data() + 8, &checksum.high, 8);
  return bytes;
}

bool load(ByteView bytes, Checksum& into) {
  if (bytes.size() != 16) return false;
  into = {load_le<std::uint64_t>(bytes.data()), load_le<std::uint64_t>(bytes.data() + 8)};
  return true;
}

bool load(ByteView bytes, Digest& into) {
  if (bytes.size() != into.bytes.size()) return false;
  std::memcpy(into.bytes.data(), bytes.data(), bytes.size());
  return true;
}

Bytes stored(const Signature& signature) {
  Bytes bytes;
  append(bytes, signature.signer.bytes);
  append(bytes, signature.bytes);
  return bytes;
}

bool load(ByteView bytes, Signature& into) {
  if (bytes.size() != into.signer.bytes.size() + into.bytes.size()) return false;
  std::memcpy(into.signer.bytes.data(), bytes.data(), into.signer.bytes.size());
  std::memcpy(into.bytes.data(), bytes.data() + into.signer.bytes.size(), into.bytes.size());
  return true;
}

/// Lengths go in too: otherwise bytes could move from one field to the next unnoticed.
void append_field(Bytes& to, ByteView bytes) {
  append_le(to, static_cast<std::uint64_t>(bytes.size()));
  append(to, bytes);
}

}  // namespace

Checksum row_checksum(const RowHead& head, ByteView canonical) {
  Bytes fields;
  fields.reserve(256 + canonical.size() + head.metadata.label.size());
  append_le(fields, static_cast<std::uint8_t>(head.kind));
  append(fields, head.key.digest.bytes);
  append_le(fields, head.metadata.schema);
  append_field(fields, as_bytes(head.metadata.label));
  append_field(fields, as_bytes(head.metadata.fingerprint));
  append_le(fields, std::bit_cast<std::uint64_t>(head.metadata.cost_seconds));
  append_le(fields, head.created);
  append_le(fields, head.size);
  append_le(fields, head.checksum.low);
  append_le(fields, head.checksum.high);
  append_le(fields, static_cast<std::uint8_t>(head.blob.has_value()));
  if (head.blob) append(fields, head.blob->bytes);
  append_field(fields, canonical);
  // Only where there are any: so the rows of layout 1 stay good, and an upgrade rewrites no row.
  const Metadata& metadata = head.metadata;
  if (metadata.source || !metadata.options.empty() || !metadata.build_log.empty() ||
      metadata.made_elsewhere || metadata.signature) {
    append_field(fields, metadata.source ? ByteView(metadata.source->bytes) : ByteView());
    append_field(fields, as_bytes(metadata.options));
    append_field(fields, as_bytes(metadata.build_log));
  }
  if (metadata.made_elsewhere || metadata.signature) {
    append_le(fields, static_cast<std::uint8_t>(metadata.made_elsewhere));
    append_field(fields,
                 metadata.signature ? ByteView(metadata.signature->signer.bytes) : ByteView());
    append_field(fields, metadata.signature ? ByteView(metadata.signature->bytes) : ByteView());
  }
  return xxh3(fields);
}

Database::Database()
    : find_("SELECT " KILN_ROW_COLUMNS ", content FROM entry WHERE kind=?1 AND key=?2"),
      find_in_1_("SELECT " KILN_ROW_COLUMNS_1 KILN_NO_DETAILS
                 ", content FROM entry WHERE kind=?1 AND key=?2"),
      scan_("SELECT " KILN_ROW_COLUMNS
            ", (SELECT hits FROM use WHERE use.kind=entry.kind AND use.key=entry.key)"
            ", (SELECT last_used FROM use WHERE use.kind=entry.kind AND use.key=entry.key)"
            " FROM entry" KILN_SCAN_RANGE),
      scan_in_1_("SELECT " KILN_ROW_COLUMNS_1 KILN_NO_DETAILS ", 0, 0 FROM entry" KILN_SCAN_RANGE),
      store_("INSERT OR REPLACE INTO entry(" KILN_ROW_COLUMNS
             ", content) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)"),
      remove_("DELETE FROM entry WHERE kind=?1 AND key=?2"),
      remove_use_("DELETE FROM use WHERE kind=?1 AND key=?2"),
      refers_("SELECT 1 FROM entry WHERE blob=?1 LIMIT 1"),
      between_("SELECT key FROM entry WHERE kind=?1 AND key>=?2 AND key<=?3 ORDER BY key LIMIT ?4"),
      add_use_(
          "INSERT INTO use(kind, key, hits, last_used) VALUES(?1,?2,?3,?4)"
          " ON CONFLICT(kind, key) DO UPDATE SET hits=hits+excluded.hits,"
          " last_used=max(last_used, excluded.last_used)"),
      read_total_("SELECT file_bytes, inverse FROM total"),
      write_total_("UPDATE total SET file_bytes=?1, inverse=?2"),
      read_uses_("SELECT hits, last_used FROM use WHERE kind=?1 AND key=?2") {}

Database::Attempt<void> Database::open(const std::string& path, Access access,
                                       std::int64_t deadline_ns) {
  connection_.set_deadline(deadline_ns);
  if (!open_) {
    if (access != Access::write && ::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return {};
    using Mode = sqlite::Connection::Mode;
    const Mode mode = access == Access::write  ? Mode::make
                      : access == Access::read ? Mode::existing
                                               : Mode::immutable;
    if (auto opened = connection_.open(path, mode); !opened) return opened;
    open_ = true;
  }
  // An older layout may be brought to the present one at any time, by us or by another process.
  if (layout_ == layout) return {};
  auto prepared = prepare_layout(access);
  if (!prepared) roll_back();
  return prepared;
}

Database::Attempt<void> Database::prepare_layout(Access access) {
  const auto version = connection_.integer("PRAGMA user_version", 0);
  if (!version) return tl::unexpected(version.error());
  if (*version == layout || (*version == layout_ && access != Access::write)) {
    layout_ = *version;
    if (layout_ != 0) return {};
  }
  if (auto begun = connection_.run(access == Access::write ? "BEGIN IMMEDIATE" : "BEGIN"); !begun)
    return begun;
  // Once more inside the transaction: another process may just have made the layout.
  const auto found = trusted_version();
  if (!found) return tl::unexpected(found.error());
  if (*found > layout)
    return tl::unexpected(
        Failure{Trouble::refused, "its layout is version " + std::to_string(*found) +
                                      "; this program knows " + std::to_string(layout)});
  if (access == Access::write) {
    if (auto upgraded = upgrade(*found); !upgraded) return upgraded;
  }
  if (auto done = commit(); !done) return done;
  layout_ = access == Access::write ? layout : *found;
  return {};
}

Database::Attempt<std::int64_t> Database::trusted_version() {
  const auto version = connection_.integer("PRAGMA user_version", 0);
  if (!version) return version;
  const auto tables = connection_.integer("SELECT count(*) FROM sqlite_master", 0);
  if (!tables) return tables;
  if (*version == 0 && *tables == 0) return 0;
  const auto again = connection_.integer("SELECT version FROM layout", -1);
  if (!again) return again;
  if (*version != *again || *version < 1)
    return tl::unexpected(Failure{Trouble::damaged, "its two layout versions differ"});
  return version;
}

Database::Attempt<void> Database::upgrade(std::int64_t from) {
  for (auto version = from; version < layout; ++version) {
    const char* step = steps[static_cast<std::size_t>(version)];
    if (auto done = connection_.run(step); !done) return done;
  }
  return {};
}

Database::Attempt<void> Database::begin() { return connection_.run("BEGIN IMMEDIATE"); }
Database::Attempt<void> Database::commit() { return connection_.run("COMMIT"); }
void Database::roll_back() {
  if (connection_.in_transaction()) (void)connection_.run("ROLLBACK");
}

bool Database::read_row(const sqlite::Statement& from, Row& into) {
  RowHead& head = into.head;
  head.blob.reset();
  head.kind = static_cast<Kind>(from.integer(0));
  head.metadata.schema = static_cast<std::uint32_t>(from.integer(2));
  head.metadata.label = from.text(3);
  head.metadata.fingerprint = from.text(4);
  head.metadata.cost_seconds = from.number(5);
  head.created = from.integer(6);
  head.size = static_cast<std::uint64_t>(from.integer(7));
  if (!from.is_null(9) && !load(from.bytes(9), head.blob.emplace())) return false;
  head.metadata.source.reset();
  if (!from.is_null(12) && !load(from.bytes(12), head.metadata.source.emplace())) return false;
  head.metadata.options = from.text(13);
  head.metadata.build_log = from.text(14);
  head.metadata.made_elsewhere = from.integer(15) != 0;
  head.metadata.signature.reset();
  if (!from.is_null(16) && !load(from.bytes(16), head.metadata.signature.emplace())) return false;
  const ByteView canonical = from.bytes(11);
  into.canonical.assign(canonical.begin(), canonical.end());
  Checksum checksum;
  return load(from.bytes(1), head.key.digest) && load(from.bytes(8), head.checksum) &&
         load(from.bytes(10), checksum) && checksum == row_checksum(head, canonical);
}

Database::Attempt<Database::Found> Database::find(Kind kind, const Key& key) {
  Found found;
  if (empty()) return found;
  auto& statement = layout_ == 1 ? find_in_1_ : find_;
  const StatementUse use(statement);
  if (auto ready = statement.prepare(connection_); !ready) return tl::unexpected(ready.error());
  statement.bind(static_cast<std::int64_t>(kind)).bind(key.digest.bytes);
  const auto row = statement.step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return found;
  // A damaged tree may lead to another entry's row, sound in itself.
  const bool sound =
      read_row(statement, found.row) && found.row.head.kind == kind && found.row.head.key == key;
  found.state = sound ? State::sound : State::damaged;
  const ByteView content = statement.bytes(content_column);
  if (sound) found.row.content.assign(content.begin(), content.end());
  return found;
}

Database::Attempt<void> Database::store(const RowHead& head, ByteView canonical, ByteView content) {
  const StatementUse use(store_);
  if (auto ready = store_.prepare(connection_); !ready) return ready;
  const auto checksum = stored(head.checksum), row = stored(row_checksum(head, canonical));
  store_.bind(static_cast<std::int64_t>(head.kind))
      .bind(head.key.digest.bytes)
      .bind(std::int64_t{head.metadata.schema})
      .bind(std::string_view(head.metadata.label))
      .bind(std::string_view(head.metadata.fingerprint))
      .bind(head.metadata.cost_seconds)
      .bind(head.created)
      .bind(static_cast<std::int64_t>(head.size))
      .bind(checksum);
  head.blob ? store_.bind(head.blob->bytes) : store_.bind_null();
  store_.bind(row).bind(canonical);
  head.metadata.source ? store_.bind(head.metadata.source->bytes) : store_.bind_null();
  store_.bind(std::string_view(head.metadata.options))
      .bind(std::string_view(head.metadata.build_log))
      .bind(std::int64_t{head.metadata.made_elsewhere});
  const Bytes signature = head.metadata.signature ? stored(*head.metadata.signature) : Bytes();
  signature.empty() ? store_.bind_null() : store_.bind(signature);
  const auto done = store_.bind(content).step();
  if (!done) return tl::unexpected(done.error());
  return {};
}

Database::Attempt<bool> Database::remove(Kind kind, const Key& key) {
  return remove_row(static_cast<std::int64_t>(kind), key.digest.bytes);
}

Database::Attempt<void> Database::remove(const Place& damaged) {
  if (auto removed = remove_row(damaged.kind, damaged.key); !removed)
    return tl::unexpected(removed.error());
  return {};
}

Database::Attempt<bool> Database::remove_row(std::int64_t kind, ByteView key) {
  for (auto* statement : {&remove_use_, &remove_}) {
    const StatementUse use(*statement);
    if (auto ready = statement->prepare(connection_); !ready) return tl::unexpected(ready.error());
    if (const auto done = statement->bind(kind).bind(key).step(); !done) return done;
  }
  return sqlite3_changes(connection_.raw()) > 0;
}

Database::Attempt<bool> Database::refers_to(const Digest& blob) {
  const StatementUse use(refers_);
  if (auto ready = refers_.prepare(connection_); !ready) return tl::unexpected(ready.error());
  return refers_.bind(blob.bytes).step();
}

}  // namespace kiln
