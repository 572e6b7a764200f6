#include "store/local/database.hpp"

#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>

// Opening a store's database, its layouts, and the statements on one row.
namespace kiln {
namespace {

using sqlite::Failure;
using sqlite::Rows;
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
    : find_(connection_,
            "SELECT " KILN_ROW_COLUMNS ", content FROM entry WHERE kind=?1 AND key=?2"),
      find_in_1_(connection_, "SELECT " KILN_ROW_COLUMNS_1 KILN_NO_DETAILS
                              ", content FROM entry WHERE kind=?1 AND key=?2"),
      scan_(connection_,
            "SELECT " KILN_ROW_COLUMNS
            ", (SELECT hits FROM use WHERE use.kind=entry.kind AND use.key=entry.key)"
            ", (SELECT last_used FROM use WHERE use.kind=entry.kind AND use.key=entry.key)"
            " FROM entry" KILN_SCAN_RANGE),
      scan_in_1_(connection_,
                 "SELECT " KILN_ROW_COLUMNS_1 KILN_NO_DETAILS ", 0, 0 FROM entry" KILN_SCAN_RANGE),
      store_(connection_,
             "INSERT OR REPLACE INTO entry(" KILN_ROW_COLUMNS
             ", content) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)"),
      remove_(connection_, "DELETE FROM entry WHERE kind=?1 AND key=?2"),
      remove_use_(connection_, "DELETE FROM use WHERE kind=?1 AND key=?2"),
      refers_(connection_, "SELECT 1 FROM entry WHERE blob=?1 LIMIT 1"),
      between_(connection_,
               "SELECT key FROM entry WHERE kind=?1 AND key>=?2 AND key<=?3 ORDER BY key LIMIT ?4"),
      add_use_(connection_,
               "INSERT INTO use(kind, key, hits, last_used) VALUES(?1,?2,?3,?4)"
               " ON CONFLICT(kind, key) DO UPDATE SET hits=hits+excluded.hits,"
               " last_used=max(last_used, excluded.last_used)"),
      read_total_(connection_, "SELECT file_bytes, inverse FROM total"),
      write_total_(connection_, "UPDATE total SET file_bytes=?1, inverse=?2"),
      read_uses_(connection_, "SELECT hits, last_used FROM use WHERE kind=?1 AND key=?2") {}

void Database::open(const std::string& path, Access access, std::int64_t deadline_ns) {
  connection_.set_deadline(deadline_ns);
  if (!open_) {
    if (access != Access::write && ::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return;
    using Mode = sqlite::Connection::Mode;
    connection_.open(path, access == Access::write  ? Mode::make
                           : access == Access::read ? Mode::existing
                                                    : Mode::immutable);
    open_ = true;
  }
  // An older layout may be brought to the present one at any time, by us or by another process.
  if (layout_ == layout) return;
  try {
    prepare_layout(access);
  } catch (const Failure&) {
    roll_back();
    throw;
  }
}

void Database::prepare_layout(Access access) {
  const auto version = connection_.integer("PRAGMA user_version");
  if (version == layout || (version == layout_ && access != Access::write)) {
    layout_ = version;
    if (layout_ != 0) return;
  }
  connection_.run(access == Access::write ? "BEGIN IMMEDIATE" : "BEGIN");
  // Once more inside the transaction: another process may just have made the layout.
  auto found = trusted_version();
  if (found > layout)
    throw Failure(Trouble::refused, "its layout is version " + std::to_string(found) +
                                        "; this program knows " + std::to_string(layout));
  for (; access == Access::write && found < layout; ++found)
    connection_.run(steps[static_cast<std::size_t>(found)]);
  commit();
  layout_ = found;
}

std::int64_t Database::trusted_version() {
  const auto version = connection_.integer("PRAGMA user_version");
  if (version == 0 && connection_.integer("SELECT count(*) FROM sqlite_master") == 0) return 0;
  if (version != connection_.integer("SELECT version FROM layout", -1) || version < 1)
    throw Failure(Trouble::damaged, "its two layout versions differ");
  return version;
}

void Database::begin() { connection_.run("BEGIN IMMEDIATE"); }
void Database::commit() { connection_.run("COMMIT"); }
void Database::roll_back() noexcept {
  if (connection_.in_transaction()) sqlite3_exec(connection_.raw(), "ROLLBACK", {}, {}, {});
}

bool Database::read_row(const Rows& from, Row& into) const {
  RowHead& head = into.head;
  Metadata& metadata = head.metadata;
  Checksum checksum;
  bool sound = true;
  int column = 0;
  const auto read = [&](auto&... columns) { ((sound &= from.read(column++, columns)), ...); };
  read(head.kind, head.key.digest, metadata.schema, metadata.label, metadata.fingerprint,
       metadata.cost_seconds, head.created, head.size, head.checksum, head.blob, checksum,
       into.canonical, metadata.source, metadata.options, metadata.build_log,
       metadata.made_elsewhere, metadata.signature);
  head.in_file = head.blob.has_value();
  head.canonical_size = into.canonical.size();
  return sound && checksum == row_checksum(head, into.canonical);
}

Database::Found Database::find(Kind kind, const Key& key) {
  Found found;
  if (empty()) return found;
  Rows rows(layout_ == 1 ? find_in_1_ : find_, kind, key.digest);
  if (!rows.next()) return found;
  // A damaged tree may lead to another entry's row, sound in itself.
  const bool sound =
      read_row(rows, found.row) && found.row.head.kind == kind && found.row.head.key == key;
  found.state = sound ? State::sound : State::damaged;
  if (sound) rows.read(content_column, found.row.content);
  return found;
}

void Database::store(const RowHead& head, ByteView canonical, ByteView content) {
  const Metadata& metadata = head.metadata;
  store_.run(head.kind, head.key.digest, metadata.schema, metadata.label, metadata.fingerprint,
             metadata.cost_seconds, head.created, head.size, head.checksum, head.blob,
             row_checksum(head, canonical), canonical, metadata.source, metadata.options,
             metadata.build_log, metadata.made_elsewhere, metadata.signature, content);
}

bool Database::remove(Kind kind, const Key& key) {
  const auto& bytes = key.digest.bytes;
  return remove({static_cast<std::int64_t>(kind), Bytes(bytes.begin(), bytes.end())});
}

bool Database::remove(const Place& place) {
  remove_use_.run(place.kind, place.key);
  remove_.run(place.kind, place.key);
  return sqlite3_changes(connection_.raw()) > 0;
}

bool Database::refers_to(const Digest& blob) { return Rows(refers_, blob).next(); }

}  // namespace kiln
