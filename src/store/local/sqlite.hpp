#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/data/bytes.hpp"

// SQLite as the local store needs it: each call throws a Failure, which says what that means for
// the file. Who uses it catches at one place.
namespace kiln::sqlite {

/// What a failed call means for the store.
enum class Trouble {
  damaged,  ///< the file is not a sound database of ours: set it aside
  moved,    ///< the file was renamed or removed under the connection: open it again
  busy,     ///< other processes held it for longer than the bound
  refused,  ///< the system said no: permission, full disk, I/O error, memory
};
struct Failure : std::exception {
  Failure(Trouble of, std::string text) : trouble(of), message(std::move(text)) {}
  const char* what() const noexcept override { return message.c_str(); }
  Trouble trouble;
  std::string message;
};

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
  void open(const std::string& path, Mode mode);

  void run(const char* sql);
  /// The first column of the first row, or `otherwise` where there is no row.
  std::int64_t integer(const char* sql, std::int64_t otherwise = 0);

  /// Starts the clock for waiting on locks and for runaway queries (of a damaged tree).
  void set_deadline(std::int64_t deadline_ns) { deadline_ns_ = deadline_ns; }
  /// True where the path no longer names the file that is open.
  bool moved() const;
  bool in_transaction() const;
  sqlite3* raw() const { return handle_; }
  /// Throws the Failure of a code other than SQLITE_OK.
  void check(int code) const;

 private:
  bool has_no_header() const;
  static int wait(void* self, int attempt);
  static int overdue(void* self);

  sqlite3* handle_ = nullptr;
  std::int64_t deadline_ns_ = 0;
};

/// A prepared statement, made at its first use and kept. Destroy before its Connection.
class Statement {
 public:
  Statement(const Connection& connection, const char* sql) : connection_(connection), sql_(sql) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(handle_); }

  /// Runs it with these values, for what gives no rows.
  template <class... Values>
  void run(const Values&... values);

 private:
  friend class Rows;
  sqlite3_stmt* prepared();

  const Connection& connection_;
  const char* sql_;
  sqlite3_stmt* handle_ = nullptr;
};

/// A run of a statement with values for its parameters in their order. They are not copied: bytes
/// and texts must live as long as this. An unfinished read keeps the file locked, so it ends with
/// this object. One at a time of each statement.
class Rows {
 public:
  template <class... Values>
  explicit Rows(Statement& statement, const Values&... values)
      : connection_(statement.connection_), handle_(statement.prepared()) {
    (bind(values), ...);
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows();

  /// Goes to the next row; false: there is none.
  bool next();

  /// Columns of the present row, valid until the next.
  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
  ByteView bytes(int column) const;

  /// A column as the type that it was bound as; false where that is of another size.
  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  bool read(int column, T& into) const { return into = static_cast<T>(integer(column)), true; }
  bool read(int column, double& into) const {
    return into = sqlite3_column_double(handle_, column), true;
  }
  bool read(int column, std::string& into) const { return into = as_text(bytes(column)), true; }
  bool read(int column, Bytes& into) const {
    const ByteView content = bytes(column);
    return into.assign(content.begin(), content.end()), true;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> && std::is_class_v<T>
  bool read(int column, T& into) const {
    const ByteView content = bytes(column);
    if (content.size() == sizeof(T)) std::memcpy(&into, content.data(), sizeof(T));
    return content.size() == sizeof(T);
  }
  template <class T>
  bool read(int column, std::optional<T>& into) const {
    into.reset();
    return sqlite3_column_type(handle_, column) == SQLITE_NULL || read(column, into.emplace());
  }

 private:
  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  void bind(T value) { sqlite3_bind_int64(handle_, ++bound_, static_cast<std::int64_t>(value)); }
  void bind(double value) { sqlite3_bind_double(handle_, ++bound_, value); }
  void bind(ByteView bytes);
  void bind(std::string_view text);
  void bind(const std::string& text) { bind(std::string_view(text)); }
  /// Digests and their like, as their bytes.
  template <class T>
  requires std::is_trivially_copyable_v<T> && std::is_class_v<T>
  void bind(const T& value) { bind(bytes_of(value)); }
  template <class T>
  void bind(const std::optional<T>& value) {
    if (value)
      bind(*value);
    else
      ++bound_;  // what is not bound is NULL
  }

  template <class... T>
  void bind(const std::variant<T...>& value) {
    std::visit([this](const auto& held) { bind(held); }, value);
  }

  const Connection& connection_;
  sqlite3_stmt* handle_;
  int bound_ = 0;
};

template <class... Values>
void Statement::run(const Values&... values) {
  Rows(*this, values...).next();
}

}  // namespace kiln::sqlite
