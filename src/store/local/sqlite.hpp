#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/data/bytes.hpp"

namespace kiln::sqlite {

/// What a failed call means for the store.
enum class Trouble {
  damaged,  ///< the file is not a sound database of ours: set it aside
  moved,    ///< the file was renamed or removed under the connection: open it again
  busy,     ///< other processes held it for longer than the bound
  refused,  ///< the system said no: permission, full disk, I/O error, memory
};
struct Failure {
  Trouble trouble;
  std::string message;
};
template <class T>
using Attempt = tl::expected<T, Failure>;

/// One connection to a database file. Not thread-safe.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Refuses files in write-ahead mode: that mode maps a shared file into memory, and a reader dies
  /// if another process truncates it.
  enum class Mode {
    existing,   ///< read and written, not created
    make,       ///< created where it is absent
    immutable,  ///< read only, believed never to change: takes no locks, needs no journal
  };
  Attempt<void> open(const std::string& path, Mode mode);

  Attempt<void> run(const char* sql);
  /// The first column of the first row, or `otherwise` where there is no row.
  Attempt<std::int64_t> integer(const char* sql, std::int64_t otherwise);

  /// Starts the clock for waiting on locks and for runaway queries (of a damaged tree).
  void set_deadline(std::int64_t deadline_ns) { deadline_ns_ = deadline_ns; }
  /// True where the path no longer names the file that is open.
  bool moved() const;
  bool in_transaction() const;
  sqlite3* raw() const { return handle_; }
  Failure failure(int code) const;

 private:
  Attempt<bool> check_header() const;
  static int wait(void* self, int attempt);
  static int overdue(void* self);

  sqlite3* handle_ = nullptr;
  std::int64_t deadline_ns_ = 0;
};

/// A prepared statement, made at its first use and kept. Destroy before its Connection.
class Statement {
 public:
  explicit Statement(const char* sql) : sql_(sql) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(handle_); }

  /// Ready for bindings and a first step.
  Attempt<void> prepare(const Connection& connection);
  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  /// The bytes and texts must live until reset(): they are not copied.
  Statement& bind(ByteView bytes);
  Statement& bind(std::string_view text);
  Statement& bind_null() { return ++bound_, *this; }

  /// True: a row is there; false: done.
  Attempt<bool> step();
  /// Ends the read; the columns are no longer valid. Always call it: an unfinished statement keeps
  /// the file locked.
  void reset();

  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
  double number(int column) const { return sqlite3_column_double(handle_, column); }
  bool is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }
  ByteView bytes(int column) const;
  std::string text(int column) const { return std::string(as_text(bytes(column))); }

 private:
  const char* sql_;
  const Connection* connection_ = nullptr;
  sqlite3_stmt* handle_ = nullptr;
  int bound_ = 0;
};

/// Resets a statement at the end of a block, however it is left.
class StatementUse {
 public:
  explicit StatementUse(Statement& statement) : statement_(statement) {}
  StatementUse(const StatementUse&) = delete;
  StatementUse& operator=(const StatementUse&) = delete;
  ~StatementUse() { statement_.reset(); }

 private:
  Statement& statement_;
};

}  // namespace kiln::sqlite
