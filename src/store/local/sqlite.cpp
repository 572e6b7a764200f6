#include "store/local/sqlite.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "base/clock.hpp"

namespace kiln::sqlite {
namespace {

// The largest value in a row that is believed; a damaged length above it is refused before memory
// is asked for. Rows hold at most 1 MiB of canonical bytes and a little more.
constexpr int longest_value = 4 << 20;

Trouble trouble_of(int code) {
  if (code == SQLITE_READONLY_DBMOVED) return Trouble::moved;
  // A file that is shorter than its own pages say: SQLite 3.46 answers so where 3.40 found it
  // corrupt.
  if (code == SQLITE_IOERR_SHORT_READ) return Trouble::damaged;
  switch (code & 0xff) {
    // Our statements are right for a sound database. Where one does not compile, breaks a
    // constraint or meets absurd lengths, the schema or a page is damaged.
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:
    case SQLITE_INTERNAL:
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_FORMAT:
      return Trouble::damaged;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_INTERRUPT:
      return Trouble::busy;
    default:
      return Trouble::refused;
  }
}

/// A path with what means something in a URI written as %XX.
std::string uri_path(const std::string& path) {
  std::string text;
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.' ||
                       c == '-' || c == '_';
    if (plain)
      text += c;
    else
      text += "%" + to_hex(bytes_of(c));
  }
  return text;
}

}  // namespace

Connection::~Connection() { sqlite3_close_v2(handle_); }

void Connection::open(const std::string& path, Mode mode) {
  const bool immutable = mode == Mode::immutable;
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE |
                    (immutable ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE) |
                    (mode == Mode::make ? SQLITE_OPEN_CREATE : 0);
  const std::string name = immutable ? "file:" + uri_path(path) + "?immutable=1" : path;
  sqlite3_close_v2(std::exchange(handle_, nullptr));  // of an open() that found the file locked
  check(sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr));
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, longest_value);
  sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
  // Whatever a foreign file's schema says (triggers, views, functions) is not run.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_busy_handler(handle_, &Connection::wait, this);
  sqlite3_progress_handler(handle_, 10'000, &Connection::overdue, this);
  const bool is_new = has_no_header();
  if (immutable) return run("PRAGMA mmap_size=0;PRAGMA cell_size_check=ON");
  // So that free pages can be given back a few at a time. A file that has tables already would only
  // be written to.
  if (mode == Mode::make && is_new) run("PRAGMA auto_vacuum=INCREMENTAL");
  // synchronous=OFF: a commit is in the system's page cache and so outlives this process, however
  // it ends, at a thousandth of the price of waiting for the disk. A power cut may damage the file;
  // that is found by the checksums and costs what any damage costs.
  // journal_mode=PERSIST: the fastest rollback mode, and it never unlinks a name that may belong to
  // another file by then.
  run("PRAGMA mmap_size=0;PRAGMA journal_mode=PERSIST;PRAGMA synchronous=OFF;"
      "PRAGMA journal_size_limit=1048576;PRAGMA cell_size_check=ON;PRAGMA secure_delete=OFF");
}

bool Connection::has_no_header() const {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file == nullptr || file->pMethods == nullptr) return true;
  // Read through SQLite's own descriptor: opening and closing the file here would drop the locks
  // that other connections of this process hold on it.
  std::array<unsigned char, 20> header{};
  const int code = file->pMethods->xRead(file, header.data(), header.size(), 0);
  if (code == SQLITE_IOERR_SHORT_READ) return true;
  check(code);
  if (header[18] > 1 || header[19] > 1)
    throw Failure(Trouble::damaged, "its header asks for another journal mode");
  return false;
}

void Connection::check(int code) const {
  if (code == SQLITE_OK) return;
  const Trouble trouble = trouble_of(code);
  if (trouble == Trouble::busy) throw Failure(trouble, "other processes keep the store locked");
  const bool is_last =
      handle_ != nullptr && (sqlite3_extended_errcode(handle_) & 0xff) == (code & 0xff);
  throw Failure(trouble, is_last ? sqlite3_errmsg(handle_) : sqlite3_errstr(code));
}

void Connection::run(const char* sql) {
  check(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr));
}

std::int64_t Connection::integer(const char* sql, std::int64_t otherwise) {
  Statement statement(*this, sql);
  Rows rows(statement);
  return rows.next() ? rows.integer(0) : otherwise;
}

bool Connection::moved() const {
  if (handle_ == nullptr) return false;
  int moved = 0;
  const int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved != 0;
}

bool Connection::in_transaction() const {
  return handle_ != nullptr && sqlite3_get_autocommit(handle_) == 0;
}

// Short waits of uneven length: SQLite's own handler sleeps up to 100 ms at a time, in step with
// its rivals, and starves under eight writers.
int Connection::wait(void* self, int attempt) {
  if (now_ns() >= static_cast<Connection*>(self)->deadline_ns_) return 0;
  const auto limit = static_cast<unsigned>(std::min(attempt + 1, 10)) * 50'000u;
  const auto mixed = static_cast<unsigned>(now_ns() / 64) * 2654435761u;
  const timespec pause{0, static_cast<long>(20'000u + (mixed >> 8) % limit)};
  ::nanosleep(&pause, nullptr);
  return 1;
}

int Connection::overdue(void* self) {
  return now_ns() >= static_cast<Connection*>(self)->deadline_ns_ ? 1 : 0;
}

sqlite3_stmt* Statement::prepared() {
  if (handle_ == nullptr)
    connection_.check(sqlite3_prepare_v3(connection_.raw(), sql_, -1, SQLITE_PREPARE_PERSISTENT,
                                         &handle_, nullptr));
  return handle_;
}

void Rows::bind(ByteView bytes) {
  // A null pointer would bind NULL; an empty value is still a value.
  const void* data = bytes.empty() ? static_cast<const void*>("") : bytes.data();
  sqlite3_bind_blob64(handle_, ++bound_, data, bytes.size(), SQLITE_STATIC);
}
void Rows::bind(std::string_view text) {
  sqlite3_bind_text64(handle_, ++bound_, text.empty() ? "" : text.data(), text.size(),
                      SQLITE_STATIC, SQLITE_UTF8);
}

bool Rows::next() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) connection_.check(code);
  return code == SQLITE_ROW;
}

Rows::~Rows() {
  sqlite3_reset(handle_);
  // Bindings point at the caller's bytes, which are about to go.
  sqlite3_clear_bindings(handle_);
}

ByteView Rows::bytes(int column) const {
  const void* data = sqlite3_column_blob(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

}  // namespace kiln::sqlite
